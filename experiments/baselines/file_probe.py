"""
Lists the files of the package that a solve passes: those with a function that runs between the call and its answer.

    python -m experiments.baselines.file_probe one-variable [--json]

Importing a file does not count, nor do the comprehensions of its body.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import FrameType

import neurprise as nr

PACKAGE = Path(nr.__file__).parent


def one_variable() -> Callable[[], nr.Report]:
    """The README's model: units made now, or bought later at a price that is not known yet."""
    problem = nr.TwoStageProblem.from_matrices(
        c=[3], A=None, d=None, G=[[1]], h=[0], E=[[1]], M=[[-1]], xi=[[8], [14], [11]], b=[[5], [2], [12]],
        x_integer=True, y_integer=True,
    )  # fmt: skip
    return lambda: nr.solve(problem)


def vertex_cover() -> Callable[[], nr.Report]:
    """Six of fifty scenarios, chosen by the shipped network."""
    problem = nr.make_vertex_cover(20, 50, seed=7)
    return lambda: nr.solve(problem, "neurprise", 6)


#: Name -> what makes the problem and gives its solve.
SOLVES = {"one-variable": one_variable, "vertex-cover": vertex_cover}


def files_passed(call: Callable[[], object]) -> list[str]:
    """Files of the package, relative to it, whose functions run during the call, in any thread of this process."""
    passed: set[str] = set()

    def watch(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_flags & CO_OPTIMIZED and not code.co_qualname.startswith("<"):
            passed.add(code.co_filename)

    threading.setprofile(watch)
    sys.setprofile(watch)
    try:
        call()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    inside = [Path(name) for name in passed if Path(name).is_relative_to(PACKAGE)]
    return sorted(path.relative_to(PACKAGE).as_posix() for path in inside)


def main(name: str, *options: str) -> None:
    """Print the files that one of the SOLVES passes."""
    files = files_passed(SOLVES[name]())
    print(json.dumps(files) if options else "\n".join([*files, f"{len(files)} files"]))


if __name__ == "__main__":
    main(*sys.argv[1:])
