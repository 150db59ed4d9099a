"""What `solve` and `evaluate` tell beyond the worst case: plans by scenario, regret, and tables in files."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

import neurprise as nr
from neurprise.cli.options import refuse_overwriting
from neurprise.cli.output import check_destination
from neurprise.clock import Deadline
from neurprise.errors import part_of
from neurprise.report.export import CSV_FILES, check_excel, check_folder, write_csv, write_excel
from neurprise.report.regret import hindsight_costs
from neurprise.report.tables import AnswerTables
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
