"""
What a problem is worth, found without the package: by listing decisions, in exact arithmetic, or by two other engines.

    judge = Judge(statement)
    judge.value()             # V(all): inf if infeasible, -inf if the cost falls without limit, nan if undecided
    judge.recourse_cost(x, s)

A small problem is judged by brute force. Otherwise SCIP and Gurobi are called directly on one program of all
scenarios written here, and count where they agree; where they do not, exact branch and bound decides.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from experiments.judges.oracles import brute_force, engines
from experiments.judges.oracles.branching import exact_integer_minimum
from experiments.judges.oracles.program import Program, recourse_program, whole_program
from experiments.judges.oracles.rational import falls_without_limit
from experiments.judges.random_problems.statement import Statement
from neurprise.arrays import Floats

__all__ = ["ROUNDING", "Judge"]

#: Limits are missed by so much by rounding of the data alone (0.1 + 0.2 > 0.3).
ROUNDING = 1e-11
#: Two engines at their tightest tolerances agree within this, relative to values above 1.
AGREEMENT = 5e-7
#: Decisions that are priced at most where their costs must be computed one by one.
MOST_PRICED = 40


class Judge:
    """
    Values of one statement.

    Parameters
    ----------
    slack
        Rows and continuous bounds are moved apart by this much, relative to limits above 1.
    exact
        Ask no engine: what is not listed is left to exact branch and bound.
    """

    def __init__(self, statement: Statement, slack: float = ROUNDING, exact: bool = False) -> None:
        self.statement = statement
        self.slack = slack
        self._exact = exact
        self._values: dict[frozenset[int], float] = {}
        self._costs: dict[tuple[bytes, int], float] = {}
        self._totals: Floats | None = None
        self._points = brute_force.first_stage_points(self.statement, slack)
        if self._points is not None:
            self._totals = self._listed_costs(self._points)

    @property
    def lists_decisions(self) -> bool:
        """Whether values come from brute force."""
        return self._totals is not None or (self._exact and self._points is not None)

    @property
    def totals(self) -> Floats | None:
        """Total cost of every decision under every scenario, shape (decisions, S); None where they are too many."""
        if self._totals is None and self._points is not None and len(self._points) <= MOST_PRICED:
            self._totals = np.array([self.first_cost(x) + self.recourse_costs(x) for x in self._points])
            self._totals = self._totals.reshape(len(self._points), self.statement.num_scenarios)
        return self._totals

    def minimum(self, program: Program) -> float:
        """The least cost of a program written for this statement."""
        return _minimum(program.loosened(self.slack), self._exact)

    def value(self, scenarios: Sequence[int] | None = None) -> float:
        """V(R); all scenarios by default."""
        chosen = range(self.statement.num_scenarios) if scenarios is None else scenarios
        key = frozenset(chosen)
        if key not in self._values:
            self._values[key] = self._found(sorted(key))
        return self._values[key]

    def _found(self, scenarios: list[int]) -> float:
        if self._totals is not None:
            return float(self._totals[:, scenarios].max(axis=1).min(initial=math.inf))
        return self._best_listed(scenarios) if self.lists_decisions else self._solved(scenarios)

    def _best_listed(self, scenarios: list[int]) -> float:
        """The same for decisions that are too many to price all: a decision is left when one scenario is too dear."""
        assert self._points is not None
        best, waiting = math.inf, list(scenarios)
        for x in sorted(self._points, key=self.first_cost):
            worst = -math.inf
            for s in list(waiting):
                cost = self.first_cost(x) + self.recourse_cost(x, s)
                if math.isnan(cost):
                    return math.nan
                worst = max(worst, cost)
                if worst >= best:
                    waiting = [s, *(other for other in waiting if other != s)]  # it may be too dear again
                    break
            best = min(best, worst)
        return best

    def recourse_cost(self, x: Floats, s: int) -> float:
        """Q(x, s)."""
        key = (x.tobytes(), s)
        if key not in self._costs:
            listed = brute_force.whole_recourse_costs(self.statement, x[None], s, self.slack)
            self._costs[key] = self._recourse_cost(x, s) if listed is None else float(listed[0])
        return self._costs[key]

    def recourse_costs(self, x: Floats) -> Floats:
        """Q(x, s) of all scenarios, shape (S,)."""
        return np.array([self.recourse_cost(x, s) for s in range(self.statement.num_scenarios)])

    def first_cost(self, x: Floats) -> float:
        """offset + c'x."""
        return self.statement.offset + float(self.statement.c @ x)

    def worst_case(self, x: Floats) -> float:
        """Z(x); nan if one of its recourse costs is undecided."""
        return self.first_cost(x) + float(self.recourse_costs(x).max())

    def _listed_costs(self, points: Floats) -> Floats | None:
        """Total cost of every decision under every scenario, shape (points, S); None where that is too much work."""
        scenarios = range(self.statement.num_scenarios)
        columns = [brute_force.whole_recourse_costs(self.statement, points, s, self.slack) for s in scenarios]
        if any(column is None for column in columns):
            if len(points) * brute_force.num_programs(self.statement, scenarios) > brute_force.MOST_PROGRAMS:
                return None
            columns = [np.array([self.recourse_cost(x, s) for x in points]) for s in scenarios]
        return np.stack(columns, axis=1) + (self.statement.offset + points @ self.statement.c)[:, None]

    def _recourse_cost(self, x: Floats, s: int) -> float:
        program = recourse_program(self.statement, x, s).loosened(self.slack)
        most = 4 if self._exact else brute_force.MOST_PROGRAMS / 4  # exact branch and bound takes about as many
        if brute_force.num_programs(self.statement, [s]) <= most:
            return brute_force.mixed_minimum(program)
        return _minimum(program, self._exact)

    def _solved(self, scenarios: list[int]) -> float:
        return _minimum(whole_program(self.statement, scenarios, self.slack), self._exact)


def _minimum(program: Program, exact: bool) -> float:
    """The least cost, agreed on by two engines unless `exact`, or proved by exact branch and bound; nan if neither."""
    if (program.lower > program.upper).any() or (program.row_lower > program.row_upper).any():
        return math.inf
    solve = exact_integer_minimum if exact else _agreed
    if falls_without_limit(program):
        feasibility = solve(_without_costs(program))
        return -math.inf if feasibility == 0 else feasibility
    return solve(program)


def _agreed(program: Program) -> float:
    first, second = engines.gurobi(program).value, engines.scip(program).value
    if first == second or abs(first - second) <= AGREEMENT * max(1.0, abs(first)):
        return first
    return exact_integer_minimum(program)


def _without_costs(program: Program) -> Program:
    return Program(
        np.zeros(len(program.costs)),
        program.matrix,
        program.row_lower,
        program.row_upper,
        program.lower,
        program.upper,
        program.integer,
    )
