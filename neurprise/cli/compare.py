"""`neurprise compare FILE --solution a.json --solution b.json`: compare decisions over all scenarios."""

from __future__ import annotations

import argparse
from typing import Any

import neurprise as nr
from neurprise.cli.exits import OK
from neurprise.cli.options import add_problem, add_solver, new_command, read_decisions, read_problem
from neurprise.cli.output import print_json, show_table
from neurprise.report.comparison import footnote

_DETAILS = """\
Compare the costs of several first-stage decisions over all scenarios: worst, mean and, with probabilities, expected.
A decision is a JSON file that `neurprise solve -o` writes or `neurprise evaluate` reads. To choose its name, write
--solution today=plan.json. A star marks the best value of a column if the decision was meant for that column."""


def add_parser(commands: Any, summary: str) -> None:
    example = "neurprise compare sel.npz --solution robust.json --solution today=plan.json --mean"
    parser = new_command(commands, "compare", summary, _DETAILS, example)
    add_problem(parser)
    add_solver(parser)
    parser.add_argument(
        "--solution",
        action="append",
        default=[],
        metavar="[NAME=]PATH",
        help="JSON file of a decision; may be repeated",
    )
    parser.add_argument("--mean", action="store_true", help="add the best decision for the mean of the data")
    parser.add_argument("--nominal", metavar="NAME", help="add the best decision for this scenario alone")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Read problem and decisions, evaluate, print."""
    problem = read_problem(args)
    decisions = read_decisions(args.solution)
    comparison = nr.compare(problem, decisions, mean=args.mean, nominal=args.nominal, solver=args.solver)
    if args.json:
        print_json(comparison.to_dict())
    else:
        show_table(comparison.cells(), comparison.right_columns, footnote(comparison.meant_for))
    return OK
