"""`neurprise make FAMILY`: draw a random instance and write it to a file."""

from __future__ import annotations

import argparse
import inspect
from pathlib import Path
from typing import Any

from neurprise.cli.exits import OK
from neurprise.cli.options import add_choice, add_seed, new_command
from neurprise.cli.output import check_problem_destination, emit
from neurprise.cli.parser import whole_number
from neurprise.errors import counted
from neurprise.problems import family_names, get_family
from neurprise.problems.draws import DISTRIBUTIONS

_EXAMPLE = "neurprise make {family} {sizes} --seed 7 -o instance.npz"


def add_parser(commands: Any, summary: str) -> None:
    parser = commands.add_parser("make", help=summary, description=__doc__)
    families = parser.add_subparsers(metavar="FAMILY", required=True, title="families")
    for name in family_names():
        _add_family(families, name)


def run(args: argparse.Namespace) -> int:
    """Draw the instance, write it and describe it."""
    check_problem_destination(args.output)
    family = get_family(args.family)
    sizes = {name: getattr(args, name) for name in (*family.size_names, "num_scenarios")}
    *extents, num_scenarios = sizes.values()
    problem = family.draw(extents, num_scenarios, args.seed, args.distribution)
    problem.write(args.output)
    data = {"path": str(args.output), "family": problem.family, **sizes}
    data |= {"seed": args.seed, "distribution": args.distribution}
    emit(
        args,
        f"{args.output}: {problem.family} with {counted(problem.num_scenarios, 'scenario')}, seed {args.seed}",
        data,
    )
    return OK


def _add_family(families: Any, name: str) -> None:
    """Options are the generator's own size parameters: num_items becomes --items."""
    family = get_family(name)
    sizes = (*family.size_names, "num_scenarios")
    options = {size: "--" + size.removeprefix("num_").replace("_", "-") for size in sizes}
    example = _EXAMPLE.format(family=name, sizes=" ".join(f"{option} 20" for option in options.values()))
    parser = new_command(families, name, f"a {name} instance", inspect.getdoc(family.make) or "", example)
    for size, option in options.items():
        parser.add_argument(
            option, dest=size, type=whole_number(1), required=True, metavar="N", help=f"number of {option[2:]}"
        )
    add_seed(parser, "the same seed gives the same file")
    add_choice(parser, "--distribution", DISTRIBUTIONS, default="uniform")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="PATH", help="file to write (.npz)")
    parser.set_defaults(run=run, family=name)
