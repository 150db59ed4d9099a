"""
What it costs to start: imports and help in CPU seconds, and the first answer with nothing compiled and with everything.

CPU seconds are those of a whole process, the interpreter included, user and system; of imports and help the least of
several runs. Bytecode is there, as `pip install` leaves it. "cold" begins with an empty folder for compiled code,
"warm" is the same program once more; "runtime s" is what the report says, and compiling is not in it.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Self

from experiments.instances.published import tiny_problem
from experiments.instances.sets import Made
from experiments.methods.base import GAP, Method, Task
from experiments.outcomes import Outcome
from experiments.places import ROOT
from experiments.spec import Panel, Spec

_FIRST_SOLVE = """
import json
import neurprise as nr
from neurprise.clock import compiling

report = nr.solve(nr.make_vertex_cover(20, 50, seed=7){arguments})
print(json.dumps({{"compiling s": compiling.seconds, "runtime s": report.runtime, "answer": report.worst_case}}))
"""


def run(arguments: Sequence[str], **environment: str) -> tuple[float, str]:
    """CPU seconds of a Python process, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "", **environment},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


@dataclass(frozen=True)
class Start:
    """A process that does nothing but start; the quickest of several."""

    title: str
    arguments: tuple[str, ...]
    repeats: int = 10
    gap: float = GAP
    takes_budget = False

    def smaller(self) -> Self:
        return replace(self, repeats=1)

    def outcomes(self, task: Task) -> Iterator[Outcome]:
        yield Outcome.timed(min(run(self.arguments)[0] for _ in range(self.repeats)))


@dataclass(frozen=True)
class FirstAnswer:
    """
    What a user may type first, in a process of its own.

    Parameters
    ----------
    call
        Arguments of `solve` behind the problem.
    warm
        Whether the same program has run before; else nothing is compiled.
    """

    title: str
    call: str
    warm: bool
    gap: float = GAP
    takes_budget = False

    def smaller(self) -> Self:
        """With what is compiled on this machine: compiling takes a minute."""
        return replace(self, warm=True)

    def outcomes(self, task: Task) -> Iterator[Outcome]:
        arguments = ["-c", _FIRST_SOLVE.format(arguments=self.call)]
        if self.warm:
            run(arguments)
            seconds, printed = run(arguments)
        else:
            with tempfile.TemporaryDirectory() as folder:
                seconds, printed = run(arguments, NUMBA_CACHE_DIR=folder)
        yield Outcome.timed(seconds, measured=json.loads(printed))


_BASE = "import numpy, scipy.sparse"
_STARTS = {
    "start-numpy": Start(_BASE, ("-c", _BASE)),
    "start-highspy": Start(f"{_BASE}, highspy", ("-c", f"{_BASE}, highspy")),
    "start-import": Start("import neurprise", ("-c", "import neurprise")),
    "start-names": Start("from neurprise import *", ("-c", "from neurprise import *")),
    "start-help": Start("neurprise --help", ("-m", "neurprise", "--help")),
    "start-solve-help": Start("neurprise solve --help", ("-m", "neurprise", "solve", "--help")),
}
_NETWORK = ', "neurprise", 6, time_limit=3'
_ANSWERS = {
    "first-exact-cold": FirstAnswer("solve(problem), cold", "", False),
    "first-exact-warm": FirstAnswer("solve(problem), warm", "", True),
    "first-neurprise-cold": FirstAnswer(f"solve(problem{_NETWORK}), cold", _NETWORK, False),
    "first-neurprise-warm": FirstAnswer(f"solve(problem{_NETWORK}), warm", _NETWORK, True),
}
METHODS: dict[str, Method] = {**_STARTS, **_ANSWERS}
STARTUP = Spec(
    "startup",
    "What it costs to start, and the first answer",
    (
        Panel(Made("process", tiny_problem, tiny_problem), 1, tuple(_STARTS), (), baseline="start-numpy"),
        Panel(Made("VC-20-50, seed 7", tiny_problem, tiny_problem), 1, tuple(_ANSWERS), ()),
    ),
    view="speed",
)
SPECS = (STARTUP,)
