"""`neurprise tradeoff FILE`: decisions along the frontier between the worst case and another objective."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import neurprise as nr
from neurprise.cli.exits import FAILURE, INTERRUPTED, OK, complain
from neurprise.cli.options import (
    add_problem,
    add_solver,
    add_time_limit,
    new_command,
    read_problem,
    refuse_overwriting,
)
from neurprise.cli.output import check_destination, check_distinct, emit
from neurprise.cli.parser import relative_gap, whole_number

_DETAILS = """\
Find decisions between the best guarantee and the best mean: each has the least mean of all decisions whose worst case
keeps a limit, with a proof. The first line says what one percent of the guarantee buys. Ctrl-C and --time-limit end
with the points so far."""


def add_parser(commands: Any, summary: str) -> None:
    parser = new_command(commands, "tradeoff", summary, _DETAILS, "neurprise tradeoff sel.npz --points 9 --csv out.csv")
    add_problem(parser)
    add_solver(parser)
    words = "the other objective: expected (default), cvar:0.9, ..."
    parser.add_argument("--objective", default="expected", metavar="NAME", help=words)
    words = "number of limits on the worst case (default 9)"
    parser.add_argument("--points", type=whole_number(2), default=9, metavar="N", help=words)
    words = "relative gap at which the search for a point stops (default 1e-4)"
    parser.add_argument("--gap", type=relative_gap, default=1e-4, help=words)
    add_time_limit(parser, "stop with the points found so far")
    parser.add_argument("--csv", type=Path, metavar="PATH", help="write numbers and decisions as a table")
    parser.add_argument(
        "--report", type=Path, metavar="PATH", help="write the page of the best guarantee with the frontier"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Read, search, print and write."""
    files = {"--csv": args.csv, "--report": args.report}
    for path in files.values():
        check_destination(path)
    check_distinct(files)
    problem = read_problem(args)
    for option, path in files.items():
        refuse_overwriting(args, option, path)
    options = {"gap": args.gap, "time_limit": args.time_limit, "solver": args.solver}
    found = nr.tradeoff(problem, "worst", args.objective, args.points, **options)
    emit(args, str(found), found.to_dict())
    if args.csv is not None:
        found.to_csv(args.csv)
    if args.report is not None and found.points and found.status is not nr.Status.INTERRUPTED:
        best = nr.solve(problem, start=found.points[0].x, **options)
        best.to_html(args.report, title=args.file.name, tradeoff=found)
    return _exit_code(found)


def _exit_code(found: nr.Tradeoff) -> int:
    if found.status is nr.Status.INTERRUPTED:
        complain("interrupted; the points above are proved.")
        return INTERRUPTED
    if not found.points:
        complain("no decision was found in time; raise --time-limit.")
        return FAILURE
    return OK
