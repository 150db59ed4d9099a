"""`neurprise reduce FILE`: choose the scenarios to keep."""

from __future__ import annotations

import argparse
from itertools import accumulate
from pathlib import Path
from typing import Any

import neurprise as nr
from neurprise.cli.exits import INTERRUPTED, OK
from neurprise.cli.options import (
    add_checkpoint,
    add_problem,
    add_solver,
    add_time_limit,
    add_workers,
    named_reducer,
    new_command,
    read_problem,
    reducer_name,
    refuse_overwriting,
    warn_of_large_budget,
)
from neurprise.cli.output import check_problem_destination, print_json, show_table, show_text
from neurprise.cli.parser import whole_number
from neurprise.clock import Deadline
from neurprise.errors import counted
from neurprise.parallel.workers import Workers
from neurprise.progress import progress_line
from neurprise.reducers import Reduction, SessionReducer
from neurprise.report.text import words_of
from neurprise.search.session import LiveLine, SearchSession

_DETAILS = "Choose the scenarios to keep; numbers count from 0 in the order of the file."


def add_parser(commands: Any, summary: str) -> None:
    example = "neurprise reduce sel.npz --method prise --budget 6 -o reduced.npz"
    parser = new_command(commands, "reduce", summary, _DETAILS, example)
    add_problem(parser)
    add_solver(parser)
    methods = ", ".join(nr.reducers.reducer_names())
    parser.add_argument("--method", type=reducer_name, required=True, metavar="NAME", help=methods)
    words = "maximum number of scenarios to keep"
    parser.add_argument("--budget", type=whole_number(1), required=True, metavar="K", help=words)
    add_checkpoint(parser)
    add_time_limit(parser, "stop choosing and keep the scenarios chosen so far")
    add_workers(parser, "processes that solve reduced problems and share long evaluations")
    parser.add_argument("-o", "--output", type=Path, metavar="PATH", help="also write the reduced problem (.npz)")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Read, reduce and print; write the reduced problem if -o is given."""
    check_problem_destination(args.output)
    problem = read_problem(args)
    refuse_overwriting(args, "-o", args.output)
    warn_of_large_budget(args.budget, problem.num_scenarios)
    reduction = _reduction(args, problem)
    names = [problem.scenario_labels[s] for s in reduction.indices]
    if args.json:
        print_json(reduction.to_dict() | {"names": names, "maximize": problem.maximize})
    else:
        _show(problem, reduction)
    if args.output and reduction.indices:
        problem.restrict(reduction.indices).write(args.output)
    return INTERRUPTED if reduction.stopped_by == nr.Status.INTERRUPTED else OK


def _reduction(args: argparse.Namespace, problem: nr.TwoStageProblem) -> Reduction:
    """The scenarios that the method keeps; after the time limit or Ctrl-C, those chosen so far."""
    reducer = named_reducer(args.method, args)
    if not isinstance(reducer, SessionReducer):
        return reducer.reduce(problem, args.budget, seed=args.seed)
    deadline, workers = Deadline(args.time_limit), Workers(args.jobs, args.cluster)
    workers.refuse_absent()
    with (
        progress_line() as line,
        SearchSession(problem, args.solver, deadline, LiveLine(line), workers=workers) as session,
    ):
        return reducer.reduce_in(session, args.budget, args.seed)


def _show(problem: nr.TwoStageProblem, reduction: Reduction) -> None:
    """One line per kept scenario, in the order of choice, then solves and runtime."""
    show_table(_rows(problem, reduction), right=range(3))
    cut = "" if reduction.stopped_by is None else f" (cut short: {reduction.stopped_by})"
    kept = f"kept {len(reduction.indices):,} of {problem.num_scenarios:,}{cut}"
    show_text(f"{kept}, {counted(reduction.num_solves, 'solve')}, {reduction.runtime:.2f} s")


def _rows(problem: nr.TwoStageProblem, reduction: Reduction) -> list[list[str]]:
    """The header and one row per scenario, with gain and V(R) if the method computes them."""
    names = [problem.scenario_name(s) for s in reduction.indices]
    if reduction.gains is None:
        return [["scenario"], *([name] for name in names)]
    reached = zip(names, reduction.gains, accumulate(reduction.gains), strict=True)
    values = ([name, f"{gain:12,.6g}", f"{value:12,.6g}"] for name, gain, value in reached)
    return [["scenario", words_of(problem).gain, "V(kept)"], *values]
