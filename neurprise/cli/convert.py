"""`neurprise convert FILE OUT`: write a problem in another format."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from neurprise.cli.exits import OK
from neurprise.cli.options import add_problem, new_command, read_problem, refuse_overwriting
from neurprise.cli.output import check_destination, emit
from neurprise.errors import counted
from neurprise.io import outputs, writer_of

_DETAILS = """\
Read a problem and write it in another format: .npz holds everything; .cor, .mps or .smps are SMPS (core, time and stoch
beside each other); .toml is a plan with its model and table; .dat holds selection without names; a name without a
suffix is a folder with a model for each scenario, as mpi-sppy reads it. What a format cannot hold is refused."""


def add_parser(commands: Any, summary: str) -> None:
    parser = new_command(commands, "convert", summary, _DETAILS, "neurprise convert plan.toml plan.cor")
    add_problem(parser)
    parser.add_argument("output", type=Path, metavar="OUT", help="file or folder to write")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Read, write, and say what was written."""
    writer_of(args.output)
    is_folder = args.output.is_dir() or not args.output.suffix
    check_destination(args.output.resolve().parent / "files" if is_folder else args.output)
    refuse_overwriting(args, "OUT", *outputs(args.output))
    problem = read_problem(args)
    problem.write(args.output)
    data = {"path": str(args.output), "family": problem.family, "num_scenarios": problem.num_scenarios}
    emit(args, f"{args.output}: {problem.family} with {counted(problem.num_scenarios, 'scenario')}", data)
    return OK
