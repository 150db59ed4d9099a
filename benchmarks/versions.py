"""
Answers and speed of an earlier commit against today's, by turns in one run, and what a call goes through.

    python -m benchmarks.versions COMMIT [--configurations VC-20-50 ...] [--instances 5] [--repeats 3] [--turns 2]

The earlier package is unpacked from git into a temporary folder; both run benchmarks/version_probe.py.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.record import RESULTS, geometric_mean, new_parser, publish, whole_table
from benchmarks.version_probe import LONG, PROBLEMS

_PROBE = Path(__file__).with_name("version_probe.py")
_HERE = RESULTS.parent
_VALUE_TOLERANCE = 1e-6


def unpack(commit: str, folder: Path) -> None:
    """The package of an earlier commit into the folder."""
    packed = subprocess.run(["git", "-C", str(_HERE), "archive", commit, "neurprise"], capture_output=True, check=False)
    if packed.returncode:
        raise SystemExit(f"git knows no commit {commit!r} with this package; give one of `git log --oneline`.")
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
        archive.extractall(folder, filter="data")


def printed_by(script: Path, arguments: Sequence[str], package: Path) -> dict[str, Any]:
    """The JSON object that a script prints when it runs with the package in this folder."""
    environment = {**os.environ, "PYTHONPATH": str(package)}
    command = [sys.executable, "-P", str(script), *arguments]
    done = subprocess.run(command, env=environment, cwd=package, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def probe(package: Path, names: list[str], instances: int, repeats: int) -> dict[str, Any]:
    """What the probe finds in the package in this folder."""
    return printed_by(_PROBE, [str(instances), str(repeats), *names], package)


def compare(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row for each task and configuration: CPU milliseconds of both, and how many answers differ."""
    rows = []
    for task, instance in dict.fromkeys((row["task"], row["instance"]) for row in new):
        before, after = (
            [row for row in rows_ if (row["task"], row["instance"]) == (task, instance)] for rows_ in (old, new)
        )
        seeds = sorted({row["seed"] for row in after})
        least = [[min(r["cpu_s"] for r in side if r["seed"] == seed) for seed in seeds] for side in (before, after)]
        values = [{row["seed"]: row["value"] for row in side} for side in (before, after)]
        ratios = [a / b for a, b in zip(*least, strict=True)]
        rows.append(
            {
                "task": task,
                "instance": instance,
                "instances": len(seeds),
                "old_ms": 1000 * geometric_mean(least[0]),
                "new_ms": 1000 * geometric_mean(least[1]),
                "old_to_new": geometric_mean(ratios),
                "better": sum(values[1][s] < values[0][s] - _VALUE_TOLERANCE for s in seeds),
                "worse": sum(values[1][s] > values[0][s] + _VALUE_TOLERANCE for s in seeds),
            }
        )
    return rows


def compare_answers(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row for each configuration and method: how many answers are the same, and the solves of both versions."""
    rows = []
    pairs = list(zip(old, new, strict=True))
    for instance, method in dict.fromkeys((row["instance"], row["method"]) for row in new):
        mine = [pair for pair in pairs if (pair[1]["instance"], pair[1]["method"]) == (instance, method)]
        both = [(a, b) for a, b in mine if "refused" not in a and "refused" not in b]
        rows.append(
            {
                "instance": instance,
                "method": method,
                "answers": len(mine),
                "refused": [sum("refused" in row for row in side) for side in zip(*mine, strict=True)],
                "same_scenarios": sum(a["scenarios"] == b["scenarios"] for a, b in both),
                "better": sum(b["worst_case"] < a["worst_case"] - _VALUE_TOLERANCE for a, b in both),
                "worse": sum(b["worst_case"] > a["worst_case"] + _VALUE_TOLERANCE for a, b in both),
                "tighter": sum(b["bound"] > a["bound"] + _VALUE_TOLERANCE for a, b in both),
                "looser": sum(b["bound"] < a["bound"] - _VALUE_TOLERANCE for a, b in both),
                "solves": [sum(row["solves"] for row in side) for side in zip(*both, strict=True)],
            }
        )
    return rows


def main(argv: list[str] | None = None) -> None:
    options = _parser().parse_args(argv)
    versions: dict[str, dict[str, Any]] = {"old": {"rows": []}, "new": {"rows": []}}
    with tempfile.TemporaryDirectory() as folder:
        unpack(options.commit, Path(folder))
        for _ in range(options.turns):
            for version, package in (("old", Path(folder)), ("new", _HERE)):
                found = probe(package, options.configurations, options.instances, options.repeats)
                versions[version] = {**found, "rows": versions[version]["rows"] + found["rows"]}
    old, new = versions["old"], versions["new"]
    times = compare(old["rows"], new["rows"])
    answers = compare_answers(old["answers"], new["answers"])
    tables = [whole_table(f"nr.solve at {options.commit} (old) and here (new), least CPU time", times)]
    if answers:
        tables.append(whole_table(f"answers with four scenarios, {options.commit} and here", answers))
    kept = [{**row, "old_commit": options.commit} for row in [*times, *answers]]
    publish(options, "versions", kept, tables, _notes(versions))


def _notes(versions: dict[str, dict[str, Any]]) -> list[str]:
    return [
        f"nr.solve(problem, 'neurprise', budget=6), {version}: {found['path']['files']} files, "
        f"{found['path']['calls']} calls, {found['path']['switches']} of them from one file to another"
        for version, found in versions.items()
        if found["path"] is not None
    ]


def _parser() -> argparse.ArgumentParser:
    parser = new_parser(__doc__)
    parser.add_argument("commit", help="the earlier version")
    short = [name for name in PROBLEMS if name not in LONG]
    parser.add_argument("--configurations", nargs="+", choices=PROBLEMS, default=short, help="which instances")
    parser.add_argument("--instances", type=int, default=5, help="instances of each configuration")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each instance in a turn; the quickest counts")
    parser.add_argument("--turns", type=int, default=2, help="how often old and new take turns")
    return parser


if __name__ == "__main__":
    main()
