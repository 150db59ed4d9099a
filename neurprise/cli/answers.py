"""What `solve` and `evaluate` tell beyond the worst case: plans by scenario, regret, and tables in files."""

from __future__ import annotations

import argparse
import hashlib
import logging
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import neurprise as nr
from neurprise.arrays import Floats
from neurprise.cli.options import problem_files, read_decisions, refuse_overwriting
from neurprise.cli.output import check_destination
from neurprise.clock import Deadline
from neurprise.errors import part_of
from neurprise.io.decision import decision_from
from neurprise.report.tables import (
    CSV_FILES,
    AnswerTables,
    check_excel,
    check_folder,
    hindsight_costs,
    write_csv,
    write_excel,
)
from neurprise.report.text import number

_EXCEL = ".xlsx"
_WORDS = ("all", "kept", "worst")
#: Of the time for --regret this share goes into the decision's own costs, the rest into the best ones.
EVALUATION_SHARE = 0.5


def add_answer_options(parser: argparse.ArgumentParser) -> None:
    answers = parser.add_argument_group("plans and tables")
    answers.add_argument(
        "--out",
        type=Path,
        metavar="FOLDER",
        help="write decision.csv, costs.csv and recourse.csv there; a name that ends in .xlsx becomes one workbook",
    )
    words = (
        "write names into CSV files as they are, without an apostrophe before those that a spreadsheet would execute"
    )
    answers.add_argument("--plain-csv", action="store_true", help=words)
    answers.add_argument(
        "--recourse",
        action="append",
        metavar="SCENARIO",
        help="the recourse in a scenario, by name; all, kept or worst; may be repeated. Goes to --out, else is printed",
    )
    answers.add_argument(
        "--regret", action="store_true", help="per scenario, the cost beyond the best had it been known beforehand"
    )


def check_answer_options(args: argparse.Namespace, problem: nr.TwoStageProblem) -> None:
    """Refuse scenarios that do not exist and places that cannot or must not be written, before the work begins."""
    for scenario in args.recourse or ():
        if scenario not in _WORDS:
            problem.scenario_index(scenario)
    if args.out is not None and _is_excel(args.out):
        check_excel()
        check_destination(args.out)
        refuse_overwriting(args, "--out", args.out)
    elif args.out is not None:
        check_folder(args.out)
        refuse_overwriting(args, "--out", *(args.out / name for name in CSV_FILES))


def find_regret(args: argparse.Namespace, tables: AnswerTables) -> None:
    """Solve every scenario alone where --regret asks for it; under --time-limit for at most as long as the search."""
    if args.regret:
        deadline = Deadline(getattr(args, "time_limit", None))
        tables.plan.evaluate_within(deadline.part(EVALUATION_SHARE))
        hindsight_costs(tables.plan, deadline)


def more_text(args: argparse.Namespace, tables: AnswerTables) -> list[str]:
    """Lines about regret, and about the recourse where it goes to no file."""
    lines = _regret_lines(tables) if args.regret else []
    if args.recourse and args.out is None:
        labels, plans = tables.plan.problem.scenario_labels, _recourse(args, tables)
        for scenario in (labels[s] for s in tables.chosen(args.recourse)):
            lines += ["", f"recourse in scenario {scenario}", *_chosen_lines(plans.get(scenario))]
    return lines


def more_data(args: argparse.Namespace, tables: AnswerTables) -> dict[str, Any]:
    """The same for --json: `recourse` by scenario and name, `costs` by column."""
    data: dict[str, Any] = {"costs": tables.costs(regret=True)} if args.regret else {}
    return data | ({"recourse": _recourse(args, tables)} if args.recourse and args.out is None else {})


def write_tables(args: argparse.Namespace, tables: AnswerTables) -> None:
    """Write what --out asks for."""
    if args.out is not None:
        if _is_excel(args.out):
            write_excel(tables, args.out, args.recourse, args.regret)
        else:
            write_csv(tables, args.out, args.recourse, args.regret, neutral=not args.plain_csv)


def _is_excel(path: Path) -> bool:
    return path.suffix.lower() == _EXCEL


def _recourse(args: argparse.Namespace, tables: AnswerTables) -> dict[str, dict[str, float]]:
    """Scenario -> name -> value; of scenarios with a recourse."""
    plans: dict[str, dict[str, float]] = {}
    for scenario, name, value in tables.recourse(args.recourse):
        plans.setdefault(scenario, {})[name] = value
    return plans


def _chosen_lines(plan: dict[str, float] | None) -> list[str]:
    if plan is None:
        return ["  none: the decision leaves no best recourse there"]
    chosen = {name: value for name, value in plan.items() if value != 0}
    width = max(map(len, chosen), default=0)
    lines = [f"  {name:<{width}}  {number(value)}" for name, value in chosen.items()]
    return lines or ["  nothing: every variable is 0"]


def _regret_lines(tables: AnswerTables) -> list[str]:
    costs = tables.costs(regret=True)
    known = np.flatnonzero(~np.isnan(costs["regret"]))
    if len(known) == 0:
        return [f"{'regret':<13}not known: time was over before the first scenario was solved alone"]
    worst = int(known[np.argmax(np.asarray(costs["regret"])[known])])
    largest = f"at most {number(costs['regret'][worst])} (scenario {costs['scenario'][worst]})"
    partial = len(known) < len(costs["regret"])
    extent = (
        f" in the {part_of(len(known), len(costs['regret']), 'scenario')} that there was time for" if partial else ""
    )
    return [f"{'regret':<13}{largest}{extent}, against the best decision had the scenario been known"]


#: What the decision of this run is called beside others.
THIS = "this decision"
#: The mean scenario's decision is sought for as long as the answer took, but at least so many seconds.
MIN_SECONDS = 5.0
#: Where evaluating one decision takes longer, none is added unasked.
MAX_SECONDS_UNASKED = 10.0

_NOT_OPTIONS = ("run", "file", "json", "traceback", "quiet", "report", "output", "out")
_log = logging.getLogger("neurprise")


def add_page_options(parser: argparse.ArgumentParser) -> None:
    page = parser.add_argument_group("the page")
    page.add_argument("--report", type=Path, metavar="PATH", help="write a self-contained HTML page")
    page.add_argument(
        "--compare",
        action="append",
        default=[],
        metavar="[NAME=]PATH",
        help="JSON file of another decision to show there beside this one and the mean scenario's; may be repeated",
    )
    page.add_argument("--nominal", metavar="NAME", help="show the decision for this scenario alone there, too")


def check_page_options(args: argparse.Namespace) -> None:
    """What goes onto a page needs one."""
    for option in ("compare", "nominal"):
        if getattr(args, option) and args.report is None:
            raise nr.InputError(f"--{option} adds to the page; say where it goes with --report PATH.")


@dataclass(frozen=True)
class PageContents:
    """
    What the page shows beyond the answer; read and checked before the search, during which files may change.

    Parameters
    ----------
    decisions
        Other decisions by name, that --compare asks for.
    origin
        Where the answer comes from, by name.
    """

    decisions: dict[str, Floats]
    origin: dict[str, str]


def page_contents(args: argparse.Namespace, problem: nr.TwoStageProblem) -> PageContents | None:
    """What --report, --compare and --nominal ask for; None without a page."""
    if args.report is None:
        return None
    if args.nominal is not None:
        problem.scenario_index(args.nominal)
    return PageContents(_other_decisions(args, problem), _origin(args))


def _other_decisions(args: argparse.Namespace, problem: nr.TwoStageProblem) -> dict[str, Floats]:
    given = read_decisions(args.compare)
    if THIS in given:
        raise nr.InputError(f"{THIS!r} is what the answer is called on the page; name the other decision differently.")
    return {name: decision_from(problem, x, f"decision {name!r}") for name, x in given.items()}


def _origin(args: argparse.Namespace) -> dict[str, str]:
    told = {"file": args.file.name}
    for path in problem_files(args):
        with path.open("rb") as file:
            name = "sha256" if path == args.file else f"sha256 of {path.name}"
            told[name] = hashlib.file_digest(file, "sha256").hexdigest()
    return told | {"options": shlex.join(_options(args))}


def write_page(
    args: argparse.Namespace, problem: nr.TwoStageProblem, report: nr.Report, contents: PageContents
) -> None:
    """Write what --report asks for."""
    report.to_html(
        args.report,
        title=args.file.name,
        comparison=_comparison(args, problem, report, contents.decisions),
        regret=args.regret,
        provenance=contents.origin,
    )


def _comparison(
    args: argparse.Namespace, problem: nr.TwoStageProblem, report: nr.Report, others: dict[str, Floats]
) -> nr.Comparison | None:
    """This decision beside others; None where evaluating one takes too long, unless others were asked for."""
    if report.x is None or report.num_checked < problem.num_scenarios:
        return None
    decisions: dict[str, Any] = {THIS: report} | others
    asked = len(decisions) > 1 or args.nominal is not None
    if not asked and _seconds_of_evaluation(report) > MAX_SECONDS_UNASKED:
        return None
    seconds = max(MIN_SECONDS, report.runtime)
    try:
        return nr.compare(problem, decisions, mean=True, nominal=args.nominal, solver=report.solver, time_limit=seconds)
    except (nr.InputError, nr.EngineError) as error:
        _log.info("the mean scenario is left out: %s", error)
    if not asked:
        return None
    return nr.compare(problem, decisions, nominal=args.nominal, solver=report.solver, time_limit=seconds)


def _seconds_of_evaluation(report: nr.Report) -> float:
    """How long one decision takes on all scenarios; the page needs these costs anyway, and the report keeps them."""
    clock = Deadline()
    _ = report.tables().plan.total_costs
    return clock.elapsed


def _options(args: argparse.Namespace) -> list[str]:
    """The options that are not off, as one would type them."""
    words: list[str] = []
    for name, value in vars(args).items():
        if name not in _NOT_OPTIONS and value is not None and value is not False:
            for one in value if isinstance(value, list) else [value]:
                words += [f"--{name.replace('_', '-')}", *([] if one is True else [_typed(one)])]
    return words


def _typed(value: Any) -> str:
    return "=".join(map(str, value)) if isinstance(value, tuple) else str(value)
