"""The answer as tables: the decision, the costs of every scenario, the recourse of some or all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from neurprise.errors import InputError
from neurprise.recourse.plan import Plan
from neurprise.report.regret import hindsight_costs, regrets

Row = tuple[Any, ...]
#: Scenarios chosen by a word, a name, a number or a list of them; None leaves the choice to their number.
Which = str | int | Iterable[str | int] | None

#: The recourse of all scenarios is shown unasked while it has at most so many entries.
RECOURSE_ROWS = 1_000_000


@dataclass(frozen=True)
class AnswerTables:
    """
    Rows of tables, headers apart; all numbers in the user's sign.

    Parameters
    ----------
    plan
        The decision and what follows from it.
    kept
        Scenarios in the last reduced problem.
    worst
        The worst scenario, where it is known.
    """

    plan: Plan
    kept: tuple[int, ...] = ()
    worst: int | None = None

    def decision(self) -> list[Row]:
        """(name, value) of every first-stage variable."""
        return list(self.plan.decision.items())

    def costs(self, regret: bool = False) -> dict[str, list[Any]]:
        """Columns, one entry per scenario: scenario and cost, with `regret` also best_cost and regret."""
        total = self.plan.total_costs
        columns = {"scenario": list(self.plan.problem.scenario_labels), "cost": total.tolist()}
        if regret:
            best = hindsight_costs(self.plan)
            columns |= {
                "best_cost": best.tolist(),
                "regret": regrets(total, best, self.plan.problem.maximize).tolist(),
            }
        return columns

    def frame_columns(self, regret: bool = False) -> dict[str, list[Any]]:
        """The columns of `costs`, and the recourse's part of the cost, and whether the scenario was kept."""
        columns = self.costs(regret)
        kept = np.isin(np.arange(self.plan.problem.num_scenarios), self.kept)
        return columns | {"recourse_cost": self.plan.recourse_costs.tolist(), "kept": kept.tolist()}

    def recourse(self, which: Which = None) -> Iterator[Row]:
        """(scenario, name, value) of every recourse variable; scenarios without an optimal recourse are left out."""
        labels, finite = self.plan.problem.scenario_labels, ~np.isinf(self.plan.recourse_costs)
        names = self.plan.problem.recourse_names
        for s in self.chosen(which):
            if finite[s]:
                values = self.plan.recourse_vector(s).tolist()
                yield from ((labels[s], name, value) for name, value in zip(names, values, strict=True))

    def chosen(self, which: Which) -> list[int]:
        """The numbers of these scenarios, each once, in the order asked for."""
        if which is None:
            few = self.plan.problem.num_scenarios * self.plan.problem.num_recourse <= RECOURSE_ROWS
            which = "all" if few else "kept"
        several = [which] if isinstance(which, (str, int)) else list(which)
        return list(dict.fromkeys(s for one in several for s in self._meant_by(one)))

    def _meant_by(self, scenario: Any) -> tuple[int, ...]:
        """The scenarios that a word stands for, or the one that a name or a number stands for."""
        if scenario == "all":
            return tuple(range(self.plan.problem.num_scenarios))
        worst = () if self.worst is None else (self.worst,)
        if scenario == "kept":
            return (*self.kept, *worst)
        if scenario != "worst":
            return (self.plan.problem.scenario_index(scenario),)
        if not worst:
            raise InputError("the worst scenario is not known, because x is not checked on all; name another one.")
        return worst
