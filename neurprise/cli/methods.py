"""The reducer that a command line names, with the engine and the checkpoint given there."""

from __future__ import annotations

import argparse
from dataclasses import fields, is_dataclass, replace

import neurprise as nr
from neurprise.reducers import Reducer


def add_checkpoint(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--checkpoint", metavar="DIR", help="for neurprise and neur2ro: a model of your own instead of a shipped one"
    )


def named_reducer(name: str, args: argparse.Namespace) -> Reducer:
    """The method of that name; --solver reaches it where it asks engines at all."""
    reducer = nr.reducers.get_reducer(name)
    if args.checkpoint is not None:
        if reducer.name != "neurprise":
            raise nr.InputError(f"--checkpoint goes with the reducer neurprise, got {name!r}; leave one of them out.")
        return nr.reducers.NeurPRISE(args.checkpoint)
    if is_dataclass(reducer) and any(item.name == "solver" for item in fields(reducer)):
        return replace(reducer, solver=args.solver)
    return reducer
