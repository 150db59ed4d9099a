"""`neurprise bench`: the experiments of the paper and the package's own, by name."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from neurprise.cli.exits import FAILURE, INTERRUPTED, OK, complain
from neurprise.cli.options import add_workers, new_command
from neurprise.cli.output import aligned, emit
from neurprise.cli.values import whole_number
from neurprise.errors import InputError, WorkersError
from neurprise.parallel.pools import Workers

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
    _add_table(actions)


def _add_run(actions: Any) -> None:
    details = "Measure what the rows do not hold yet; stopped at any moment, the same command goes on where it was."
    parser = new_command(actions, "run", "measure", details, "neurprise bench run small --sets SEL-20-50")
    parser.add_argument("name", metavar="NAME", help="experiment, or measurement of the checkout")
    parser.add_argument(
        "arguments", nargs="*", metavar="...", help="behind --: what a measurement of the checkout takes"
    )
    parser.add_argument("--instances", type=whole_number(1), metavar="N", help="at most N of each set (default: all)")
    parser.add_argument("--sets", nargs="+", metavar="SET", help="only these sets of instances, such as SEL-20-50")
    add_workers(parser)
    parser.add_argument("--mix", action="store_true", help="go on beside rows that other code made")
    _add_results(parser)
    parser.set_defaults(run=run)


def _add_table(actions: Any) -> None:
    details = "Show the rows of an experiment beside the paper's numbers."
    parser = new_command(actions, "table", "show rows", details, "neurprise bench table small")
    parser.add_argument("name", metavar="NAME", help="experiment")
    _add_results(parser)
    parser.set_defaults(run=table)


def _add_results(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--results", type=Path, metavar="DIR", help="folder of the rows")


def list_specs(args: argparse.Namespace) -> int:
    """Name, title and source of every experiment, and the measurements of the checkout."""
    from neurprise.bench.scripts import scripts
    from neurprise.bench.specs import SPECS

    titles = {name: f"{spec.title}{f' ({spec.source})' if spec.source else ''}" for name, spec in SPECS.items()}
    measurements = scripts()
    text = aligned(titles)
    if measurements:
        text += f"\n\nof this checkout, with their own arguments behind --:\n{aligned(measurements)}"
    emit(args, text, {"experiments": titles, "measurements": measurements})
    return OK


def run(args: argparse.Namespace) -> int:
    """Measure what is missing and say how many rows there are."""
    from neurprise.bench import runner
    from neurprise.bench.scripts import run_script, scripts
    from neurprise.bench.specs import get_spec

    if args.name in scripts():
        return run_script(args.name, [*args.arguments, *(["--json"] if args.json else [])])
    if args.arguments:
        raise InputError(f"an experiment takes no arguments of its own, got {args.arguments[0]!r}; leave it out.")
    spec, folder = get_spec(args.name), _folder(args)
    try:
        workers = Workers(args.jobs, args.cluster)
        before, added = runner.run(
            spec, folder, instances=args.instances, sets=args.sets, workers=workers, mix=args.mix
        )
    except KeyboardInterrupt:
        complain(f"interrupted; {len(runner.stored_rows(spec, folder))} rows are kept, and the same command goes on.")
        return INTERRUPTED
    except WorkersError as error:
        complain(f"{error} {len(runner.stored_rows(spec, folder))} rows are kept, and the same command goes on.")
        return FAILURE
    data = {"experiment": spec.name, "before": before, "added": added}
    emit(args, f"{spec.name}: {added} rows added to {before}; neurprise bench table {spec.name} shows them", data)
    return OK


def table(args: argparse.Namespace) -> int:
    """Print one experiment's table."""
    from neurprise.bench import runner
    from neurprise.bench.specs import get_spec
    from neurprise.bench.tables import table as shown

    spec = get_spec(args.name)
    rows = runner.stored_rows(spec, _folder(args))
    emit(args, shown(spec, rows), {"experiment": spec.name, "rows": [row.to_dict() for row in rows]})
    return OK


def _folder(args: argparse.Namespace) -> Path:
    from neurprise.bench import places

    folder: Path = args.results or places.rows()
    if folder.exists() and not folder.is_dir():
        raise InputError(f"--results must be a folder, got {str(folder)!r}.")
    return folder
