"""
What it costs to start: imports and help in CPU seconds, and the first answer with nothing compiled and with everything.

    python -m benchmarks.startup [--repeats 10] [--no-cold]

CPU seconds are those of a whole process, the interpreter included, user and system; the least of several runs, which
take turns so that other work on the machine meets all of them. Bytecode is there, as `pip install` leaves it. "cold"
begins with an empty folder for compiled code, "warm" is the same program once more; runtime_s is what the report says,
and compiling is not in it.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.record import new_parser, publish, whole_table

ROOT = Path(__file__).resolve().parents[1]
BASE, WITH_ENGINE = "import numpy, scipy.sparse", "import numpy, scipy.sparse, highspy"
STARTS = {
    BASE: ["-c", BASE],
    WITH_ENGINE: ["-c", WITH_ENGINE],
    "import neurprise": ["-c", "import neurprise"],
    "from neurprise import *": ["-c", "from neurprise import *"],
    "neurprise --help": ["-m", "neurprise", "--help"],
    "neurprise solve --help": ["-m", "neurprise", "solve", "--help"],
}
ANSWER = ("worst_case", "lower_bound", "scenarios")
FIRST_SOLVE = """
import json
import neurprise as nr
from neurprise.clock import compiling

report = nr.solve(nr.make_vertex_cover(20, 50, seed=7), {arguments})
answer = {{name: getattr(report, name) for name in {names}}}
print(json.dumps({{"compiling_s": compiling.seconds, "runtime_s": report.runtime, **answer}}))
"""
#: What a user may type first.
FIRST_CALLS = {"solve(problem)": "", 'solve(problem, "neurprise", 6, time_limit=3)': '"neurprise", 6, time_limit=3'}


def run(arguments: Sequence[str], **environment: str) -> tuple[float, float, str]:
    """CPU seconds and wall-clock seconds of a Python process, and what it printed."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "", **environment},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, seconds, done.stdout


def starting(repeats: int) -> list[dict[str, Any]]:
    """CPU seconds of every start, and their ratios to importing numpy and scipy.sparse, without and with highspy."""
    least = {method: float("inf") for method in STARTS}
    for _ in range(repeats):
        for method, arguments in STARTS.items():
            least[method] = min(least[method], run(arguments)[0])
    return [
        {"method": method, "cpu_s": cpu, "ratio": cpu / least[BASE], "ratio_with_highspy": cpu / least[WITH_ENGINE]}
        for method, cpu in least.items()
    ]


def first_answers() -> list[dict[str, Any]]:
    """Each program twice: with an empty folder for compiled code, and with what the first run left there."""
    rows = []
    for method, call in FIRST_CALLS.items():
        arguments = ["-c", FIRST_SOLVE.format(arguments=call, names=ANSWER)]
        with tempfile.TemporaryDirectory() as folder:
            cold, warm = (_answered(method, code, arguments, folder) for code in ("cold", "warm"))
        if [cold[each] for each in ANSWER] != [warm[each] for each in ANSWER]:
            raise SystemExit(f"{method} answers otherwise when it is warm: {cold} and {warm}")
        rows += [cold, warm]
    return rows


def _answered(method: str, code: str, arguments: Sequence[str], folder: str) -> dict[str, Any]:
    cpu, seconds, output = run(arguments, NUMBA_CACHE_DIR=folder)
    return {"method": method, "code": code, "process_s": seconds, "cpu_s": cpu, **json.loads(output)}


def main(argv: Sequence[str] | None = None) -> None:
    parser = new_parser(__doc__)
    parser.add_argument("--repeats", type=int, default=10, help="runs of every start")
    parser.add_argument("--no-cold", action="store_true", help="leave out the first answers, which take a minute")
    options = parser.parse_args(argv)
    tables = {"Starting": starting(options.repeats)}
    if not options.no_cold:
        tables["The first answer, VC-20-50"] = first_answers()
    kept = [row for rows in tables.values() for row in rows]
    publish(options, "startup", kept, [whole_table(title, rows) for title, rows in tables.items()])


if __name__ == "__main__":
    main()
