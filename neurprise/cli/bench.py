"""`neurprise bench NAME`: run one of the repository's benchmarks."""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path
from typing import Any

import neurprise as nr
from neurprise.cli.exits import OK
from neurprise.cli.options import new_command
from neurprise.cli.output import emit
from neurprise.cli.values import unknown_name

#: Benchmarks measure the checkout they stand in, so they are not part of the installed package.
CHECKOUT = Path(nr.__file__).resolve().parents[1]

_DETAILS = """\
Run a benchmark of the repository (the module benchmarks/NAME.py); what follows NAME goes to it. Without NAME, list
them."""


def add_parser(commands: Any, summary: str) -> None:
    parser = new_command(commands, "bench", summary, _DETAILS, "neurprise bench exact --help")
    parser.add_argument("name", nargs="?", metavar="NAME", help="benchmark to run")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="...", help="arguments of the benchmark")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """List the benchmarks, or hand over to one of them."""
    names = benchmark_names(CHECKOUT / "benchmarks")
    if args.name is None:
        emit(args, "\n".join(names), {"benchmarks": names})
        return OK
    if args.name not in names:
        raise nr.InputError(f"a benchmark {unknown_name(args.name, names)}.")
    sys.path.insert(0, str(CHECKOUT))
    module = importlib.import_module(f"benchmarks.{args.name}")
    return int(module.main([*args.arguments, *(["--json"] if args.json else [])]) or OK)


def benchmark_names(folder: Path) -> list[str]:
    """The modules of benchmarks/ that have a main()."""
    names = [path.stem for path in sorted(folder.glob("*.py")) if "\ndef main(" in path.read_text(encoding="utf-8")]
    if not names:
        raise nr.InputError("benchmarks run from a checkout of the repository, and this is an installed package.")
    return names
