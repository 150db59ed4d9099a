"""
Q(x, s) for every scenario and Z(x): the true worst case of a first-stage decision.

`recourse_solver` chooses how a problem without an oracle of its own is evaluated:

1. Integer recourse in blocks that can be listed (see `blocks.py`): by listing, without an engine.
2. The plain way, for large models, models without columns, costs of unusual size, a big M beside integers, and
   engines without open linear programs.
3. Other integer recourse: by screening with linear relaxations.
4. Linear recourse: by linear programs for the scenarios that bounds leave open.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from neurprise.arrays import Floats, Ints, frozen
from neurprise.clock import Deadline
from neurprise.errors import part_of
from neurprise.parallel.workers import THIS_PROCESS, Workers
from neurprise.problem import TwoStageProblem
from neurprise.problem.contract import RecourseOracle
from neurprise.problem.row_units import in_ordinary_rows
from neurprise.recourse.blocks import ListedRecourse, listed_blocks
from neurprise.recourse.bounds import BasisPool
from neurprise.recourse.engine import (
    CostBounds,
    EngineRecourse,
    OnProgress,
    PartialEvaluationError,
    RecourseSolver,
    complete_bounds,
    fresh_cost,
    has_ordinary_costs,
    ignore_progress,
)
from neurprise.recourse.linear import LinearRecourse
from neurprise.recourse.model import ScenarioTable, dominators, evident_costs, recourse_model
from neurprise.recourse.parallel import ParallelRecourse, deserves_processes
from neurprise.recourse.screening import ScreenedRecourse
from neurprise.solvers import Engine, Limits, LinearEngine, get_engine, is_ours
from neurprise.solvers.corner_cases import has_big_m
from neurprise.solvers.tolerances import FEASIBILITY_TOLERANCE, TIGHT_TOLERANCE

if TYPE_CHECKING:
    from neurprise.recourse.plan import Plan

#: Scenarios that an oracle answers before the clock is read again: milliseconds in most families.
SCENARIOS_AT_ONCE = 1_000
#: If a recourse is known for every scenario, the exact costs of this many usually show which one is the worst.
_CANDIDATES = 3


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
    def expected(self) -> float:
        """Mean total by the problem's probabilities, equal ones where it has none; infinite without recourse."""
        return self.plan.expected

    def cvar(self, level: float) -> float:
        """Mean total of the worst scenarios that have the probability 1 - level together; of profits, the lowest."""
        return self.plan.cvar(level)

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


class Evaluator:
    """
    Evaluates many x of one problem: by the family's own oracle, else in the way that `neurprise.recourse` chooses.

    Parameters
    ----------
    problem
        Its scenarios are the ones evaluated, with rows in units that suit an engine.
    engine
        Asked only where the family has no oracle.
    use_oracle
        False asks the engine about one scenario after another: no oracle and no shortcut.
    workers
        Processes that share long evaluations of problems without an oracle; `close` ends them.
    known_dominators
        `dominators` of a problem that differs in its integers only: finding them takes long where scenarios are many.

    say
        Called with the progress of an evaluation, in words.
    """

    def __init__(
        self,
        problem: TwoStageProblem,
        engine: str | Engine = "highs",
        *,
        use_oracle: bool = True,
        workers: Workers = THIS_PROCESS,
        known_dominators: Ints | None = None,
        say: Callable[[str], None] | None = None,
    ) -> None:
        # A family answers questions about the rows that it has.
        self.problem = problem if problem.has_knowledge else in_ordinary_rows(problem)
        self._engine = engine
        self._use_oracle = use_oracle
        self._workers = workers
        self._known_dominators = known_dominators
        self._say = say or _silent

    @property
    def has_oracle(self) -> bool:
        """True where the family evaluates a decision itself, much faster than an engine would."""
        return self._oracle is not None

    @property
    def _oracle(self) -> RecourseOracle | None:
        return self.problem.oracle if self._use_oracle else None

    @cached_property
    def _recourse(self) -> RecourseSolver:
        plain = self.has_oracle or not self._use_oracle
        return recourse_solver(
            self.problem, self._engine, plain=plain, on_progress=self._say_how_far, workers=self._workers
        )

    @property
    def needs_confirmation(self) -> bool:
        """True where warm linear programs were trusted, so that a fresh model should confirm what decides."""
        return not self.has_oracle and self._recourse.needs_confirmation

    def evaluate(self, x: Floats, deadline: Deadline | None = None) -> Evaluation:
        """Q(x, s) for all s; raises PartialEvaluationError when the deadline passes before the last scenario."""
        x, clock, oracle = self.rounded(x), deadline or Deadline(), self._oracle
        costs = self._recourse.costs(x, self._all(), clock) if oracle is None else self._oracle_costs(oracle, x, clock)
        worst = int(np.argmax(costs))
        return Evaluation(frozen(costs), self.first_cost(x) + float(costs[worst]), worst)

    def bounds(
        self,
        x: Floats,
        likely_worst_first: Iterable[int],
        deadline: Deadline,
        known: Mapping[int, float] | None = None,
        enough: float = math.inf,
    ) -> CostBounds:
        """
        As much about Q(x, s) as it takes to know its maximum over s, or that the maximum is at least `enough`.

        Parameters
        ----------
        known
            Cost of a recourse that is feasible for x, by scenario: an upper bound of Q(x, s).
        enough
            A scenario that costs at least this ends the evaluation.
        """
        if self.has_oracle:
            costs = self.evaluate(x, deadline).recourse_costs
            return complete_bounds(costs, range(len(costs)))
        x, known = self.rounded(x), known or {}
        asked = np.fromiter(likely_worst_first, dtype=np.int64)
        order = asked[self.dominators[asked] == asked].tolist()
        found = self._bounds_by_known(x, order, deadline, known)
        if found is None:
            found = self._recourse.bounds(x, order, deadline, known, enough)
        return self._with_dominated(found, x, deadline, known) if len(order) < len(found.upper) else found

    def _bounds_by_known(
        self, x: Floats, order: Sequence[int], deadline: Deadline, known: Mapping[int, float]
    ) -> CostBounds | None:
        """
        `bounds` where a recourse is known for every scenario and exact costs of a few show which is the worst.

        A reduced problem of all scenarios brings such recourses along; None where they do not settle it.
        """
        if len(known) < len(order) or not all(s in known for s in order):
            return None
        asked, attained = np.asarray(order, dtype=np.int64), np.array([known[s] for s in order])
        close = TIGHT_TOLERANCE * max(1.0, abs(float(attained.max())))  # others may be very low
        ranked = np.argsort(-np.round(attained / close), kind="stable")  # of equal costs the likely worst comes first
        trials = ranked[:_CANDIDATES] if self.problem.recourse.integer.any() else ranked
        worst, scenario = -math.inf, -1
        for place, next_place in zip(trials.tolist(), [*ranked[1:].tolist(), None], strict=False):
            s = int(asked[place])
            attained[place] = min(attained[place], float(self._recourse.costs(x, [s], deadline)[s]))
            if attained[place] > worst:
                worst, scenario = float(attained[place]), s
            if next_place is None or worst >= attained[next_place] - close:
                upper = np.full(self.problem.num_scenarios, math.inf)
                # Only upper bounds of the others are known: the worst is the scenario whose cost is exact.
                upper[asked] = np.minimum(attained, np.nextafter(worst, -math.inf))
                upper[scenario] = worst
                return CostBounds(upper, scenario, worst, complete=True, certain=True)
        return None

    def bounds_of(
        self, x: Floats, scenarios: Sequence[int], deadline: Deadline, known: Mapping[int, float] | None = None
    ) -> CostBounds:
        """`bounds` over some scenarios only, to the end; all others keep the entry inf."""
        if self.has_oracle:
            return self.bounds(x, scenarios, deadline)
        return self._recourse.bounds(self.rounded(x), scenarios, deadline, known or {}, math.inf)

    def upper_costs(
        self, x: Floats, likely_worst_first: Iterable[int], deadline: Deadline, known: Mapping[int, float] | None = None
    ) -> Floats:
        """
        Upper bounds of Q(x, s), shape (S,), whose largest entry is exact: enough for Z(x) and for bounds on any V(R).

        With linear recourse every entry is exact, unlike those of `bounds`.
        """
        if self.has_oracle or not self.problem.recourse.integer.any():
            return self.evaluate(x, deadline).recourse_costs
        return self.bounds(x, likely_worst_first, deadline, known).upper

    def knows_every_cost(self, enough: float | None) -> bool:
        """Whether `upper_costs` (enough=None) or `bounds` up to `enough` return nothing but exact costs."""
        return self.has_oracle or (enough is None and not self.problem.recourse.integer.any())

    def find_violated(
        self, x: Floats, threshold: float, likely_worst_first: Iterable[int], deadline: Deadline
    ) -> tuple[int, float] | None:
        """A scenario that costs at least `threshold` and what it is proved to cost; None if every one costs less."""
        found = self.bounds(x, likely_worst_first, deadline, enough=threshold)
        return (found.scenario, found.lower) if found.lower >= threshold else None

    @property
    def shares_bases(self) -> bool:
        """Whether recourse is linear and one basis is likely to serve many scenarios."""
        return BasisPool.applies(self.problem) and not self.problem.recourse.integer.any()

    @cached_property
    def dominators(self) -> Ints:
        """For every scenario one that costs at least as much whatever x is, shape (S,); itself where none is known."""
        apply = self._use_oracle and not self.has_oracle
        if apply and self._known_dominators is not None:
            return self._known_dominators
        return dominators(self.problem) if apply else np.arange(self.problem.num_scenarios)

    @cached_property
    def undominated(self) -> Ints:
        """The scenarios that no other one dominates, ascending: one of them is the worst, whatever x is."""
        return np.flatnonzero(self.dominators == np.arange(self.problem.num_scenarios))

    def _with_dominated(
        self, found: CostBounds, x: Floats, deadline: Deadline, known: Mapping[int, float]
    ) -> CostBounds:
        """The same with a dominated scenario's upper bound from its dominator; exact if that one has no recourse."""
        upper = np.minimum(found.upper, found.upper[self.dominators])
        dominated = self.dominators != np.arange(len(upper))
        lost = np.flatnonzero(dominated & (upper == math.inf))
        if found.complete and len(lost):
            upper[lost] = self._recourse.bounds(x, lost.tolist(), deadline, known, math.inf).upper[lost]
        return replace(found, upper=upper)

    def evident_costs(self, x: Floats) -> Floats | None:
        """
        Q(x, s) for all s where it is finite and no engine is needed to know it, shape (S,), else None.

        This takes milliseconds: a family's oracle is asked only if it answers all scenarios in one call.
        """
        x, oracle = self.rounded(x), self._oracle
        costs = evident_costs(self.problem, x)
        if costs is None and oracle is not None and self.problem.num_scenarios <= scenarios_at_once(oracle):
            costs = oracle.recourse_costs(x)
        return costs if costs is not None and np.isfinite(costs).all() else None

    def attained_cost(self, x: Floats, y: Floats, scenario: int) -> float:
        """q_s'x + b_s'y where y is a feasible recourse for x to the tolerance of the engines, else inf."""
        block = self.problem.scenario(scenario)
        model = recourse_model(self.problem, self.rounded(x), block)
        rows = model.matrix @ y
        gaps = (model.row_lower - rows, rows - model.row_upper, model.lower - y, y - model.upper)
        broken = max((float(gap.max()) for gap in gaps if gap.size), default=0.0)
        return math.inf if broken > FEASIBILITY_TOLERANCE else float(model.costs @ y) + model.offset

    def confirmed_cost(self, x: Floats, scenario: int, deadline: Deadline) -> float:
        """Q(x, scenario) from a model built anew: warm linear programs have been seen to end at a wrong optimum."""
        return fresh_cost(self.problem, self._engine, self.rounded(x), scenario, deadline)

    def forget(self) -> None:
        """Close the warm engine models; the next evaluation builds them anew."""
        self._recourse.forget()

    def close(self) -> None:
        """End the workers, if there are any; the next evaluation starts new ones."""
        recourse = self.__dict__.get("_recourse")
        if isinstance(recourse, ParallelRecourse):
            recourse.close()

    def decision(self, x: Floats, scenario: int, deadline: Deadline | None = None) -> Floats | None:
        """A recourse y, shape (m,): the one last found for (x, scenario), else an optimal one; None if infeasible."""
        x = self.rounded(x)
        y = None if self._oracle is None else self._oracle.recourse_decision(x, scenario)
        return self._recourse.decision(x, scenario, deadline or Deadline()) if y is None else y

    def almost_feasible_decision(self, x: Floats, scenario: int) -> Floats | None:
        """
        A best recourse y, shape (m,), that may miss rows by the tolerance; None where even that is not enough.

        On the edge of feasibility an engine may accept a recourse in a warm model and refuse it in a fresh one.
        """
        model = recourse_model(self.problem, self.rounded(x), self.problem.scenario(scenario))
        lower, upper = model.row_lower - FEASIBILITY_TOLERANCE, model.row_upper + FEASIBILITY_TOLERANCE
        return get_engine(self._engine).solve(replace(model, row_lower=lower, row_upper=upper), Limits(gap=0.0)).values

    def first_cost(self, x: Floats) -> float:
        """offset + c'x."""
        return self.problem.offset + float(self.problem.first_stage.costs @ x)

    def rounded(self, x: Floats) -> Floats:
        """x with its integer entries made exactly integer: engines return them within a tolerance."""
        return np.where(self.problem.first_stage.integer, np.round(x), x)

    def _all(self) -> range:
        return range(self.problem.num_scenarios)

    def _oracle_costs(self, oracle: RecourseOracle, x: Floats, deadline: Deadline) -> Floats:
        """
        The family's own answer, shape (S,), and the engine's where it gives up.

        It is asked in parts, so that time limits and interrupts take effect. The first part is answered even if time
        is over: it takes little, compared with finding x.
        """
        costs = self._asked_in_parts(oracle, x, deadline)
        given_up = np.flatnonzero(np.isnan(costs))
        if len(given_up):
            costs[given_up] = self._recourse.costs(x, given_up.tolist(), deadline)[given_up]
        return costs

    def _asked_in_parts(self, oracle: RecourseOracle, x: Floats, deadline: Deadline) -> Floats:
        total = self.problem.num_scenarios
        at_once = scenarios_at_once(oracle)
        if total <= at_once:
            return oracle.recourse_costs(x)
        costs = np.full(total, np.nan)
        for start in range(0, total, at_once):
            if start and deadline.passed:
                raise PartialEvaluationError(costs)
            self._say_how_far(start)
            part = slice(start, start + at_once)
            costs[part] = oracle.recourse_costs(x, part)
        return costs

    def _say_how_far(self, done: int) -> None:
        self._say(f"evaluating a decision: {part_of(done, self.problem.num_scenarios, 'scenario')}")


def scenarios_at_once(knowledge: object) -> int:
    """Scenarios that a family is asked for before the clock is read again."""
    return getattr(knowledge, "scenarios_at_once", None) or SCENARIOS_AT_ONCE


def _silent(activity: str) -> None:
    """The default of `say`: nothing is shown."""


#: With more matrix entries a linear program takes far longer than the overhead around it, and must be interruptible.
_LARGE = 20_000


def recourse_solver(
    problem: TwoStageProblem,
    engine: str | Engine,
    *,
    plain: bool = False,
    on_progress: OnProgress = ignore_progress,
    workers: Workers = THIS_PROCESS,
) -> RecourseSolver:
    """
    The fastest way that applies; see the head of this file.

    Parameters
    ----------
    workers
        Processes that share long evaluations; engines of the caller's own stay in this process.
    plain
        True: take the plain way in any case.
    on_progress
        Called now and then with the number of scenarios that are done.
    """
    alone = _alone(problem, engine, plain, on_progress)
    if workers == THIS_PROCESS or plain or isinstance(alone, ListedRecourse) or not deserves_processes(problem):
        return alone
    loaded = get_engine(engine)
    return ParallelRecourse(problem, loaded, workers, alone) if is_ours(loaded) else alone


def _alone(problem: TwoStageProblem, engine: str | Engine, plain: bool, on_progress: OnProgress) -> RecourseSolver:
    simple = EngineRecourse(problem, engine, on_progress)
    if plain:
        return simple
    blocks = listed_blocks(problem) if _is_finite_integer(problem) else None
    if blocks is not None:
        return ListedRecourse(problem, blocks)
    if problem.num_recourse == 0 or problem.recourse.matrix.nnz > _LARGE or not has_ordinary_costs(problem):
        return simple
    loaded = get_engine(engine)
    if not isinstance(loaded, LinearEngine):
        return simple
    if problem.recourse.integer.any() and _has_big_m(problem):
        return simple
    if problem.recourse.integer.any():
        return ScreenedRecourse(problem, loaded, simple)
    return LinearRecourse(problem, loaded, simple)


def _is_finite_integer(problem: TwoStageProblem) -> bool:
    """Whether every recourse variable is an integer with finite bounds in all scenarios: others cannot be listed."""
    table = ScenarioTable(problem)
    ends = table.range_of("lower")[0], table.range_of("upper")[1]
    return bool(problem.recourse.integer.all() and all(np.isfinite(end).all() for end in ends))


def _has_big_m(problem: TwoStageProblem) -> bool:
    """Whether integer recourse has a big M: relaxations then look whole although they are not."""
    model = recourse_model(problem, np.zeros(problem.num_first_stage), problem.scenario(0))
    pattern = problem.recourse.matrix
    ends = ScenarioTable(problem).range_of("matrix")
    matrices = (sparse.csr_array((entries, pattern.indices, pattern.indptr), shape=pattern.shape) for entries in ends)
    return any(has_big_m(replace(model, matrix=matrix)) for matrix in matrices)
