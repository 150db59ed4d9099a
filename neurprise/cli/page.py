"""What `solve --report` puts on the page beyond the answer: other decisions, and where all of it comes from."""

from __future__ import annotations

import argparse
import hashlib
import logging
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import neurprise as nr
from neurprise.arrays import Floats
from neurprise.cli.compare import read_decisions
from neurprise.cli.options import problem_files
from neurprise.clock import Deadline
from neurprise.io.decision import decision_from

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
