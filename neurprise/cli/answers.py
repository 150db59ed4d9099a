"""Further output of `solve` and `evaluate`: recourse by scenario, regret, tables in files, and the HTML page."""

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
from neurprise.report.page import check_suffix
from neurprise.report.tables import (
    CSV_FILES,
    AnswerTables,
    check_folder,
    hindsight_costs,
    write_csv,
)
from neurprise.report.text import number
from neurprise.report.workbook import SUFFIX, check_excel, write_excel

_WORDS = ("all", "kept", "worst")
#: Share of the time for --regret that evaluates the decision; the rest finds the best cost of each scenario.
EVALUATION_SHARE = 0.5


def add_answer_options(parser: argparse.ArgumentParser) -> None:
    answers = parser.add_argument_group("plans and tables")
    answers.add_argument(
        "--out",
        type=Path,
        metavar="FOLDER",
        help="write decision.csv, costs.csv and recourse.csv to this folder; a name ending in .xlsx makes one workbook",
    )
    words = (
        "write names into CSV files as they are, without an apostrophe before those that a spreadsheet would execute"
    )
    answers.add_argument("--plain-csv", action="store_true", help=words)
    answers.add_argument(
        "--recourse",
        action="append",
        metavar="SCENARIO",
        help="recourse of a scenario (name, all, kept or worst; repeatable): written to --out, otherwise printed",
    )
    answers.add_argument(
        "--regret",
        action="store_true",
        help="regret of each scenario: its cost minus the best cost if the scenario were known in advance",
    )


def check_answer_options(args: argparse.Namespace, problem: nr.TwoStageProblem) -> None:
    """Refuse unknown scenarios and unusable destinations before the work begins."""
    for scenario in args.recourse or ():
        if scenario not in _WORDS:
            problem.scenario_index(scenario)
    if args.out is not None and _is_excel(args.out):
        check_excel(args.out)
        check_destination(args.out)
        refuse_overwriting(args, "--out", args.out)
    elif args.out is not None:
        check_folder(args.out)
        refuse_overwriting(args, "--out", *(args.out / name for name in CSV_FILES))


def find_regret(args: argparse.Namespace, tables: AnswerTables) -> None:
    """With --regret, solve every scenario alone; --time-limit applies to this once more."""
    if args.regret:
        deadline = Deadline(getattr(args, "time_limit", None))
        tables.plan.evaluate_within(deadline.part(EVALUATION_SHARE))
        hindsight_costs(tables.plan, deadline)


def more_text(args: argparse.Namespace, tables: AnswerTables) -> list[str]:
    """Lines about regret, and about the recourse unless it goes to a file."""
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
    """Write the files of --out."""
    if args.out is not None:
        if _is_excel(args.out):
            write_excel(tables, args.out, args.recourse, args.regret)
        else:
            write_csv(tables, args.out, args.recourse, args.regret, neutral=not args.plain_csv)


def _is_excel(path: Path) -> bool:
    return path.suffix.lower() == SUFFIX


def _recourse(args: argparse.Namespace, tables: AnswerTables) -> dict[str, dict[str, float]]:
    """Scenario -> name -> value, for scenarios with a recourse."""
    plans: dict[str, dict[str, float]] = {}
    for scenario, name, value in tables.recourse(args.recourse):
        plans.setdefault(scenario, {})[name] = value
    return plans


def _chosen_lines(plan: dict[str, float] | None) -> list[str]:
    if plan is None:
        return ["  none: the decision has no optimal recourse there"]
    chosen = {name: value for name, value in plan.items() if value != 0}
    width = max(map(len, chosen), default=0)
    lines = [f"  {name:<{width}}  {number(value)}" for name, value in chosen.items()]
    return lines or ["  nothing: every variable is 0"]


def _regret_lines(tables: AnswerTables) -> list[str]:
    costs = tables.costs(regret=True)
    known = np.flatnonzero(~np.isnan(costs["regret"]))
    if len(known) == 0:
        return [f"{'regret':<13}not known: no scenario was solved alone before the time limit"]
    worst = int(known[np.argmax(np.asarray(costs["regret"])[known])])
    largest = f"at most {number(costs['regret'][worst])} (scenario {costs['scenario'][worst]})"
    partial = len(known) < len(costs["regret"])
    extent = (
        f" in the {part_of(len(known), len(costs['regret']), 'scenario')} solved before the time limit"
        if partial
        else ""
    )
    return [f"{'regret':<13}{largest}{extent}, compared with the best decision if the scenario were known in advance"]


#: Name of this run's decision in a comparison.
THIS = "this decision"
#: The best decision for the mean of the data may be searched for as long as the answer took, but at least this many
#: seconds.
MIN_SECONDS = 5.0
#: No decision is added by default if evaluating one takes longer.
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
        help="JSON file of another decision to compare on the page; may be repeated",
    )
    page.add_argument("--nominal", metavar="NAME", help="also compare with the decision for this scenario alone")


def check_page_options(args: argparse.Namespace) -> None:
    """Refuse options for the page without --report, and a page that is none."""
    for option in ("compare", "nominal"):
        if getattr(args, option) and args.report is None:
            raise nr.InputError(f"--{option} adds to the page; add --report PATH.")
    if args.report is not None:
        check_suffix(args.report)


@dataclass(frozen=True)
class PageContents:
    """
    Further contents of the page. They are read before the search, because files may change during it.

    Parameters
    ----------
    decisions
        Decisions of --compare, by name.
    origin
        Facts about the origin of the answer, by name.
    """

    decisions: dict[str, Floats]
    origin: dict[str, str]


def page_contents(args: argparse.Namespace, problem: nr.TwoStageProblem) -> PageContents | None:
    """The contents for --report, --compare and --nominal; None without a page."""
    if args.report is None:
        return None
    if args.nominal is not None:
        problem.scenario_index(args.nominal)
    return PageContents(_other_decisions(args, problem), _origin(args))


def _other_decisions(args: argparse.Namespace, problem: nr.TwoStageProblem) -> dict[str, Floats]:
    given = read_decisions(args.compare)
    if THIS in given:
        raise nr.InputError(f"{THIS!r} is the name of this answer on the page; choose another name.")
    return {name: decision_from(problem, x, f"decision {name!r}") for name, x in given.items()}


def _origin(args: argparse.Namespace) -> dict[str, str]:
    facts = {"file": args.file.name}
    for path in problem_files(args):
        with path.open("rb") as file:
            name = "sha256" if path == args.file else f"sha256 of {path.name}"
            facts[name] = hashlib.file_digest(file, "sha256").hexdigest()
    return facts | {"options": shlex.join(_options(args))}


def write_page(
    args: argparse.Namespace, problem: nr.TwoStageProblem, report: nr.Report, contents: PageContents
) -> None:
    """Write the page of --report."""
    report.to_html(
        args.report,
        title=args.file.name,
        comparison=_comparison(args, problem, report, contents.decisions),
        regret=args.regret,
        provenance=contents.origin,
        insights=args.insights or None,
    )


def _comparison(
    args: argparse.Namespace, problem: nr.TwoStageProblem, report: nr.Report, others: dict[str, Floats]
) -> nr.Comparison | None:
    """Compare this decision with others. None if evaluating one takes too long and the user named no others."""
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
        _log.info("the decision for the mean of the data is left out: %s", error)
    if not asked:
        return None
    return nr.compare(problem, decisions, nominal=args.nominal, solver=report.solver, time_limit=seconds)


def _seconds_of_evaluation(report: nr.Report) -> float:
    """Seconds to evaluate the decision on all scenarios. The report keeps these costs for the page."""
    clock = Deadline()
    _ = report.tables().plan.total_costs
    return clock.elapsed


def _options(args: argparse.Namespace) -> list[str]:
    """The options in use, as typed on a command line."""
    words: list[str] = []
    for name, value in vars(args).items():
        if name not in _NOT_OPTIONS and value is not None and value is not False:
            for one in value if isinstance(value, list) else [value]:
                words += [f"--{name.replace('_', '-')}", *([] if one is True else [_typed(one)])]
    return words


def _typed(value: Any) -> str:
    return "=".join(map(str, value)) if isinstance(value, tuple) else str(value)
