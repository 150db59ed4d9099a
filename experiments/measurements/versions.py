"""An earlier commit of the package against today's, instance by instance in one run."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from experiments.baselines import earlier_version
from experiments.instances.sets import SETS
from experiments.methods import METHODS as ALL_METHODS
from experiments.methods.base import GAP, Method, Task
from experiments.outcomes import Outcome
from experiments.places import ROOT
from experiments.spec import Panel, Spec

_PROBE = Path(earlier_version.__file__).with_name("version_probe.py")
#: Before the relaxation, its cuts and local search were part of exact search.
BASE = "832e21e"
#: Sets and instances of each.
EXACT = {"SEL-50-100": 5, "VC-20-50": 5, "CFLP-30-30-50": 5, "VC-50-50": 3, "CFLP-70-70-50": 3}
PRISE = {"SEL-20-50": 5, "VC-20-50": 5, "CFLP-30-30-50": 5}


@dataclass(frozen=True)
class Version:
    """
    One search by the package as it was at a commit, in a process of its own.

    Parameters
    ----------
    task
        "exact", or the name of a reducer.
    commit
        None for the package as it is.
    seconds
        Wall-clock seconds of the search.
    """

    title: str
    task: str = "exact"
    commit: str | None = None
    gap: float = GAP
    seconds: float = 600.0
    takes_budget = False

    def missing(self) -> str | None:
        return None if self.commit is None else earlier_version.missing(self.commit)

    def outcomes(self, task: Task) -> Iterator[Outcome]:
        folder = ROOT if self.commit is None else earlier_version.package(self.commit)
        with tempfile.TemporaryDirectory() as temporary:
            path = Path(temporary) / "problem.npz"
            task.problem.write(path)
            arguments = [str(path), self.task, str(self.gap), str(self.seconds)]
            found = earlier_version.printed_by(_PROBE, arguments, folder)
        if "error" in found:  # it has no answer
            yield Outcome(None, 0, *(math.inf, -math.inf) * 2, 0.0, 0.0, 0.0, 0.0)
            return
        values, chosen = (found["worst_case"], found["lower_bound"]), tuple(found["scenarios"])
        seconds = (0.0, found["cpu_s"], 0.0, found["cpu_s"])
        yield Outcome(None, len(chosen), *values, *values, *seconds, chosen=chosen)


def since(commit: str) -> Spec:
    """Exact search and PRISE then and now."""
    panels = []
    for task, sets in (("exact", EXACT), ("prise", PRISE)):
        then, now = f"{task}-at-{commit}", f"{task}-now"
        ALL_METHODS[then] = Version(f"{task}, {commit}", task, commit)
        ALL_METHODS[now] = Version(f"{task}, now", task)
        panels += [Panel(SETS[name].unsolved(), n, (then, now), (), baseline=then) for name, n in sets.items()]
    return Spec(f"versions@{commit}", f"The package at {commit} against today's", tuple(panels), view="speed")


METHODS: dict[str, Method] = {}
SPECS = (since(BASE),)
