"""nr.compare: several decisions, compared over all scenarios."""

from __future__ import annotations

import importlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np

from neurprise import arrays
from neurprise.arrays import Floats, frozen
from neurprise.clock import Deadline
from neurprise.errors import InfeasibleProblemError, InputError, MissingDependencyError, counted, visible
from neurprise.io.decision import decision_from, objective_of
from neurprise.problem import TwoStageProblem, checked_problem
from neurprise.problem.display import table
from neurprise.progress import ProgressLine, progress_line
from neurprise.recourse.evaluator import Evaluator
from neurprise.recourse.plan import Plan
from neurprise.report.text import in_columns, number, words_of
from neurprise.search.ccg import search_exactly
from neurprise.search.session import LiveLine, SearchSession, Status

#: Names of the decisions for the mean of all scenarios and for their expectation.
MEAN, EXPECTED = "best for the mean of the data", "best for the expectation of the data"
#: Relative gap of decisions for a single certain scenario, the default of `solve`.
CERTAIN_GAP = 1e-4


@dataclass(frozen=True, eq=False)
class Comparison:
    """
    The total cost of each decision in each scenario; for a maximisation, the profit.

    Parameters
    ----------
    names
        Names of the decisions, length D.
    scenario_names
        Length S.
    decisions
        Shape (D, n).
    totals
        Total cost of every decision under every scenario, first stage and offset included, shape (D, S); inf (-inf
        for profits) without recourse.
    probabilities
        Probabilities of the scenarios, shape (S,); None if unknown.
    maximize
        True: totals are profits, and the worst is the smallest.
    meant_for
        Name of a decision -> the columns that it was meant for, the only ones in which it can have a star: the worst
        case, or the mean, for an answer of `solve` by its objective; none for a decision that was made for one scenario
        alone, since the best for the mean of the data does not have the best mean. Other decisions can have a star in
        every column.
    """

    names: tuple[str, ...]
    scenario_names: tuple[str, ...]
    decisions: Floats
    totals: Floats
    probabilities: Floats | None
    maximize: bool
    meant_for: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def worst_case(self) -> Floats:
        """Worst total of every decision, shape (D,)."""
        return np.asarray(self.totals.min(axis=1) if self.maximize else self.totals.max(axis=1))

    @property
    def worst_scenario_names(self) -> tuple[str, ...]:
        """Worst scenario of each decision, length D."""
        places = self.totals.argmin(axis=1) if self.maximize else self.totals.argmax(axis=1)
        return tuple(self.scenario_names[s] for s in places)

    @property
    def mean(self) -> Floats:
        """Unweighted mean total over the scenarios, shape (D,); infinite if some scenario has no recourse."""
        return np.asarray(self.totals.mean(axis=1))

    @property
    def expected(self) -> Floats | None:
        """Expected total, shape (D,); None without probabilities. Scenarios of probability zero do not count."""
        if self.probabilities is None:
            return None
        likely = self.probabilities > 0
        return np.asarray(self.totals[:, likely] @ self.probabilities[likely])

    @property
    def num_infeasible(self) -> tuple[int, ...]:
        """Number of scenarios without recourse for each decision, length D."""
        return tuple((self.totals == words_of(self).no_recourse).sum(axis=1).tolist())

    def summary(self) -> dict[str, dict[str, Any]]:
        """Name of the decision -> its worst, mean and expected total, worst scenario and scenarios without recourse."""
        columns: dict[str, Any] = {
            "worst_case": self.worst_case.tolist(),
            "worst_scenario": self.worst_scenario_names,
            "mean": self.mean.tolist(),
            "infeasible": self.num_infeasible,
        }
        if self.expected is not None:
            columns["expected"] = self.expected.tolist()
        rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
        return dict(zip(self.names, rows, strict=True))

    @property
    def titles(self) -> dict[str, str]:
        """Columns of numbers in `summary` -> their titles."""
        expected = {} if self.expected is None else {"expected": "expected"}
        return {"worst_case": "worst profit" if self.maximize else "worst case", "mean": "mean"} | expected

    def best(self, column: str) -> list[bool]:
        """
        Which decisions have the best value of a column, length D.

        A single decision and infinite values are never the best, nor is a decision that was not meant for this column.
        """
        values = getattr(self, column).tolist()
        best = max(values) if self.maximize else min(values)
        comparable = len(values) > 1 and math.isfinite(best)
        return [
            comparable and value == best and column in self.meant_for.get(name, (column,))
            for name, value in zip(self.names, values, strict=True)
        ]

    def cells(self) -> list[list[str]]:
        """A header and one line per decision; a star marks the best value of a column."""
        rows = self.summary()
        columns = [["", *map(visible, rows)]]
        for key, title in self.titles.items():
            stars = ["*" if best else " " for best in self.best(key)]
            columns.append([title, *(number(row[key]) + star for row, star in zip(rows.values(), stars, strict=True))])
        columns.append(["worst in", *(visible(row["worst_scenario"]) for row in rows.values())])
        columns.append(["no recourse in", *(_count(row["infeasible"]) for row in rows.values())])
        return [list(line) for line in zip(*columns, strict=True)]

    def __str__(self) -> str:
        return "\n".join([in_columns(self.cells(), self.right_columns), *footnote(self.meant_for)])

    def _repr_html_(self) -> str:
        header, *rows = self.cells()
        notes = "".join(f"<p>{escape(note)}</p>" for note in footnote(self.meant_for))
        return f"<div>{table(header, rows)}{notes}</div>"

    @property
    def right_columns(self) -> range:
        """Columns of `cells` that hold numbers."""
        return range(1, len(self.titles) + 1)

    def to_dict(self) -> dict[str, Any]:
        """Plain data: the summary of every decision, and its total by scenario."""
        by_scenario = [dict(zip(self.scenario_names, row, strict=True)) for row in self.totals.tolist()]
        return {
            "maximize": self.maximize,
            "decisions": self.summary(),
            "totals": dict(zip(self.names, by_scenario, strict=True)),
        }

    def to_frame(self) -> Any:
        """Totals as a DataFrame of pandas: one row per scenario, one column per decision."""
        try:
            pandas = importlib.import_module("pandas")
        except ImportError:
            raise MissingDependencyError("to_frame needs pandas; install it with: pip install pandas.") from None
        return pandas.DataFrame(self.totals.T, index=list(self.scenario_names), columns=list(self.names))


def compare(
    problem: TwoStageProblem,
    decisions: Mapping[str, Any],
    *,
    mean: bool = False,
    nominal: int | str | None = None,
    solver: str = "highs",
    time_limit: float | None = None,
) -> Comparison:
    """
    Compare decisions over all scenarios.

    Parameters
    ----------
    decisions
        Name -> decision: a Report, numbers in order, a dict or Series by name, or the JSON file of an answer.
    mean
        Add the best decision for the mean of all scenarios and, with probabilities, for their expectation. This is
        the result of planning without uncertainty.
    nominal
        Add the best decision for this scenario alone, by number or name.
    solver
        Engine, used if the family has no oracle.
    time_limit
        Wall-clock seconds for each decision that `mean` and `nominal` add; the best decision found by then is used.
    """
    given = _checked(checked_problem("compare", problem), decisions)
    seconds = None if time_limit is None else arrays.nonnegative_number("time_limit", time_limit)
    certain = _certain_problems(problem, mean, nominal)
    for name in certain:
        if name in given:
            raise InputError(f"{name!r} is the name of a decision that compare adds; choose another name.")
    with progress_line() as line:
        named = {**given, **_planned_without_uncertainty(certain, solver, seconds, line)}
        if not named:
            raise InputError("compare needs at least one decision, got none; pass one, mean=True or nominal=0.")
        totals = _totals(problem, named, solver, line)
    return Comparison(
        names=tuple(named),
        scenario_names=problem.scenario_labels,
        decisions=frozen(np.array(list(named.values()))),
        totals=frozen(totals),
        probabilities=problem.probabilities,
        maximize=problem.maximize,
        meant_for=_aims(problem, decisions) | dict.fromkeys(certain, ()),
    )


def mean_problem(problem: TwoStageProblem, weights: Floats) -> TwoStageProblem:
    """The problem whose only scenario is the weighted mean of all; weights of shape (S,) that sum to one."""
    likely = weights > 0
    with np.errstate(invalid="ignore"):
        values = weights[likely] @ problem.scenario_data[likely]
    if np.isnan(values).any():
        raise InputError("scenarios with limits of both inf and -inf have no mean; leave out mean=True.")
    return problem.with_scenarios(values[None, :])


def _checked(problem: TwoStageProblem, decisions: Any) -> dict[str, Floats]:
    if not isinstance(decisions, Mapping):
        raise InputError(
            f"compare takes decisions by name, {{'ours': x, ...}}, got {type(decisions).__name__}; give each a name."
        )
    for name in decisions:
        if not isinstance(name, str) or not name.strip():
            raise InputError(f"names of decisions must be texts, got {name!r}.")
    return {name: decision_from(problem, source, f"decision {name!r}") for name, source in decisions.items()}


def _aims(problem: TwoStageProblem, decisions: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Name of an answer of `solve` -> the column that its search was about, if there is one."""
    mean = "mean" if problem.probabilities is None else "expected"
    columns = {"worst": ("worst_case",), "expected": (mean,)}
    found = {name: objective_of(source) for name, source in decisions.items()}
    return {name: columns.get(objective, ()) for name, objective in found.items() if objective is not None}


def _certain_problems(problem: TwoStageProblem, mean: bool, nominal: Any) -> dict[str, TwoStageProblem]:
    """Name of a scenario -> the problem with this scenario alone."""
    certain = {}
    if mean:
        count = problem.num_scenarios
        certain[MEAN] = mean_problem(problem, np.full(count, 1.0 / count))
        if problem.probabilities is not None:
            certain[EXPECTED] = mean_problem(problem, problem.probabilities)
    if nominal is not None:
        index = problem.scenario_index(nominal)
        certain[f"best for scenario {problem.scenario_labels[index]}"] = problem.restrict([index])
    return certain


def _planned_without_uncertainty(
    certain: Mapping[str, TwoStageProblem], solver: str, seconds: float | None, line: ProgressLine
) -> dict[str, Floats]:
    found = {}
    for name, alone in certain.items():
        line.say(f"looking for the decision: {name}")
        found[name] = best_if_certain(alone, name, solver, Deadline(seconds), line)
    return found


def best_if_certain(alone: TwoStageProblem, name: str, solver: str, deadline: Deadline, line: ProgressLine) -> Floats:
    try:
        with SearchSession(alone, solver, deadline, LiveLine(line)) as session:
            found = search_exactly(session, CERTAIN_GAP)
    except InfeasibleProblemError as error:
        raise InputError(f"no decision is feasible, let alone {name}; leave it out: {error}") from None
    if found.status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    return decision_from(alone, found, f"the decision {name}")


def _totals(problem: TwoStageProblem, decisions: Mapping[str, Floats], solver: str, line: ProgressLine) -> Floats:
    """Total cost or profit of each decision under each scenario, shape (D, S)."""
    evaluator = Evaluator(problem, solver, say=line.say)
    plans = (Plan(problem, x, solver, evaluator.evaluate(x).recourse_costs) for x in decisions.values())
    return np.array([plan.total_costs for plan in plans])


def footnote(meant_for: Mapping[str, tuple[str, ...]]) -> list[str]:
    """One line about the decisions that get no star; empty where there are none."""
    names = "; ".join(visible(name) for name, columns in meant_for.items() if not columns)
    return [f"no star, because meant for none of these columns: {names}"] if names else []


def _count(scenarios: int) -> str:
    return "-" if scenarios == 0 else counted(scenarios, "scenario")
