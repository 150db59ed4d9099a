"""The reducer that a command line names, with the engine and the checkpoint given there."""

from __future__ import annotations

import argparse
import warnings
from dataclasses import fields, is_dataclass, replace

import neurprise as nr
from neurprise.cli.values import one_of
from neurprise.reducers import Reducer

#: Reads one of the reducers' names, in any case, with or without hyphens; an argparse type.
reducer_name = one_of(nr.reducers.reducer_names(), lambda word: word.lower().replace("-", "").replace("_", ""))


def warn_of_large_budget(budget: int | str | None, num_scenarios: int) -> None:
    """More scenarios than there are can be kept, but hardly meant."""
    if isinstance(budget, int) and budget > num_scenarios:
        sentence = f"the budget {budget} exceeds the number of scenarios, {num_scenarios:,}; all can be kept."
        warnings.warn(sentence, nr.InputWarning, stacklevel=2)


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
