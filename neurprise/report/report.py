"""The answer of solve(): a decision, its true worst case, a proved bound, and why the search stopped."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neurprise import arrays
from neurprise.arrays import Floats
from neurprise.clock import Deadline
from neurprise.errors import InputError
from neurprise.objectives import CVaR
from neurprise.problem import TwoStageProblem
from neurprise.recourse.engine import cost_scale
from neurprise.recourse.plan import Plan
from neurprise.report import page, serialization, tables, text, workbook
from neurprise.report.averages import Averages, averages_of
from neurprise.report.new_scenarios import NewScenarioRisk, new_scenario_risk
from neurprise.report.tables import AnswerTables, Which
from neurprise.search.session import Iteration, Status, regret_percent
from neurprise.search.verification import Verification
from neurprise.storage.whole_files import replace_file

if TYPE_CHECKING:
    from neurprise.report.comparison import Comparison
    from neurprise.report.insights import Insights
    from neurprise.report.tradeoff import Tradeoff
    from neurprise.search.ccg import SearchOutcome
    from neurprise.search.session import SearchSession

#: Seconds that the first printing of a report may spend on costs that its search did not need.
SECONDS_TO_PRICE = 1.0


@dataclass(frozen=True, eq=False)
class Report:
    """
    A first-stage decision with the proof of how good it is: lower_bound <= optimum <= value.

    `value` is the worst case unless `solve` was asked for another objective; regrets are costs in any case.

    For a maximisation all numbers are profits and the order is reversed: worst_case is the profit that x guarantees, no
    decision guarantees more than lower_bound, and worst_case <= optimum <= lower_bound.

    Parameters
    ----------
    x
        First-stage decision, shape (n,); None when none was found in time.
    worst_case
        Z(x) over all scenarios; inf when x is None, has no recourse in some scenario, or is not checked on all. Of a
        maximisation: the guaranteed profit, -inf where a cost would be inf.
    lower_bound
        Proved: no decision has a smaller worst case; -inf where nothing is proved. Of a maximisation: no decision
        guarantees a larger profit; inf where nothing is proved.
    gap_percent
        100 |value - lower_bound| / |lower_bound|: x is at most this many percent off the optimum; inf if the
        signs differ, because then no percentage is proved.
    absolute_gap
        |value - lower_bound|: x is at most this far off the optimum, in the unit of the costs.
    status
        Why the search stopped.
    scenarios
        Scenarios in the last reduced problem, in the order in which they were chosen.
    worst_scenario
        The scenario that attains worst_case; None where that is not known.
    infeasible_scenarios
        Scenarios in which x has no recourse.
    num_checked, num_scenarios
        Number of scenarios on which x was evaluated (all, unless time ran out), and number of all scenarios.
    runtime
        Wall-clock seconds of the whole call: reducing, solving, evaluating; not reading the problem, nor compiling.
    iterations
        Convergence history, one entry per reduced problem solved or scenario chosen; profits of a maximisation.
    num_solves
        Models over x given to the engine, those of reducing and of relaxations included; evaluating decisions is not
        counted. 0 where none was needed.
    reducer, solver
        Names of the method ("exact" without one) and the engine.
    maximize
        The source was a maximisation; all numbers here are profits.
    gains
        Rise of V(R) with each of the first `scenarios`, where the reducer computes it; None where it does not. Of a
        maximisation the first is V(R), each later one takes from it.
    scores
        Scores by which the reducer ranked the first `scenarios`, if it does; only their order has a meaning.
    verification
        Result of the second engine, if one was used.
    objective, objective_value
        Name of what was minimised, and its value for x over all scenarios; "worst" needs no second value.
    x_names
        Names of the first-stage variables, length n.
    scenario_names
        Names of the kept, worst and infeasible scenarios, by number.
    problem
        The problem, for recourse and tables; not part of JSON.
    totals
        Total cost in every scenario, shape (S,), as a cost; None where the search did not need each of them. Not part
        of JSON.
    averages_as_read
        What the JSON of a report that was read says of its averages.
    """

    x: Floats | None
    worst_case: float
    lower_bound: float
    status: Status
    scenarios: tuple[int, ...]
    worst_scenario: int | None
    runtime: float
    infeasible_scenarios: tuple[int, ...] = ()
    num_checked: int = 0
    num_scenarios: int = 0
    iterations: tuple[Iteration, ...] = ()
    num_solves: int = 0
    reducer: str = "exact"
    solver: str = "highs"
    maximize: bool = False
    gains: tuple[float, ...] | None = None
    scores: tuple[float, ...] | None = None
    verification: Verification | None = None
    objective: str = "worst"
    objective_value: float = math.inf
    x_names: tuple[str, ...] = field(default=(), repr=False)
    scenario_names: Mapping[int, str] = field(default_factory=dict, repr=False)
    problem: TwoStageProblem | None = field(default=None, repr=False)
    totals: Floats | None = field(default=None, repr=False)
    averages_as_read: Averages | None = field(default=None, repr=False)

    @property
    def value(self) -> float:
        """The value of the objective for x over all scenarios; inf, of profits -inf, where it is not known."""
        return self.worst_case if self.objective == "worst" else self.objective_value

    @property
    def is_regret(self) -> bool:
        """Whether value and bound are regrets, which nobody maximises."""
        return "regret" in self.objective

    @property
    def regret_bound(self) -> float:
        """The old name of `gap_percent`. Regret is the cost beyond the best had the scenario been known."""
        return self.gap_percent

    @property
    def gap_percent(self) -> float:
        """How many percent x can be off the optimum, at most; inf where no percentage is proved."""
        sign = -1.0 if self.maximize and not self.is_regret else 1.0
        return regret_percent(sign * self.value, sign * self.lower_bound, self._unit)

    @property
    def _unit(self) -> float:
        """Around zero, rounding is measured in it; regrets are differences of costs."""
        unit = 0.0 if self.problem is None else cost_scale(self.problem).unit
        if not self.is_regret or self.objective.startswith("relative"):
            return unit
        return max(unit, abs(self.worst_case)) if math.isfinite(self.worst_case) else unit

    @property
    def absolute_gap(self) -> float:
        """How far off the optimum x can be, at most; inf where one of both ends is unknown."""
        gap = self.value - self.lower_bound
        return max(-gap if self.maximize and not self.is_regret else gap, 0.0)

    @property
    def expected(self) -> float:
        """
        Mean cost by the problem's probabilities, equal ones where it has none; of a maximisation, mean profit.

        Infinite without a decision or without recourse in a scenario that is possible. If the search did not need every
        cost, all scenarios are evaluated now.
        """
        if self.x is None:
            return -math.inf if self.maximize else math.inf
        read = None if self.averages_as_read is None else self.averages_as_read.expected
        return self._plan.expected if read is None else read

    def cvar(self, level: float, *, problem: TwoStageProblem | None = None) -> float:
        """
        Mean cost of the worst scenarios that have the probability 1 - level together: 0.9 means the worst tenth.

        Of a maximisation, the mean of the lowest profits. Level 0 is `expected`.

        Parameters
        ----------
        problem
            The problem; needed by reports read from JSON.
        """
        if self.x is None:
            return -math.inf if self.maximize else math.inf
        return self._plan_for(problem).value(CVaR(level))

    @property
    def averages(self) -> Averages | None:
        """
        `expected` and `cvar` for text, JSON and page; None where the cost of some scenario is not known.

        If the search did not need every cost, the first question puts SECONDS_TO_PRICE into evaluating the others.
        """
        if self.x is None or self.problem is None:
            return self.averages_as_read
        complete = self.num_checked == self.num_scenarios and self.status is not Status.INTERRUPTED
        return averages_of(self._plan) if self._plan.is_priced or (complete and self._priced_soon) else None

    @cached_property
    def _priced_soon(self) -> bool:
        return self._plan.price_within(Deadline(SECONDS_TO_PRICE))

    @property
    def decision(self) -> dict[str, float] | None:
        """Name of the first-stage variable -> value; None when no decision was found in time."""
        if self.x is None:
            return None
        names = self.x_names or tuple(f"x[{i}]" for i in range(len(self.x)))
        return dict(zip(names, self.x.tolist(), strict=True))

    @property
    def worst_scenario_name(self) -> str | None:
        """Name of the scenario that attains worst_case; None where that is not known."""
        return None if self.worst_scenario is None else self.scenario_name(self.worst_scenario)

    def scenario_name(self, scenario: int) -> str:
        """Name of a scenario in this report; its number as text if it has none."""
        return self.scenario_names.get(scenario, str(scenario))

    def recourse(self, scenario: Any, *, problem: TwoStageProblem | None = None) -> dict[str, float]:
        """
        The recourse in a scenario: name of the recourse variable -> value.

        Parameters
        ----------
        scenario
            Name or number; any scenario of the problem.
        problem
            The problem; needed by reports read from JSON.
        """
        return self._plan_for(problem).recourse(scenario)

    def new_scenario_risk(
        self, confidence: float = 0.99, *, time_limit: float | None = None, problem: TwoStageProblem | None = None
    ) -> NewScenarioRisk:
        """
        How likely it is that a new scenario costs more than the worst case: are the scenarios enough?

        Stated only where the few scenarios that determine the decision are found, and solving again on these alone
        gives the same decision [Campi, Garatti and Ramponi 2018].

        Parameters
        ----------
        confidence
            The chance that scenarios drawn independently from one distribution lead to a true statement.
        time_limit
            Wall-clock seconds for solving again.
        problem
            The problem; needed by reports read from JSON.
        """
        deadline = Deadline(None if time_limit is None else arrays.nonnegative_number("time_limit", time_limit))
        return new_scenario_risk(self, None if self.x is None else self._plan_for(problem), confidence, deadline)

    def insights(
        self, confidence: float = 0.99, *, time_limit: float | None = None, problem: TwoStageProblem | None = None
    ) -> Insights:
        """
        The price of robustness, the value of perfect information (EVPI) and of the stochastic solution (VSS).

        Each is a proved interval, closed where the time suffices. This takes the search for the best mean, a solve for
        each scenario, and one for the mean of the data.

        Parameters
        ----------
        confidence, problem
            As for `new_scenario_risk`, whose answer is part of this.
        time_limit
            Wall-clock seconds for all of it.
        """
        from neurprise.report.insights import insights_of

        if self.x is None:
            raise InputError(f"no decision was found ({self.status.value}), so there is nothing to compare it with.")
        deadline = Deadline(None if time_limit is None else arrays.nonnegative_number("time_limit", time_limit))
        return insights_of(self, self._plan_for(problem), confidence, deadline)

    def to_frame(self, *, regret: bool = False, problem: TwoStageProblem | None = None) -> Any:
        """
        A pandas DataFrame with one row per scenario: cost, recourse_cost, kept.

        For a maximisation the columns are called profit and recourse_profit.

        Parameters
        ----------
        regret
            Add best_cost (best_profit), the best if the scenario were known in advance, and regret, the difference.
        """
        return tables.frame(self.tables(problem), regret)

    def to_csv(
        self,
        folder: str | Path,
        *,
        recourse: Which = None,
        regret: bool = False,
        neutral: bool = True,
        problem: TwoStageProblem | None = None,
    ) -> None:
        """
        Write decision.csv (name, value), costs.csv (scenario, cost) and recourse.csv (scenario, name, value).

        For a maximisation the headers say profit.

        Parameters
        ----------
        folder
            Created if it does not exist; existing files are replaced.
        recourse
            Scenarios in recourse.csv: "all", "kept", "worst", a name or number, or a list of them. By default
            all, or those kept if all would make more than a million rows.
        regret
            Add the columns best_cost and regret to costs.csv.
        neutral
            Put an apostrophe before names that a spreadsheet would execute, such as =1+1; `evaluate` and `start` read
            them without it. False writes every name as it is.
        """
        tables.write_csv(self.tables(problem), Path(folder), recourse, regret, neutral)

    def to_excel(
        self,
        path: str | Path,
        *,
        recourse: Which = None,
        regret: bool = False,
        problem: TwoStageProblem | None = None,
    ) -> None:
        """
        Write one workbook: summary, decision, a grid for each indexed variable, costs and recourse.

        Parameters as in `to_csv`.
        """
        workbook.write_excel(self.tables(problem), Path(path), recourse, regret)

    def to_html(
        self,
        path: str | Path,
        problem: TwoStageProblem | None = None,
        *,
        title: str | None = None,
        comparison: Comparison | None = None,
        regret: bool = False,
        provenance: Mapping[str, str] | None = None,
        tradeoff: Tradeoff | None = None,
        insights: Insights | None = None,
    ) -> None:
        """
        Write the answer as one self-contained page that needs no network.

        Parameters
        ----------
        problem
            The problem; needed by reports read from JSON for costs, plans and pictures.
        title
            Title of the page; by default the file's name.
        comparison
            The result of `nr.compare` for the same problem, to show other decisions as well.
        regret
            Add the best cost of every scenario if it were known in advance, and the regret.
        provenance
            Facts for the last section of the page, by name, such as {"file": "plan.toml"}.
        tradeoff, insights
            Results of `nr.tradeoff` and `insights` for the same problem, for sections of their own.
        """
        destination = Path(path)
        page.check_suffix(destination)
        title = destination.stem if title is None else title
        asked = (comparison, tradeoff, insights)
        made = page.render(self, title, problem, *asked, regret=regret, facts=provenance)
        replace_file(destination, made.encode("utf-8"))

    def tables(self, problem: TwoStageProblem | None = None) -> AnswerTables:
        """Decision, costs and recourse as rows of tables."""
        return AnswerTables(self._plan_for(problem), self.scenarios, self.worst_scenario, text.summary(self))

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON; unknown (infinite) numbers become None."""
        return serialization.to_dict(self)

    def to_json(self) -> str:
        """One JSON object with the field names of this class."""
        return serialization.to_json(self)

    @classmethod
    def from_json(cls, text: str) -> Report:
        """The report that `to_json` wrote; without its problem."""
        return serialization.from_json(cls, text)

    def __str__(self) -> str:
        return text.printed(self)

    def _repr_html_(self) -> str:
        return text.cell(self)

    def _plan_for(self, problem: TwoStageProblem | None) -> Plan:
        if problem is None or problem is self.problem:
            return self._plan
        return _plan_of(self, problem)

    @cached_property
    def _plan(self) -> Plan:
        if self.problem is None:
            raise InputError(
                "a report read from JSON does not contain its problem; pass the problem, e.g. "
                "report.recourse(scenario, problem=nr.read(...))."
            )
        return _plan_of(self, self.problem)


@dataclass(frozen=True)
class Goal:
    """
    An objective other than the worst case, as a report shows it.

    Parameters
    ----------
    problem
        Of the user; a search for regrets has another one, a minimisation.
    objective, value
        As in a report, the value as a cost.
    totals
        Total cost of the decision in every scenario, shape (S,); None where that is not known.
    """

    problem: TwoStageProblem
    objective: str
    value: float
    totals: Floats | None


def report_of(
    session: SearchSession,
    found: SearchOutcome,
    reducer: str,
    verification: Verification | None = None,
    goal: Goal | None = None,
) -> Report:
    """The report of a search outcome, in the user's sign and with the user's names."""
    searched = session.given_problem
    problem = searched if goal is None else goal.problem
    known = None if found.x is None else session.pool.exact_totals(found.x) if goal is None else goal.totals
    mentioned = {*found.scenarios, *found.infeasible_scenarios, *_known(found.worst_scenario)}
    labels = problem.scenario_labels
    return Report(
        x=found.x,
        worst_case=problem.in_users_sign(found.worst_case),
        lower_bound=searched.in_users_sign(found.lower_bound),
        status=found.status,
        scenarios=found.scenarios,
        worst_scenario=found.worst_scenario,
        infeasible_scenarios=found.infeasible_scenarios,
        num_checked=found.num_checked,
        num_scenarios=problem.num_scenarios,
        runtime=session.deadline.elapsed,
        iterations=tuple(step.in_users_sign(searched) for step in found.iterations),
        num_solves=found.num_solves,
        reducer=reducer,
        solver=session.engine.name,
        maximize=problem.maximize,
        gains=None if found.gains is None else tuple(searched.in_users_sign(gain) for gain in found.gains),
        scores=found.scores,
        verification=None if verification is None else verification.in_users_sign(searched),
        objective="worst" if goal is None else goal.objective,
        objective_value=math.inf if goal is None else searched.in_users_sign(goal.value),
        x_names=problem.first_stage_names,
        scenario_names={s: labels[s] for s in sorted(mentioned)},
        problem=problem,
        totals=known,
    )


def _known(scenario: int | None) -> tuple[int, ...]:
    return () if scenario is None else (scenario,)


def _plan_of(report: Report, problem: TwoStageProblem) -> Plan:
    if report.x is None:
        raise InputError(f"no decision was found ({report.status.value}), so it has no recourse and no costs.")
    same = (problem.num_first_stage, problem.num_scenarios) == (len(report.x), report.num_scenarios)
    if not same or any(problem.scenario_labels[s] != name for s, name in report.scenario_names.items()):
        raise InputError("the problem must be the problem of the report; sizes or names of scenarios differ.")
    return Plan(problem, report.x, report.solver, totals=report.totals if problem is report.problem else None)
