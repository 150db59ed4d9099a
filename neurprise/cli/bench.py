"""`neurprise bench`: the experiments of the paper and the package's own, by name."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neurprise.cli.exits import FAILURE, INTERRUPTED, OK, complain
from neurprise.cli.options import add_workers, new_command
from neurprise.cli.output import aligned, emit, write_text
from neurprise.cli.values import whole_number
from neurprise.errors import InputError, WorkersError
from neurprise.parallel.pools import Workers

if TYPE_CHECKING:
    from neurprise.bench.places import Places
    from neurprise.bench.rows import Row
    from neurprise.bench.spec import Spec

_DETAILS = """\
Run experiments and show their rows as tables and figures. In a checkout the rows are those of results/bench, which the
pages are written from; an installed package keeps them in neurprise-results/bench."""


def add_parser(commands: Any, summary: str) -> None:
    parser = new_command(commands, "bench", summary, _DETAILS, "neurprise bench run small --instances 10 --jobs 2")
    actions = parser.add_subparsers(metavar="ACTION", required=True, title="actions")
    new_command(actions, "list", "name all experiments", "Name all experiments.", "neurprise bench list").set_defaults(
        run=list_specs
    )
    _add_run(actions)
    _add_parts(_add_shown(actions, "table", "print rows beside the paper's numbers", table, "docs/results.md"))
    _add_shown(actions, "figure", "draw rows as SVG", figure, "docs/figures")
    details = "Run every experiment end to end at smoke size in a folder that is removed afterwards."
    check_parser = new_command(actions, "check", "try all at smoke size", details, "neurprise bench check")
    check_parser.set_defaults(run=check)


def _add_run(actions: Any) -> None:
    details = "Measure what the rows do not hold yet; stopped at any moment, the same command goes on where it was."
    parser = new_command(actions, "run", "measure", details, "neurprise bench run small --sets SEL-20-50")
    parser.add_argument("name", metavar="NAME", help="experiment, or measurement or check of the checkout")
    parser.add_argument("arguments", nargs="*", metavar="...", help="behind --: what a check of the checkout takes")
    parser.add_argument("--instances", type=whole_number(1), metavar="N", help="at most N of each set (default: all)")
    _add_parts(parser)
    add_workers(parser)
    parser.add_argument("--mix", action="store_true", help="go on beside rows that other code made")
    _add_results(parser)
    parser.set_defaults(run=run)


def _add_parts(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sets", nargs="+", metavar="SET", help="only these sets of instances, such as SEL-20-50")
    parser.add_argument("--methods", nargs="+", metavar="METHOD", help="only these, such as neurprise")


def _add_shown(actions: Any, name: str, summary: str, action: Any, place: str) -> argparse.ArgumentParser:
    details = f"{summary[0].upper()}{summary[1:]}: those of one experiment, or with --all those of all in {place}."
    parser = new_command(actions, name, summary, details, f"neurprise bench {name} which-method")
    parser.add_argument("name", nargs="?", metavar="NAME", help="experiment")
    parser.add_argument("--all", action="store_true", help=f"write {place} (or -o) from all experiments that have rows")
    parser.add_argument("-o", "--output", type=Path, metavar="PATH", help="file, or folder of the figures under --all")
    _add_results(parser)
    parser.set_defaults(run=action)
    return parser


def _add_results(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--results", type=Path, metavar="DIR", help="folder that holds rows (bench), checkpoints and labels"
    )


def list_specs(args: argparse.Namespace) -> int:
    """Name, title and source of every experiment, and the measurements and checks of the checkout."""
    from neurprise.bench.checkout import measurements, scripts
    from neurprise.bench.specs import SPECS

    titles = {name: f"{spec.title}{f' ({spec.source})' if spec.source else ''}" for name, spec in SPECS.items()}
    measured, checks = {name: spec.title for name, spec in measurements().items()}, scripts()
    text = aligned(titles)
    if measured:
        text += f"\n\nmeasurements of this checkout:\n{aligned(measured)}"
        text += f"\n\nchecks of this checkout, with their own arguments behind --:\n{aligned(checks)}"
    emit(args, text, {"experiments": titles, "measurements": measured, "checks": checks})
    return OK


def run(args: argparse.Namespace) -> int:
    """Measure what is missing and say how many rows there are."""
    from neurprise.bench import runner
    from neurprise.bench.checkout import run_script, scripts
    from neurprise.bench.specs import get_spec

    if args.name in scripts():
        return run_script(args.name, [*args.arguments, *(["--json"] if args.json else [])])
    if args.arguments:
        raise InputError(f"an experiment takes no arguments of its own, got {args.arguments[0]!r}; leave it out.")
    spec, places = get_spec(args.name), _places(args)
    chosen = {"instances": args.instances, "sets": args.sets, "only": args.methods}
    try:
        workers = Workers(args.jobs, args.cluster)
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
    emit(args, f"{spec.name}: {added} rows added to {before}; neurprise bench table {spec.name} shows them", data)
    return OK


def table(args: argparse.Namespace) -> int:
    """Print the table of one experiment or of a check's last run, or write the page of all."""
    from neurprise.bench.checkout import last_run, last_run_table, scripts
    from neurprise.bench.tables import table as shown

    rows = _places(args).rows
    if args.all:
        from neurprise.bench.page import results_page

        path = args.output or _docs() / "results.md"
        write_text(path, results_page(rows, path.parent / "figures"))
        emit(args, f"written: {path}", {"page": str(path)})
        return OK
    if args.name in scripts():
        kept = last_run(args.name, rows.parent)
        emit(args, last_run_table(kept), {"check": args.name, "rows": kept})
        return OK
    spec, measured = _named(args, rows)
    text = shown(spec.only(args.sets, args.methods), measured)
    if args.output is not None:
        write_text(args.output, text + "\n")
    emit(args, text, {"experiment": spec.name, "rows": [row.to_dict() for row in measured]})
    return OK


def figure(args: argparse.Namespace) -> int:
    """Write one experiment's figure, or those of all that have one and rows."""
    from neurprise.bench.figures import figure as drawn
    from neurprise.bench.runner import stored_rows
    from neurprise.bench.specs import SPECS

    rows = _places(args).rows
    if args.all:
        folder = args.output or _docs() / "figures"
        folder.mkdir(parents=True, exist_ok=True)
        specs = [spec for spec in SPECS.values() if spec.figure and stored_rows(spec, rows)]
        paths = {spec.name: folder / f"{spec.name}.svg" for spec in specs}
    else:
        spec, _ = _named(args, rows)
        if not spec.figure:
            known = ", ".join(name for name, one in SPECS.items() if one.figure)
            raise InputError(f"figures are drawn of {known}, got {spec.name!r}; neurprise bench table shows it.")
        paths = {spec.name: args.output or Path(f"{spec.name}.svg")}
    for name, path in paths.items():
        write_text(path, drawn(SPECS[name], stored_rows(SPECS[name], rows)))
    emit(args, "written: " + ", ".join(map(str, paths.values())), {"figures": [str(path) for path in paths.values()]})
    return OK


def check(args: argparse.Namespace) -> int:
    """Say how many rows each experiment made."""
    from neurprise.bench.check import check as checked

    counts = {}
    for name, count in checked():
        counts[name] = count
        print(f"{name}: {count} rows", file=sys.stderr)
    emit(args, f"all {len(counts)} experiments work", {"rows": counts})
    return OK


def _named(args: argparse.Namespace, rows: Path) -> tuple[Spec, list[Row]]:
    """The experiment that was named, and its rows."""
    from neurprise.bench.runner import stored_rows
    from neurprise.bench.specs import get_spec

    if args.name is None:
        raise InputError("an experiment must be named, or all with --all; `neurprise bench list` names them.")
    spec = get_spec(args.name)
    return spec, stored_rows(spec, rows)


def _docs() -> Path:
    from neurprise.bench.places import checkout

    root = checkout()
    if root is None:
        raise InputError("an installed package has no docs/ to write to; say where with -o PATH.")
    return root / "docs"


def _places(args: argparse.Namespace) -> Places:
    from neurprise.bench.places import Places, default_places

    return default_places() if args.results is None else Places.below(args.results)
