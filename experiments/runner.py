"""
The one runner: measures what a spec asks for and the stored rows do not hold, and appends row after row.

Killed at any moment, the same command goes on where it was. Instances come one after another with all their methods, so
that a table can be printed at any time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from experiments.instances.sets import FIRST_SEED, Instances, InstanceSet, seeds
from experiments.methods import METHODS
from experiments.methods.base import Method, Task, why_not
from experiments.methods.trained import Trained
from experiments.optima import Optimum
from experiments.places import Places
from experiments.provenance import code, machine, provenance
from experiments.row import Key, Row
from experiments.row_files import RowFile
from experiments.spec import Panel, Spec
from neurprise.api import solve
from neurprise.errors import InputError
from neurprise.parallel.workers import THIS_PROCESS, Workers, completed
from neurprise.storage.rows import unfinished_before
from neurprise.training.line_store import shown

OPTIMA = "optima"


@dataclass(frozen=True)
class Unit:
    """One method on one instance, at the budgets that are missing."""

    spec: str
    instances: Instances
    seed: int
    method: str
    budgets: tuple[int, ...]

    def measured(self, method: Method, optimum: Optimum, checkpoints: Path) -> list[Row]:
        """Run the method."""
        _warm_up(self.instances.smaller())
        problem, seconds = self.instances.problem(self.seed), self.instances.reduced_seconds
        task = Task(problem, self.budgets, self.seed, optimum, checkpoints, seconds, self.instances)
        return [Row.of(self.spec, self.method, outcome, optimum, method.gap) for outcome in method.outcomes(task)]


def run(
    spec: Spec,
    places: Places,
    *,
    instances: int | None = None,
    sets: Sequence[str] | None = None,
    only: Sequence[str] | None = None,
    workers: Workers = THIS_PROCESS,
    mix: bool = False,
    methods: Mapping[str, Method] = METHODS,
) -> tuple[int, int]:
    """
    Measure what is missing; how many rows were there before, and how many were added.

    Parameters
    ----------
    instances
        At most so many of each panel.
    sets, only
        Only these sets of instances, only these methods; None for all.
    workers
        Who measures; a row names the machine that did.
    mix
        Go on where rows were made by another version of the code.
    methods
        By name.
    """
    if spec.rows_of:
        raise InputError(f"{spec.name} shows the rows of {', '.join(spec.rows_of)}; run those.")
    file = RowFile(places.rows, spec.name)
    with file.appending(provenance()) as rows, unfinished_before(file.path) as cut_short:
        # Perhaps by a unit that crashed it: then it is done by a process that may crash.
        workers = replace(workers, apart=cut_short)
        if not mix:
            _refuse_other_code(spec, rows.stored)
        work = missing(spec.only(sets, only), {Row.from_dict(row).key for row in rows.stored}, methods, instances)
        _refuse_what_cannot_run(work, methods)
        _train(work, methods, places, workers)
        optima = _optima(places.rows, work, workers)
        tasks = [
            (unit, methods[unit.method], optima[unit.instances.name, unit.seed], places.checkpoints) for unit in work
        ]
        units, added = completed(_measured, tasks, workers, name=_task_name), 0
        for _, (measured, where) in shown(units, "measuring", len(tasks)):
            elsewhere = {} if where == machine() else {"machine": where}
            for row in measured:
                rows.append({**row.to_dict(), **elsewhere})
            added += len(measured)
        return len(rows.stored), added


def train(
    spec: Spec,
    places: Places,
    *,
    only: Sequence[str] | None = None,
    workers: Workers = THIS_PROCESS,
    methods: Mapping[str, Method] = METHODS,
) -> list[str]:
    """Label and train the networks of an experiment, or of some of its methods, that are not there; their names."""
    return _train(missing(spec.only(None, only), set(), methods, 1), methods, places, workers)


def missing(
    spec: Spec, known: set[Key], methods: Mapping[str, Method] = METHODS, instances: int | None = None
) -> list[Unit]:
    """What the spec asks for and the rows do not hold, instance by instance."""
    most = max((panel.count for panel in spec.panels), default=0)
    units = []
    for place, seed in enumerate(seeds(most if instances is None else min(instances, most))):
        for panel in spec.panels:
            if place < panel.count:
                found = [_unit(spec, panel, name, methods[name].takes_budget, seed, known) for name in panel.methods]
                units += [unit for unit in found if unit is not None]
    return units


def stored_rows(spec: Spec, folder: Path) -> list[Row]:
    """The rows that a spec shows, its own and those of others, also while it runs."""
    names = (spec.name, *spec.rows_of)
    return [Row.from_dict(row) for name in names for row in RowFile(folder, name).read()]


def stored_optima(folder: Path) -> dict[tuple[str, int], Optimum]:
    """All optima known, by set and seed."""
    known = map(Optimum.from_row, RowFile(folder, OPTIMA).read())
    return {(one.instances, one.seed): one for one in known}


def _unit(spec: Spec, panel: Panel, method: str, takes_budget: bool, seed: int, known: set[Key]) -> Unit | None:
    budgets = panel.budgets if takes_budget else (None,)
    wanted = [k for k in budgets if (panel.instances.name, seed, method, k) not in known]
    return Unit(spec.name, panel.instances, seed, method, tuple(k or 0 for k in wanted)) if wanted else None


def _refuse_other_code(spec: Spec, stored: list[dict[str, Any]]) -> None:
    others = sorted({row["commit"] for row in stored if row["tree"] != code().tree})
    if others:
        raise InputError(
            f"the rows of {spec.name} were made by other code (commit {', '.join(others)}), this is {code().commit}; "
            "pass --mix to go on with both, or remove its file to begin anew."
        )


def _refuse_what_cannot_run(work: list[Unit], methods: Mapping[str, Method]) -> None:
    """Before anything is measured."""
    for name in dict.fromkeys(unit.method for unit in work):
        reason = why_not(methods[name])
        if reason is not None:
            raise InputError(f"{name} cannot be measured here: {reason}; name the others with --methods.")


def _train(work: list[Unit], methods: Mapping[str, Method], places: Places, workers: Workers) -> list[str]:
    """Train the networks that the work needs and that are not there yet, several at the same time; their names."""
    commands = {unit.method: f"python -m experiments run {unit.spec} --methods {unit.method} --train" for unit in work}
    needed = {
        method.checkpoint: (method, command)
        for name, command in commands.items()
        if isinstance(method := methods[name], Trained) and not method.is_trained(places.checkpoints)
    }
    for network, _ in needed.values():
        network.label(places.labels, workers.jobs)
    # Checkpoints are files of this machine.
    here = workers if workers.cluster is None else THIS_PROCESS
    tasks = [(network, places.checkpoints, places.labels, command) for network, command in needed.values()]
    units = completed(_trained, tasks, here, name=lambda task: str(task[0].checkpoint))
    return [str(network.checkpoint) for (network, *_), _ in shown(units, "training", len(tasks))]


def _trained(task: tuple[Trained, Path, Path, str]) -> None:
    """On a worker."""
    network, checkpoints, labels, command = task
    network.train(checkpoints, labels, command)


def _optima(folder: Path, work: list[Unit], workers: Workers) -> dict[tuple[str, int], Optimum]:
    """The optimum of every instance of the work; those that nobody knows are computed and stored first."""
    known = stored_optima(folder)
    wanted = {(unit.instances.name, unit.seed): unit.instances for unit in work}
    unsolved = [key for key, instances in wanted.items() if instances.exact_seconds is None]
    known |= {key: Optimum.unknown(*key) for key in unsolved}
    tasks = [(instances, key[1]) for key, instances in wanted.items() if key not in known]
    units = completed(_optimum, tasks, workers, name=lambda task: f"{task[0].name}, seed {task[1]}")
    for _, optimum in shown(units, "solving to optimality", len(tasks)):
        with RowFile(folder, OPTIMA).appending(provenance(), wait=True) as rows:
            rows.append(optimum.to_row())
        known[optimum.instances, optimum.seed] = optimum
    return known


def _optimum(task: tuple[Instances, int]) -> Optimum:
    _warm_up(task[0].smaller())
    return Optimum.of(*task)


def _measured(task: tuple[Unit, Method, Optimum, Path]) -> tuple[list[Row], str]:
    """On a worker: the rows of one unit, and the machine that measured them."""
    unit, method, optimum, checkpoints = task
    return unit.measured(method, optimum, checkpoints), machine()


def _task_name(task: tuple[Unit, Method, Optimum, Path]) -> str:
    unit = task[0]
    return f"{unit.method} on {unit.instances.name}, seed {unit.seed}"


@cache
def _warm_up(tiny: Instances) -> None:
    """Load in this process what the first call of compiled functions loads, so that no row pays for it."""
    problem = tiny.problem(FIRST_SEED)
    solve(problem)
    for method in ("random", "prise", "neurprise"):
        solve(problem, method, 2)
    if isinstance(tiny, InstanceSet):
        list(METHODS["neur2ro"].outcomes(Task(problem, (), 0, Optimum.unknown(tiny.name, 0), Path())))
