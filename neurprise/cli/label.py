"""`neurprise label DIR`: draw instances and store training data for NeurPRISE (traces) or Neur2RO (costs)."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neurprise.cli.exits import FAILURE, INTERRUPTED, OK, complain
from neurprise.cli.options import add_choice, add_seed, add_time_limit, add_workers, new_command
from neurprise.cli.output import emit
from neurprise.cli.parser import whole_number
from neurprise.clock import OutOfTimeError
from neurprise.errors import FormatError, InputError, WorkersError, counted, part_of
from neurprise.problems import family_names
from neurprise.problems.draws import DISTRIBUTIONS

if TYPE_CHECKING:
    from neurprise.training.labels import LabelSet
    from neurprise.training.samples import SampleSet

_DETAILS = """\
Draw instances of a family and store the PRISE trace of each with its gains. With --method neur2ro, store first-stage
decisions and their true recourse cost in every scenario. With --from, use your own problems: a folder of problem
files, from which --count instances with --scenarios scenarios are drawn, or a Python function that takes a seed.
You can stop the command at any moment and repeat it to continue. The result does not depend on --jobs or --cluster."""


def add_parser(commands: Any, summary: str) -> None:
    example = "neurprise label labels/sel --family selection --size 20 --scenarios 50 --count 2500 --jobs 2"
    parser = new_command(commands, "label", summary, _DETAILS, example)
    parser.add_argument("directory", type=Path, metavar="DIR", help="directory of the labels")
    add_choice(parser, "--method", ("neurprise", "neur2ro"), "method to train: ", default="neurprise")
    add_choice(parser, "--family", family_names())
    parser.add_argument("--size", metavar="N", help="size of each instance; several numbers joined by x, such as 30x40")
    words = "instead of a family: a folder of problem files, or module:function that takes a seed"
    parser.add_argument("--from", dest="origin", metavar="FOLDER", help=words)
    parser.add_argument("--scenarios", type=whole_number(1), metavar="S", help="scenarios of each instance")
    parser.add_argument("--count", type=whole_number(1), metavar="N", help="instances in all")
    words = "neurprise: maximum steps of each trace (default 8)"
    parser.add_argument("--budget", type=whole_number(1), metavar="K", help=words)
    words = "neur2ro: decisions of each instance (default 24)"
    parser.add_argument("--decisions", type=whole_number(1), metavar="N", help=words)
    add_workers(parser)
    add_time_limit(parser, "stop labelling after this time; the same command continues")
    add_choice(parser, "--distribution", DISTRIBUTIONS, "of a family's numbers (default uniform): ")
    parser.add_argument("--no-exact", dest="exact", action="store_false", help="neurprise: leave out the exact optimum")
    add_seed(parser, "of the first instance")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Make the missing labels and report the contents of the directory, also after an interrupt."""
    try:
        made = _traces(args) if args.method == "neurprise" else _samples(args)
    except KeyboardInterrupt:
        complain(f"interrupted; {_kept(args)}")
        return INTERRUPTED
    except OutOfTimeError:
        complain(f"the time limit of {args.time_limit:g} s has passed; {_kept(args)}")
        return FAILURE
    except WorkersError as error:
        complain(f"{error} {_kept(args)}")
        return FAILURE
    config = asdict(made.config)
    config.pop("folder", None)
    data = {"directory": str(args.directory), "count": len(made), **config}
    whose = args.family or f"({args.origin})"
    emit(args, f"{args.directory}: {counted(len(made), f'labelled {whose} instance')}", data)
    return OK


def _kept(args: argparse.Namespace) -> str:
    """The contents of the directory, which may not exist yet."""
    from neurprise.training import labels, samples

    try:
        stored = (labels if args.method == "neurprise" else samples).STORE.num_kept(args.directory)
    except FormatError:
        stored = 0
    kept = counted(stored, "label") if args.count is None else part_of(stored, args.count, "label")
    return f"{kept} {'is' if stored == 1 else 'are'} kept; the same command continues."


def _traces(args: argparse.Namespace) -> LabelSet:
    from neurprise.training import labels

    _refuse(args, "decisions", "neur2ro")
    budget = 8 if args.budget is None else args.budget
    if args.origin is None:
        return labels.label(args.directory, **_instances(args), budget=budget, exact=args.exact)
    for option in ("family", "size", "distribution"):
        if getattr(args, option) is not None:
            raise InputError(
                f"--{option} belongs to a family, but --from {args.origin} makes the instances; leave it out."
            )
    same = {
        name: getattr(args, name) for name in ("count", "scenarios", "seed", "jobs", "cluster", "time_limit", "exact")
    }
    return labels.label_problems(args.origin, args.directory, **same, budget=budget)


def _samples(args: argparse.Namespace) -> SampleSet:
    from neurprise.training.samples import sample

    _refuse(args, "budget", "neurprise")
    _refuse(args, "origin", "neurprise", "from")
    return sample(args.directory, **_instances(args), decisions=24 if args.decisions is None else args.decisions)


def _instances(args: argparse.Namespace) -> dict[str, Any]:
    """Arguments of both methods about the instances to draw."""
    missing = [f"--{name}" for name in ("family", "size", "scenarios", "count") if getattr(args, name) is None]
    if missing:
        raise InputError(f"instances of a family need {', '.join(missing)}; for your own problems use --from instead.")
    names = ("family", "scenarios", "count", "seed", "jobs", "cluster", "time_limit")
    given = {name: getattr(args, name) for name in names}
    return {**given, "size": read_size(args.size), "distribution": args.distribution or DISTRIBUTIONS[0]}


def _refuse(args: argparse.Namespace, option: str, method: str, flag: str | None = None) -> None:
    if getattr(args, option) is not None:
        raise InputError(f"--{flag or option} goes with --method {method}, got --method {args.method}; leave it out.")


def read_size(text: str) -> tuple[int, ...]:
    """(20,) from "20", (30, 40) from "30x40"."""
    parts = text.lower().split("x")
    if not all(part.isdecimal() for part in parts):
        raise InputError(f"--size must be a whole number or several joined by x, such as 20 or 30x40, got {text!r}.")
    return tuple(int(part) for part in parts)
