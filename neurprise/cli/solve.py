"""`neurprise solve FILE`: find the best decision for the worst case, with its proof."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import neurprise as nr
from neurprise.cli.answers import (
    PageContents,
    add_answer_options,
    add_page_options,
    check_answer_options,
    check_page_options,
    find_regret,
    more_data,
    more_text,
    page_contents,
    write_page,
    write_tables,
)
from neurprise.cli.exits import FAILURE, INTERRUPTED, OK, complain
from neurprise.cli.options import (
    add_checkpoint,
    add_choice,
    add_engine_settings,
    add_objective,
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
from neurprise.cli.output import check_destination, check_distinct, emit, write_text
from neurprise.cli.parser import relative_gap
from neurprise.cli.signals import held_back, stopped_after
from neurprise.errors import part_of
from neurprise.reducers.budget import checked_budget
from neurprise.report.text import scenarios
from neurprise.solvers import engine_names

_DETAILS = """\
Solve a two-stage robust problem: exactly up to the proved gap, or on a few chosen scenarios with --reducer and
--budget. In both cases the answer is evaluated on all scenarios and has a proved bound. Ctrl-C stops the search and
prints the best answer so far."""

#: Seconds to write files after the search was interrupted.
SECONDS_TO_WRITE = 3.0
#: Options that do not apply to surrogates, with their defaults.
_NOT_FOR_SURROGATES: dict[str, Any] = {
    **dict.fromkeys(("state", "start", "verify", "log_file", "cluster")),
    "threads": 1,
    "jobs": 1,
    "objective": "worst",
    "engine_option": [],
}


def add_parser(commands: Any, summary: str) -> None:
    example = "neurprise solve sel.npz --reducer prise --budget 6 --refine --time-limit 60 --report out.html"
    parser = new_command(commands, "solve", summary, _DETAILS, example)
    add_problem(parser)
    add_solver(parser)
    reducers = ", ".join(nr.reducers.reducer_names())
    words = f"keep only some scenarios, chosen by: {reducers}"
    parser.add_argument("--reducer", type=reducer_name, metavar="NAME", help=words)
    words = "number of scenarios to keep, or a gap to prove: 1%%"
    parser.add_argument("--budget", type=budget, metavar="K", help=words)
    add_choice(parser, "--surrogate", nr.surrogates.surrogate_names(), "let a trained network predict the worst case: ")
    add_checkpoint(parser)
    parser.add_argument("--refine", action="store_true", help="continue exactly from the reduced set")
    words = "relative gap at which the search stops (default 1e-4)"
    parser.add_argument("--gap", type=relative_gap, default=1e-4, help=words)
    add_objective(parser, "what is minimised over the scenarios (default worst)")
    add_time_limit(parser, "stop with the best proved answer")
    add_choice(parser, "--verify", engine_names(), "check the answer with a second engine: ")
    parser.add_argument("--start", type=Path, metavar="PATH", help="JSON file of a decision to start from")
    words = "store the state of the search in this file, to continue after a crash"
    parser.add_argument("--state", type=Path, metavar="PATH", help=words)
    add_engine_settings(parser)
    add_workers(parser, "processes that share long evaluations and solve reduced problems at the same time")
    parser.add_argument("-o", "--output", type=Path, metavar="PATH", help="also write the answer as JSON")
    words = "what guarantee and knowledge are worth: price of robustness, EVPI, VSS, and the risk of new scenarios"
    parser.add_argument("--insights", action="store_true", help=words)
    add_page_options(parser)
    add_answer_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Read, solve, print and write. The exit code says whether there is an answer."""
    _check_options(args)
    problem = read_problem(args)
    for option, path in _written_files(args).items():
        refuse_overwriting(args, option, path)
    warn_of_large_budget(args.budget, problem.num_scenarios)
    check_answer_options(args, problem)
    page = page_contents(args, problem)
    report = _solved(problem, args) if args.surrogate is None else _by_surrogate(problem, args)
    return _hand_over(args, problem, report, page)


def _solved(problem: nr.TwoStageProblem, args: argparse.Namespace) -> nr.Report:
    return nr.solve(
        problem,
        None if args.reducer is None else named_reducer(args.reducer, args),
        args.budget,
        gap=args.gap,
        time_limit=args.time_limit,
        solver=args.solver,
        seed=args.seed,
        refine=args.refine,
        verify=args.verify,
        start=args.start,
        threads=args.threads,
        log_file=args.log_file,
        engine_options=dict(args.engine_option),
        jobs=args.jobs,
        cluster=args.cluster,
        state=args.state,
        objective=args.objective,
    )


def _by_surrogate(problem: nr.TwoStageProblem, args: argparse.Namespace) -> nr.Report:
    kind = nr.surrogates.get_surrogate(args.surrogate)
    surrogate = kind.load_for(problem) if args.checkpoint is None else kind.load(args.checkpoint)
    return surrogate.solve(problem, gap=args.gap, time_limit=args.time_limit, solver=args.solver)


def _check_options(args: argparse.Namespace) -> None:
    """Refuse contradictory options before any file is read."""
    if args.surrogate:
        _check_surrogate_options(args)
    if (args.reducer is None) != (args.budget is None):
        missing = "--budget" if args.budget is None else "--reducer"
        raise nr.InputError(
            f"--reducer and --budget belong together, but {missing} is missing; add it or leave both out."
        )
    if args.refine and args.reducer is None:
        raise nr.InputError("--refine continues from a reduced set; add --reducer and --budget.")
    check_page_options(args)
    for destination in (args.output, args.report, args.state):
        check_destination(destination)
    check_distinct(_written_files(args))


def _written_files(args: argparse.Namespace) -> dict[str, Path | None]:
    """Option -> the file or folder that it makes the command write."""
    return {
        "-o": args.output,
        "--report": args.report,
        "--out": args.out,
        "--state": args.state,
        "--log-file": args.log_file,
    }


def _check_surrogate_options(args: argparse.Namespace) -> None:
    """Refuse options that a surrogate's search does not have."""
    for option in ("reducer", "budget", "refine"):
        if getattr(args, option):
            raise nr.InputError(f"--{option} and --surrogate are two different methods; leave one of them out.")
    for option, usual in _NOT_FOR_SURROGATES.items():
        if getattr(args, option) != usual:
            flag = f"--{option.replace('_', '-')}"
            raise nr.InputError(f"{flag} is for exact and reduced searches, not for surrogates; leave one of them out.")


def budget(text: str) -> int | nr.Target:
    """A number of scenarios, at least 1, or a target such as 1%."""
    try:
        return checked_budget(int(text) if text.isascii() and text.isdigit() else text)
    except nr.InputError as error:
        raise argparse.ArgumentTypeError(str(error).removesuffix(".")) from None


def _hand_over(
    args: argparse.Namespace, problem: nr.TwoStageProblem, report: nr.Report, page: PageContents | None
) -> int:
    """
    Print and write the answer. After an interrupt, name the missing parts.

    After an interrupted search there is little time for files, and none for plans and regret.
    """
    writers = _writers(args, problem, report, page)
    missing = ["plans and regret", *writers]
    try:
        if report.status is nr.Status.INTERRUPTED:
            return _hand_over_soon(args, report, writers, missing)
        answer = _answer(args, report)
        _print(args, answer, missing)
        _write(writers, missing)
        return _exit_code(problem, report)
    except KeyboardInterrupt:
        if len(missing) > len(writers):
            emit(args, str(report), report.to_dict())
        return _interrupted(missing)


def _hand_over_soon(
    args: argparse.Namespace, report: nr.Report, writers: dict[str, Callable[[], None]], missing: list[str]
) -> int:
    asked = args.regret or (args.recourse and args.out is None)
    args.regret = False  # tables and page would compute it
    _print(args, (str(report), report.to_dict()), missing)
    with stopped_after(SECONDS_TO_WRITE):
        _write(writers, missing)
    return _interrupted(["plans and regret"]) if asked and report.x is not None else INTERRUPTED


def _print(args: argparse.Namespace, answer: tuple[str, dict[str, Any]], missing: list[str]) -> None:
    with held_back():
        emit(args, *answer)
        sys.stdout.flush()  # the files may take long
        del missing[0]


def _write(writers: dict[str, Callable[[], None]], missing: list[str]) -> None:
    for write in writers.values():
        write()
        del missing[0]


def _interrupted(missing: list[str]) -> int:
    rest = f", only {', '.join(missing)} could not be completed" if missing else ""
    complain(f"interrupted; the answer above is proved{rest}.")
    return INTERRUPTED


def _answer(args: argparse.Namespace, report: nr.Report) -> tuple[str, dict[str, Any]]:
    """The answer as text and as data, with the plans and regrets that were asked for."""
    if report.x is None:
        return str(report), report.to_dict()
    tables = report.tables()
    find_regret(args, tables)
    text, data = [str(report), *more_text(args, tables)], report.to_dict() | more_data(args, tables)
    if args.insights:
        args.insights = report.insights(time_limit=args.time_limit)  # for the page
        text, data = [*text, "", str(args.insights)], data | {"insights": args.insights.to_dict()}
    return "\n".join(text), data


def _writers(
    args: argparse.Namespace, problem: nr.TwoStageProblem, report: nr.Report, page: PageContents | None
) -> dict[str, Callable[[], None]]:
    """Destination -> function that writes it, the fastest first. Without a decision there are no tables."""
    writers: dict[str, Callable[[], None]] = {}
    if args.output is not None:
        writers[str(args.output)] = lambda: write_text(args.output, report.to_json() + "\n")
    if args.out is not None and report.x is not None:
        writers[str(args.out)] = lambda: write_tables(args, report.tables())
    if page is not None:
        writers[str(args.report)] = lambda: write_page(args, problem, report, page)
    return writers


def _exit_code(problem: nr.TwoStageProblem, report: nr.Report) -> int:
    if report.status is nr.Status.INTERRUPTED:
        return INTERRUPTED
    shortcoming = _shortcoming(problem, report)
    if shortcoming is None:
        return OK
    complain(shortcoming)
    return FAILURE


def _shortcoming(problem: nr.TwoStageProblem, report: nr.Report) -> str | None:
    """Why the answer is incomplete; None if it is complete."""
    if report.x is None:
        return "no decision was found in time; raise --time-limit or keep fewer scenarios."
    if report.infeasible_scenarios and not math.isfinite(report.value):
        names = scenarios(report.scenario_name(s) for s in report.infeasible_scenarios)
        conflict = nr.why_infeasible(problem, report.x, report.infeasible_scenarios[0], solver=report.solver)
        why = "" if conflict is None else f", because {conflict}"
        remedy = "raise --budget or add --refine" if report.status is nr.Status.REDUCED else "raise --time-limit"
        return f"the decision has no recourse in some scenarios ({names}){why}; {remedy}."
    if not math.isfinite(report.value):
        return (
            f"the decision was checked on {part_of(report.num_checked, report.num_scenarios, 'scenario')}; raise "
            "--time-limit."
        )
    if report.verification is not None and report.verification.agrees is False:
        return f"two engines disagree: the answer is {report.verification}."
    return None
