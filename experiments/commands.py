"""`python -m experiments`: the experiments of the paper and the package's own, by name."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from experiments.judges import JUDGES, run_judge
from experiments.judges.last_run import last_run, last_run_table
from experiments.places import ROOT, Places, default_places
from experiments.row import Row
from experiments.spec import Spec
from neurprise.cli import run_program
from neurprise.cli.exits import FAILURE, INTERRUPTED, OK, complain
from neurprise.cli.options import add_workers, new_command
from neurprise.cli.output import aligned, emit, write_text
from neurprise.cli.parser import Parser, whole_number
from neurprise.errors import InputError, WorkersError
from neurprise.parallel.workers import Workers

_DETAILS = "Run experiments and show their rows as tables and figures; experiments/README.md explains them."
_EPILOG = "example:\n  python -m experiments run small --instances 10 --jobs 2\n  python -m experiments table small"


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; a judge gets the words behind its name."""
    words = list(sys.argv[1:] if argv is None else argv)
    if words[:1] == ["run"] and len(words) > 1 and words[1] in JUDGES:
        return run_judge(words[1], words[2:])
    return run_program(lambda _: build_parser(), argv)


def build_parser() -> argparse.ArgumentParser:
    """The parser of all commands; each sets `run`, the function that carries it out."""
    parser = Parser(
        prog="python -m experiments",
        description=_DETAILS,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(metavar="COMMAND", required=True, title="commands")
    _add(commands, "list", "name all experiments", "Name all experiments.", list_specs)
    _add_run(commands)
    _add_parts(_add_shown(commands, "table", "print rows beside the paper's numbers", table, "build/all-results.md"))
    _add_shown(commands, "figure", "draw rows as SVG", figure, "docs/figures")
    details = "Every claim of the paper with its verdict, computed from the rows: docs/paper.md."
    claims_parser = _add(commands, "claims", "judge the paper's claims from the rows", details, claims)
    claims_parser.add_argument("-o", "--output", type=Path, metavar="PATH", help="file (default: print)")
    _add_results(claims_parser)
    details = "Run every experiment end to end at smoke size in a folder that is removed afterwards."
    _add(commands, "check", "try all at smoke size", details, check)
    return parser


def _add(commands: Any, name: str, summary: str, details: str, run: Any, example: str = "") -> argparse.ArgumentParser:
    parser = new_command(commands, name, summary, details, f"python -m experiments {name} {example}".rstrip())
    parser.set_defaults(run=run)
    return parser


def _add_run(commands: Any) -> None:
    details = (
        "Measure what the rows do not hold yet. Stopped at any moment, the same command goes on where it was.\n"
        f"The judges {', '.join(JUDGES)} have options of their own: python -m experiments run crosscheck --help"
    )
    parser = _add(commands, "run", "measure", details, run, "small --sets SEL-20-50")
    parser.add_argument("name", metavar="NAME", help="experiment, measurement or judge")
    parser.add_argument("--instances", type=whole_number(1), metavar="N", help="at most N of each set (default: all)")
    _add_parts(parser)
    add_workers(parser)
    parser.add_argument("--mix", action="store_true", help="go on beside rows that other code made")
    parser.add_argument("--train", action="store_true", help="only make the networks that are not there, no rows")
    _add_results(parser)


def _add_parts(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sets", nargs="+", metavar="SET", help="only these sets of instances, such as SEL-20-50")
    parser.add_argument("--methods", nargs="+", metavar="METHOD", help="only these, such as neurprise")


def _add_shown(commands: Any, name: str, summary: str, action: Any, place: str) -> argparse.ArgumentParser:
    details = f"{summary[0].upper()}{summary[1:]}: those of one experiment, or with --all those of all in {place}."
    parser = _add(commands, name, summary, details, action, "which-method")
    parser.add_argument("name", nargs="?", metavar="NAME", help="experiment")
    parser.add_argument("--all", action="store_true", help=f"write {place} (or -o) from all experiments that have rows")
    parser.add_argument("-o", "--output", type=Path, metavar="PATH", help="file, or folder of the figures under --all")
    _add_results(parser)
    return parser


def _add_results(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--results", type=Path, metavar="DIR", help="folder of rows/ and made/ (default: experiments)")


def list_specs(args: argparse.Namespace) -> int:
    """Name, title and source of every experiment, and the measurements and judges."""
    from experiments.specs import MEASUREMENTS, SPECS

    titles = {name: f"{spec.title}{f' ({spec.source})' if spec.source else ''}" for name, spec in SPECS.items()}
    measured = {name: spec.title for name, spec in MEASUREMENTS.items()}
    text = f"{aligned(titles)}\n\nmeasurements of speed:\n{aligned(measured)}"
    text += f"\n\njudges, with options of their own:\n{aligned(JUDGES)}"
    emit(args, text, {"experiments": titles, "measurements": measured, "judges": JUDGES})
    return OK


def run(args: argparse.Namespace) -> int:
    """Measure what is missing and say how many rows there are."""
    from experiments import runner
    from experiments.specs import get_spec

    spec, places = get_spec(args.name), _places(args)
    chosen = {"instances": args.instances, "sets": args.sets, "only": args.methods}
    workers = Workers(args.jobs, args.cluster)
    if args.train:
        trained = runner.train(spec, places, only=args.methods, workers=workers)
        emit(args, f"{spec.name}: {len(trained)} trained in {places.checkpoints}", {"trained": trained})
        return OK
    try:
        before, added = runner.run(spec, places, **chosen, workers=workers, mix=args.mix)
    except KeyboardInterrupt:
        complain(
            f"interrupted; {len(runner.stored_rows(spec, places.rows))} rows are kept, and the same command goes on."
        )
        return INTERRUPTED
    except WorkersError as error:
        complain(f"{error} {len(runner.stored_rows(spec, places.rows))} rows are kept, and the same command goes on.")
        return FAILURE
    data = {"experiment": spec.name, "before": before, "added": added}
    emit(args, f"{spec.name}: {added} rows added to {before}; python -m experiments table {spec.name} shows them", data)
    return OK


def table(args: argparse.Namespace) -> int:
    """Print the table of one experiment or of a judge's last run, or write the page of all."""
    from experiments.views.tables import table as shown

    rows = _places(args).rows
    if args.all:
        from experiments.views.page import results_page

        path = args.output or ROOT / "build" / "all-results.md"
        path.parent.mkdir(exist_ok=True)
        write_text(path, results_page(rows))
        emit(args, f"written: {path}", {"page": str(path)})
        return OK
    if args.name in JUDGES:
        kept = last_run(args.name, rows)
        emit(args, last_run_table(kept), {"judge": args.name, "rows": kept})
        return OK
    spec, measured = _named(args, rows)
    text = shown(spec.only(args.sets, args.methods), measured)
    if args.output is not None:
        write_text(args.output, text + "\n")
    emit(args, text, {"experiment": spec.name, "rows": [row.to_dict() for row in measured]})
    return OK


def claims(args: argparse.Namespace) -> int:
    """Print or write the page of all claims."""
    from experiments.views.claims import claims_page

    page = claims_page(_places(args).rows)
    if args.output is None:
        emit(args, page.rstrip("\n"), {"page": page})
        return OK
    write_text(args.output, page)
    emit(args, f"written: {args.output}", {"page": str(args.output)})
    return OK


def figure(args: argparse.Namespace) -> int:
    """Write one experiment's figure, or those of all that have one and rows."""
    from experiments.runner import stored_rows
    from experiments.specs import SPECS
    from experiments.views.figures import figure as drawn

    rows = _places(args).rows
    if args.all:
        folder = args.output or ROOT / "docs" / "figures"
        folder.mkdir(parents=True, exist_ok=True)
        specs = [spec for spec in SPECS.values() if spec.figure and stored_rows(spec, rows)]
        paths = {spec.name: folder / f"{spec.name}.svg" for spec in specs}
    else:
        spec, _ = _named(args, rows)
        if not spec.figure:
            known = ", ".join(name for name, one in SPECS.items() if one.figure)
            raise InputError(f"figures are drawn of {known}, got {spec.name!r}; python -m experiments table shows it.")
        paths = {spec.name: args.output or Path(f"{spec.name}.svg")}
    for name, path in paths.items():
        write_text(path, drawn(SPECS[name], stored_rows(SPECS[name], rows)))
    emit(args, "written: " + ", ".join(map(str, paths.values())), {"figures": [str(path) for path in paths.values()]})
    return OK


def check(args: argparse.Namespace) -> int:
    """Say how many rows each experiment made."""
    from experiments.check import check as checked

    counts = {}
    for name, count in checked():
        counts[name] = count
        print(f"{name}: {count} rows", file=sys.stderr)
    emit(args, f"all {len(counts)} experiments work", {"rows": counts})
    return OK


def _named(args: argparse.Namespace, rows: Path) -> tuple[Spec, list[Row]]:
    """The experiment that was named, and its rows."""
    from experiments.runner import stored_rows
    from experiments.specs import get_spec

    if args.name is None:
        raise InputError("an experiment must be named, or all with --all; `python -m experiments list` names them.")
    spec = get_spec(args.name)
    return spec, stored_rows(spec, rows)


def _places(args: argparse.Namespace) -> Places:
    return default_places() if args.results is None else Places.below(args.results)
