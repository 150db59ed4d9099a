"""How many files of the package a solve passes; each solve is the first of a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from experiments.instances.published import tiny_problem
from experiments.instances.sets import Made
from experiments.methods.base import GAP, Method, Task
from experiments.outcomes import Outcome
from experiments.places import ROOT
from experiments.spec import Panel, Spec


@dataclass(frozen=True)
class Files:
    """
    Parameters
    ----------
    solve
        Its name in `baselines.file_probe.SOLVES`.
    """

    title: str
    solve: str
    gap: float = GAP
    takes_budget = False

    def outcomes(self, task: Task) -> Iterator[Outcome]:
        command = [sys.executable, "-m", "experiments.baselines.file_probe", self.solve, "--json"]
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
        yield Outcome.timed(0.0, measured={"files": len(json.loads(done.stdout))})


METHODS: dict[str, Method] = {
    "files-one-variable": Files("nr.solve of the README's one-variable model", "one-variable"),
    "files-vertex-cover": Files('nr.solve(vertex cover, "neurprise", 6)', "vertex-cover"),
}
FILES = Spec(
    "solve-files",
    "How many files of the package one solve passes",
    (Panel(Made("solve", tiny_problem, tiny_problem), 1, tuple(METHODS), ()),),
    view="speed",
)
SPECS = (FILES,)
