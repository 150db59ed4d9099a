"""
Damage files and read them: every answer is a valid problem or one sentence (InputError), in bounded memory and time.

    python -m experiments run fuzz [--format smps npz ...] [--count 20000] [--seed 0] [--seconds 10]

Formats: smps (core, time and stoch files), npz, toml (plans), csv and parquet (tables), lp, mps, dat, solution (JSON)
and checkpoint (configuration and weights). A crash is a failure, and so is a case that takes longer than --seconds; the
number that is printed repeats it with --seed NUMBER --count 1.
"""

from __future__ import annotations

import resource
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from experiments.judges.damaged_files.targets import TARGETS, Files, Target
from experiments.judges.record import new_parser, publish
from neurprise.errors import InputError, InputWarning


def answer(target: Target, folder: Path, files: Files) -> str:
    """Read the files: 'read', or the name of the InputError; other exceptions escape, as does an endless sentence."""
    for name, raw in files.items():
        (folder / name).write_bytes(raw)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InputWarning)
            target.read(folder)
    except InputError as error:
        if len(str(error)) > 2000 or not str(error):
            raise RuntimeError(f"a sentence of {len(str(error))} characters") from error
        return type(error).__name__
    return "read"


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raise TimeoutError in the block after so many seconds."""

    def stop(number: int, frame: FrameType | None) -> NoReturn:
        raise TimeoutError(f"took longer than {seconds:g} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def run(name: str, seeds: range, seconds: float) -> dict[str, Any]:
    """Read one case per seed, count what came of them and measure the CPU; --seconds is wall-clock time."""
    answers: Counter[str] = Counter()
    slowest, start = 0.0, time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            before = time.process_time()
            try:
                with at_most(seconds):
                    answers[answer(TARGETS[name], Path(folder), TARGETS[name].damaged(seed))] += 1
            except Exception as error:
                answers["crashes"] += 1
                print(f"{name} {seed}: {type(error).__name__}: {str(error)[:300]}", file=sys.stderr)
            slowest = max(slowest, time.process_time() - before)
    return {
        "format": name,
        "cases": len(seeds),
        "read": answers["read"],
        "refused": len(seeds) - answers["read"] - answers["crashes"],
        "crashes": answers["crashes"],
        "cpu_s": time.process_time() - start,
        "slowest_cpu_ms": 1000 * slowest,
        "memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def main(argv: Sequence[str] | None = None) -> int:
    parser = new_parser(__doc__)
    parser.add_argument("--format", nargs="+", choices=list(TARGETS), default=list(TARGETS))
    parser.add_argument("--count", type=int, default=20000, help="cases of each format")
    parser.add_argument("--seed", type=int, default=0, help="of the first case")
    parser.add_argument("--seconds", type=float, default=10.0, help="longest time for one case")
    options = parser.parse_args(argv)
    seeds = range(options.seed, options.seed + options.count)
    rows = [run(name, seeds, options.seconds) for name in options.format]
    publish(options, "fuzz", rows, "damaged files")
    return 1 if any(row["crashes"] for row in rows) else 0
