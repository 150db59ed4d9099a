"""
The one runner: measures what a spec asks for and the stored rows do not hold, and appends row after row.

Killed at any moment, the same command goes on where it was. Instances come one after another with all their methods, so
that a table can be printed at any time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from neurprise.bench.instances import InstanceSet, seeds
from neurprise.bench.methods import METHODS, Method
from neurprise.bench.optima import Optimum
from neurprise.bench.provenance import code, machine, provenance
from neurprise.bench.rows import Key, Row
from neurprise.bench.spec import Panel, Spec
from neurprise.errors import InputError
from neurprise.parallel.pools import Workers
from neurprise.parallel.shown import shown
from neurprise.parallel.units import completed
from neurprise.problems import get_family
from neurprise.solve import solve
from neurprise.storage.rows import open_rows, read_rows

OPTIMA = "optima.jsonl"
THIS_PROCESS = Workers()


@dataclass(frozen=True)
class Unit:
    """One method on one instance, at the budgets that are missing."""

    spec: str
    instances: InstanceSet
    seed: int
    method: str
    budgets: tuple[int, ...]

    def measured(self, optimum: Optimum) -> list[Row]:
        """Run the method."""
        _warm_up(self.instances.family)
        method: Method = METHODS[self.method]
        problem = self.instances.problem(self.seed)
        outcomes = method.outcomes(problem, self.budgets, self.seed, optimum)
        return [Row.of(self.spec, self.method, outcome, optimum, method.gap) for outcome in outcomes]


def run(
    spec: Spec,
    folder: Path,
    *,
    instances: int | None = None,
    sets: Sequence[str] | None = None,
    workers: Workers = THIS_PROCESS,
    mix: bool = False,
) -> tuple[int, int]:
    """
    Measure what is missing; how many rows were there before, and how many were added.

    Parameters
    ----------
    folder
        Where the rows of all specs are.
    instances
        At most so many of each panel.
    sets
        Only the panels of these sets of instances; None for all.
    workers
        Who measures; a row names the machine that did.
    mix
        Go on where rows were made by another version of the code.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with open_rows(folder / f"{spec.name}.jsonl") as rows:
        stored = rows.stored()
        if not mix:
            _refuse_other_code(spec, stored)
        known = {Row.from_dict(row).key for row in stored}
        work = missing(spec if sets is None else spec.only(sets), known, instances)
        optima = _optima(folder, work, workers)
        tasks = [(unit, optima[unit.instances.name, unit.seed]) for unit in work]
        units = completed(_measured, tasks, workers, name=_task_name)
        for _, (measured, where) in shown(units, "measuring", len(tasks)):
            for row in measured:
                rows.append({**row.to_dict(), **provenance(), "machine": where})
        return len(stored), rows.count - len(stored)


def missing(spec: Spec, known: set[Key], instances: int | None = None) -> list[Unit]:
    """What the spec asks for and the rows do not hold, instance by instance."""
    most = max(panel.count for panel in spec.panels)
    units = []
    for place, seed in enumerate(seeds(most if instances is None else min(instances, most))):
        for panel in spec.panels:
            units += [unit for method in panel.methods if (unit := _unit(spec, panel, method, place, seed, known))]
    return units


def stored_rows(spec: Spec, folder: Path) -> list[Row]:
    """The rows of a spec, also while it runs."""
    return [Row.from_dict(row) for row in read_rows(folder / f"{spec.name}.jsonl")]


def stored_optima(folder: Path) -> dict[tuple[str, int], Optimum]:
    """All optima known, by set and seed."""
    known = map(Optimum.from_row, read_rows(folder / OPTIMA))
    return {(one.instances, one.seed): one for one in known}


def _unit(spec: Spec, panel: Panel, method: str, place: int, seed: int, known: set[Key]) -> Unit | None:
    if place >= panel.count_of(method):
        return None
    budgets = panel.budgets if METHODS[method].takes_budget else (None,)
    wanted = [k for k in budgets if (panel.instances.name, seed, method, k) not in known]
    return Unit(spec.name, panel.instances, seed, method, tuple(k or 0 for k in wanted)) if wanted else None


def _refuse_other_code(spec: Spec, stored: list[dict[str, Any]]) -> None:
    others = sorted({row["commit"] for row in stored if row["tree"] != code().tree})
    if others:
        raise InputError(
            f"the rows of {spec.name} were made by other code (commit {', '.join(others)}), this is {code().commit}; "
            "pass --mix to go on with both, or remove its file to begin anew."
        )


def _measured(task: tuple[Unit, Optimum]) -> tuple[list[Row], str]:
    """On a worker: the rows of one unit, and the machine that measured them."""
    unit, optimum = task
    return unit.measured(optimum), machine()


def _optimum(task: tuple[InstanceSet, int]) -> Optimum:
    return Optimum.of(*task)


def _task_name(task: tuple[Unit, Optimum]) -> str:
    unit = task[0]
    return f"{unit.method} on {unit.instances.name}, seed {unit.seed}"


def _optima(folder: Path, work: list[Unit], workers: Workers) -> dict[tuple[str, int], Optimum]:
    """The optimum of every instance of the work; those that nobody knows are computed and stored first."""
    known = stored_optima(folder)
    wanted = {(unit.instances.name, unit.seed): unit for unit in work}
    tasks = [(unit.instances, unit.seed) for key, unit in wanted.items() if key not in known]
    units = completed(_optimum, tasks, workers, name=lambda task: f"{task[0].name}, seed {task[1]}")
    for _, optimum in shown(units, "solving to optimality", len(tasks)):
        with open_rows(folder / OPTIMA, wait=True) as rows:
            rows.append({**optimum.to_row(), **provenance()})
        known[optimum.instances, optimum.seed] = optimum
    return known


@cache
def _warm_up(family: str) -> None:
    """Load in this process what the first call of compiled functions loads, so that no row pays for it."""
    problem = get_family(family).draw([6], 3, 0)
    for method in ("random", "prise", "neurprise"):
        solve(problem, method, 2)
    list(METHODS["neur2ro"].outcomes(problem, (), 0, Optimum(family, 0, 1.0, 1.0, 0.0, "optimal", 0.0, 1)))
