"""`neurprise make FAMILY`: draw a random instance and write it to a file."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

from neurprise import problems
from neurprise.cli.exits import OK
from neurprise.cli.options import add_seed, new_command
from neurprise.cli.output import check_destination, emit
from neurprise.problem import TwoStageProblem
from neurprise.problems.draws import DISTRIBUTIONS

_EXAMPLE = "neurprise make {family} {sizes} --seed 7 -o instance.npz"


def add_parser(commands: Any, summary: str) -> None:
    parser = commands.add_parser("make", help=summary, description=__doc__)
    families = parser.add_subparsers(metavar="FAMILY", required=True, title="families")
    for family in problems.FAMILIES:
        _add_family(families, family)


def run(args: argparse.Namespace) -> int:
    """Draw the instance, write it, say what it is."""
    check_destination(args.output)
    sizes = {name: getattr(args, name) for name in _sizes(args.generator)}
    problem: TwoStageProblem = args.generator(**sizes, seed=args.seed, distribution=args.distribution)
    problem.write(args.output)
    data = {"path": str(args.output), "family": problem.family, **sizes}
    data |= {"seed": args.seed, "distribution": args.distribution}
    emit(args, f"{args.output}: {problem.family} with {problem.num_scenarios} scenarios, seed {args.seed}", data)
    return OK


def _add_family(families: Any, family: str) -> None:
    """Options are the generator's own size parameters: num_items becomes --items."""
    generator = getattr(problems, "make_" + family.replace("-", "_"))
    options = {name: "--" + name.removeprefix("num_").replace("_", "-") for name in _sizes(generator)}
    example = _EXAMPLE.format(family=family, sizes=" ".join(f"{option} 20" for option in options.values()))
    parser = new_command(families, family, f"a {family} instance", inspect.getdoc(generator) or "", example)
    for name, option in options.items():
        parser.add_argument(option, dest=name, type=int, required=True, metavar="N", help=f"number of {option[2:]}")
    add_seed(parser, "the same seed gives the same file")
    parser.add_argument(
        "--distribution", default="uniform", metavar="NAME", help=f"{', '.join(DISTRIBUTIONS)} (default uniform)"
    )
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="PATH", help="file to write (.npz)")
    parser.set_defaults(run=run, generator=generator)


def _sizes(generator: Callable[..., TwoStageProblem]) -> list[str]:
    return [name for name in inspect.signature(generator).parameters if name.startswith("num_")]
