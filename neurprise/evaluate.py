"""Q(x, s) for every scenario and Z(x): the true worst case of a first-stage decision."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from neurprise.arrays import Floats, frozen
from neurprise.clock import Deadline, OutOfTimeError
from neurprise.first_stage_rules import check_first_stage
from neurprise.knowledge import RecourseOracle
from neurprise.problem import TwoStageProblem, checked_problem
from neurprise.progress import progress_line
from neurprise.sign import users_sign
from neurprise.solvers import Engine, EngineResult, EngineStatus, Limits, Model, Session, get_engine
from neurprise.stages import Scenario
from neurprise.tolerances import FEASIBILITY_TOLERANCE

if TYPE_CHECKING:
    from neurprise.plan import Plan

#: Integer recourse is expensive; this many of its decisions are kept for warm starts.
_DECISIONS_KEPT = 5_000
#: An oracle answers so many scenarios between two looks at the clock: milliseconds in most families.
SCENARIOS_AT_ONCE = 1_000


@dataclass(frozen=True, eq=False)
class Evaluation:
    """
    What a first-stage decision costs; what `evaluate` returns for a maximisation speaks of profits.

    Parameters
    ----------
    recourse_costs
        Q(x, s), shape (S,); inf where no recourse is feasible, -inf where its cost falls without limit. Of a
        maximisation: recourse profits, -inf where no recourse is feasible.
    worst_case
        Z(x) = offset + c'x + max_s Q(x, s); the profit that is guaranteed.
    worst_scenario
        The first scenario that attains the maximum.
    given_plan
        Costs and recourse by name; part of what `evaluate` returns.
    """

    recourse_costs: Floats
    worst_case: float
    worst_scenario: int
    given_plan: Plan | None = field(default=None, repr=False)

    @property
    def total_costs(self) -> Floats:
        """First stage, offset and recourse under each scenario, shape (S,); profits of a maximisation."""
        return self.plan.total_costs

    @property
    def worst_scenario_name(self) -> str:
        """Name of the worst scenario, its number as text where it has none."""
        return self.plan.problem.scenario_labels[self.worst_scenario]

    @property
    def infeasible_scenarios(self) -> tuple[int, ...]:
        """Scenarios in which x has no recourse."""
        hopeless = -math.inf if self.plan.problem.maximize else math.inf
        return tuple(np.flatnonzero(self.recourse_costs == hopeless).tolist())

    def recourse(self, scenario: Any) -> dict[str, float]:
        """Name of the recourse variable -> value in a best answer to this scenario, given by name or number."""
        return self.plan.recourse(scenario)

    @property
    def plan(self) -> Plan:
        """The decision with its costs and its recourse by name."""
        assert self.given_plan is not None  # evaluate() gives one; what an Evaluator returns stays inside
        return self.given_plan


class PartialEvaluationError(OutOfTimeError):
    """
    Time was over before the last scenario.

    Parameters
    ----------
    costs
        Q(x, s) where known, nan elsewhere; shape (S,).
    """

    def __init__(self, costs: Floats) -> None:
        super().__init__()
        self.costs = costs


def evaluate(problem: TwoStageProblem, x: Any, *, solver: str = "highs") -> Evaluation:
    """
    Q(x, s) for all scenarios and the worst case Z(x) of one first-stage decision, in the user's sign.

    Parameters
    ----------
    x
        Shape (n,), or a dict or pandas Series by name; checked against the first stage's rows, bounds and integrality.
    """
    from neurprise.plan import Plan  # stands on the Evaluator below

    decision = checked_problem("evaluate", problem).decision_vector(x)
    check_first_stage(problem, decision)
    evaluator = Evaluator(problem, solver)
    with progress_line() as line:
        evaluator.say = line.say
        found = evaluator.evaluate(decision)
    return Evaluation(
        users_sign(found.recourse_costs, problem.maximize),
        users_sign(found.worst_case, problem.maximize),
        found.worst_scenario,
        Plan(problem, decision, solver, found.recourse_costs),
    )


class Evaluator:
    """
    Evaluates many x of one problem: by the family's own oracle, else by one warm engine model.

    Parameters
    ----------
    problem
        Its scenarios are the ones evaluated.
    engine
        Asked only where the family has no oracle.
    use_oracle
        False asks the engine even where there is an oracle.

    `say` is told how far an evaluation has come; it may be replaced.
    """

    def __init__(self, problem: TwoStageProblem, engine: str | Engine = "highs", *, use_oracle: bool = True) -> None:
        self.problem = problem
        self._engine = engine
        self._use_oracle = use_oracle
        self.say: Callable[[str], None] = _silent
        self._recourse: _RecourseSession | None = None
        self._known_decisions: dict[tuple[bytes, int], Floats] = {}

    @property
    def has_oracle(self) -> bool:
        """True where the family evaluates a decision itself, much faster than an engine would."""
        return self._oracle is not None

    def evaluate(self, x: Floats, deadline: Deadline | None = None) -> Evaluation:
        """Q(x, s) for all s; raises PartialEvaluationError when the deadline passes before the last scenario."""
        x, clock, oracle = self.rounded(x), deadline or Deadline(), self._oracle
        costs = self._engine_costs(x, self._all(), clock) if oracle is None else self._oracle_costs(oracle, x, clock)
        worst = int(np.argmax(costs))
        return Evaluation(frozen(costs), self.first_cost(x) + float(costs[worst]), worst)

    def upper_costs(
        self, x: Floats, likely_worst_first: Iterable[int], deadline: Deadline, known: Mapping[int, float] | None = None
    ) -> Floats:
        """
        Upper bounds of Q(x, s), shape (S,), whose largest entry is exact: enough for Z(x) and for bounds on any V(R).

        With integer recourse a solve stops once a cheaper answer than the worst so far is found.

        Parameters
        ----------
        known
            Cost of a recourse that is feasible for x, by scenario: an upper bound of Q(x, s).
        """
        if self.has_oracle or not self.problem.recourse.integer.any():
            return self.evaluate(x, deadline).recourse_costs
        return self._engine_costs(self.rounded(x), likely_worst_first, deadline, known or {}, early=True)

    def attained_cost(self, x: Floats, y: Floats, scenario: int) -> float:
        """q_s'x + b_s'y where y is a feasible recourse for x to the tolerance of the engines, else inf."""
        block = self.problem.scenario(scenario)
        model = _recourse_model(self.problem, self.rounded(x), block)
        rows = model.matrix @ y
        gaps = (model.row_lower - rows, rows - model.row_upper, model.lower - y, y - model.upper)
        broken = max((float(gap.max()) for gap in gaps if gap.size), default=0.0)
        return math.inf if broken > FEASIBILITY_TOLERANCE else float(model.costs @ y) + model.offset

    def confirmed_cost(self, x: Floats, scenario: int, deadline: Deadline) -> float:
        """Q(x, scenario) from a model built anew: warm linear programs have been seen to end at a wrong optimum."""
        model = _recourse_model(self.problem, self.rounded(x), self.problem.scenario(scenario))
        return _read_cost(get_engine(self._engine).solve(model, Limits(time_limit=deadline.remaining)))[0]

    def forget(self) -> None:
        """Close the warm engine model; the next evaluation builds it anew."""
        self._recourse = None

    def decision(self, x: Floats, scenario: int, deadline: Deadline | None = None) -> Floats | None:
        """A recourse y, shape (m,): the one last found for (x, scenario), else an optimal one; None if infeasible."""
        x = self.rounded(x)
        y = None if self._oracle is None else self._oracle.recourse_decision(x, scenario)
        if y is None:
            y = self._known_decisions.get((x.tobytes(), scenario))
        return self._solve_recourse(x, scenario, deadline or Deadline())[1] if y is None else y

    def first_cost(self, x: Floats) -> float:
        """offset + c'x."""
        return self.problem.offset + float(self.problem.first_stage.costs @ x)

    def rounded(self, x: Floats) -> Floats:
        """x with its integer entries made exactly integer: engines return them within a tolerance."""
        return np.where(self.problem.first_stage.integer, np.round(x), x)

    @property
    def _oracle(self) -> RecourseOracle | None:
        return self.problem.oracle if self._use_oracle else None

    def _all(self) -> range:
        return range(self.problem.num_scenarios)

    def _oracle_costs(self, oracle: RecourseOracle, x: Floats, deadline: Deadline) -> Floats:
        """
        The family's own answer, shape (S,), and the engine's where it gives up.

        Under a time limit it is asked in parts. The first is answered even when time is over: that takes less than
        what found x is worth.
        """
        costs = self._asked_in_parts(oracle, x, deadline)
        given_up = np.flatnonzero(np.isnan(costs))
        if len(given_up):
            costs[given_up] = self._engine_costs(x, given_up.tolist(), deadline)[given_up]
        return costs

    def _asked_in_parts(self, oracle: RecourseOracle, x: Floats, deadline: Deadline) -> Floats:
        total = self.problem.num_scenarios
        if total <= SCENARIOS_AT_ONCE or math.isinf(deadline.remaining):
            return oracle.recourse_costs(x)
        costs = np.full(total, np.nan)
        for start in range(0, total, SCENARIOS_AT_ONCE):
            if start and deadline.passed:
                raise PartialEvaluationError(costs)
            self._say_how_far(start)
            part = slice(start, start + SCENARIOS_AT_ONCE)
            costs[part] = oracle.recourse_costs(x, part)
        return costs

    def _engine_costs(
        self,
        x: Floats,
        order: Iterable[int],
        deadline: Deadline,
        known: Mapping[int, float] | None = None,
        early: bool = False,
    ) -> Floats:
        """Q(x, s) by the engine, shape (S,); `early` and `known` as `upper_costs` tells."""
        costs = np.full(self.problem.num_scenarios, np.nan)
        worst = -math.inf
        for done, s in enumerate(order):
            self._say_how_far(done)
            attained = math.inf if known is None else known.get(s, math.inf)
            settled = attained < worst  # strictly: what equals the worst case must be exact
            try:
                costs[s] = attained if settled else self._timely_cost(x, s, deadline, worst if early else -math.inf)
            except OutOfTimeError:
                raise PartialEvaluationError(costs) from None
            costs[s] = min(costs[s], attained)
            worst = max(worst, float(costs[s]))
        return costs

    def _say_how_far(self, done: int) -> None:
        self.say(f"evaluating a decision: {done:,} of {self.problem.num_scenarios:,} scenarios")

    def _timely_cost(self, x: Floats, scenario: int, deadline: Deadline, target: float) -> float:
        """Q(x, scenario); engines may finish a small model however little time is left, so the clock is read here."""
        if deadline.passed:
            raise OutOfTimeError
        return self._solve_recourse(x, scenario, deadline, target)[0]

    def _solve_recourse(
        self, x: Floats, scenario: int, deadline: Deadline, target: float = -math.inf
    ) -> tuple[float, Floats | None]:
        if self._recourse is None:
            self._recourse = _RecourseSession(self.problem, get_engine(self._engine))
        cost, y = self._recourse.solve(x, scenario, deadline, target)
        if y is not None and self.problem.recourse.integer.any():
            if len(self._known_decisions) >= _DECISIONS_KEPT:
                self._known_decisions.clear()
            self._known_decisions[x.tobytes(), scenario] = y
        return cost, y


def _silent(activity: str) -> None:
    """Nobody listens."""


class _RecourseSession:
    """min_y q_s'x + b_s'y for one (x, s) after another, in one engine session."""

    def __init__(self, problem: TwoStageProblem, engine: Engine) -> None:
        self._problem = problem
        self._engine = engine
        self._session: Session | None = None

    def solve(self, x: Floats, index: int, deadline: Deadline, target: float) -> tuple[float, Floats | None]:
        model = _recourse_model(self._problem, x, self._problem.scenario(index))
        if self._session is None:
            self._session = self._engine.session(model)
        else:
            self._session.update(model)
        return _read_cost(self._session.solve(Limits(gap=0.0, time_limit=deadline.remaining, target=target)))


def _recourse_model(problem: TwoStageProblem, x: Floats, scenario: Scenario) -> Model:
    """min_y q_s'x + b_s'y with x fixed."""
    recourse = problem.recourse
    moved = _with_entries(recourse.technology, scenario.technology) @ x
    return Model(
        costs=scenario.costs,
        matrix=_with_entries(recourse.matrix, scenario.matrix),
        row_lower=scenario.row_lower - moved,
        row_upper=scenario.row_upper - moved,
        lower=scenario.lower,
        upper=scenario.upper,
        integer=recourse.integer,
        offset=float(scenario.x_costs @ x),
    )


def _read_cost(result: EngineResult) -> tuple[float, Floats | None]:
    """The cost of a recourse and the recourse; inf where there is none, -inf where its cost falls without limit."""
    if result.status is EngineStatus.TIME_LIMIT:
        raise OutOfTimeError
    if result.status is EngineStatus.UNBOUNDED:
        return -math.inf, result.improving[-1] if result.improving else None
    return (math.inf, None) if result.values is None else (result.objective, result.values)


def _with_entries(pattern: sparse.csr_array, entries: Floats) -> sparse.csr_array:
    """The matrix of this sparsity pattern with other entries; nothing is copied or checked again."""
    if entries is pattern.data:
        return pattern
    return sparse.csr_array((entries, pattern.indices, pattern.indptr), shape=pattern.shape)
