"""The parser of all commands, and the types of option values, which refuse bad words with a remedy."""

from __future__ import annotations

import argparse
import importlib
import math
from argparse import ArgumentTypeError
from collections.abc import Callable, Sequence
from typing import Any

from neurprise import __version__
from neurprise.cli import COMMANDS
from neurprise.cli.exits import BAD_INPUT
from neurprise.errors import did_you_mean


def whole_number(lowest: int) -> Callable[[str], int]:
    """A whole number from `lowest` on."""

    def read(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = lowest - 1
        if value < lowest:
            raise ArgumentTypeError(f"must be a whole number at least {lowest}, got {text!r}")
        return value

    return read


def seconds(text: str) -> float:
    """A duration; inf means no limit."""
    value = _number(text)
    if not value >= 0:
        raise ArgumentTypeError(f"must be seconds, zero or positive, without a unit, got {text!r}")
    return value


def relative_gap(text: str) -> float:
    """A share from 0 to 1; someone who writes 5 means five percent."""
    value = _number(text.removesuffix("%"))
    if text.endswith("%") or value >= 1:
        percent = f"; write {value:g} % as {value / 100:g}" if math.isfinite(value) else ""
        raise ArgumentTypeError(f"must be a share below 1, got {text!r}{percent}")
    if not value >= 0:
        raise ArgumentTypeError(f"must be zero or positive and below 1, such as 0.01 for one percent, got {text!r}")
    return value


def one_of(known: Sequence[str], spelled: Callable[[str], str] = str) -> Callable[[str], str]:
    """One of these names, after `spelled` has normalised the word. The result's attribute `known` lists them."""

    def read(text: str) -> str:
        name = spelled(text)
        if name not in known:
            raise ArgumentTypeError(unknown_name(text, known))
        return name

    read.known = known  # type: ignore[attr-defined]  # for completion in shells
    return read


def unknown_name(text: str, known: Sequence[str]) -> str:
    """The message for a word that is not one of the known names."""
    return f"must be one of {', '.join(known)}, got {text!r}{did_you_mean(text, known)}"


def _number(text: str) -> float:
    """The text as a number; nan if it is none."""
    try:
        return float(text)
    except ValueError:
        return math.nan


_DESCRIPTION = """\
Two-stage robust optimization over a finite list of scenarios: which decision is best in the worst case, and how far
from optimal can it be?"""

_EPILOG = """\
example:
  neurprise make selection --items 20 --scenarios 50 --seed 7 -o sel.npz
  neurprise solve sel.npz

With --json, every command writes one JSON object to standard output; progress goes to standard error.
exit codes: 0 success, 1 failure, 2 bad input, 130 interrupted by Ctrl-C or SIGTERM"""


class Parser(argparse.ArgumentParser):
    """Reports bad options in one sentence with a suggestion instead of the whole usage."""

    def error(self, message: str) -> None:  # type: ignore[override]
        self.exit(BAD_INPUT, f"neurprise: error: {message}; see {self.prog} --help.\n")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """As in argparse, but a command refuses unknown options itself, so that it can suggest its own options."""
        known, unknown = super().parse_known_args(args, namespace)
        if unknown:
            option = unknown[0].partition("=")[0]
            guess = did_you_mean(option, list(self._option_string_actions)) if option.startswith("-") else ""
            self.error(f"unrecognized arguments: {' '.join(unknown)}{guess}")
        return known, unknown

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            raise argparse.ArgumentError(action, unknown_name(value, list(action.choices)))


def build_parser(words: Sequence[str] | None = None) -> argparse.ArgumentParser:
    """
    The parser of all commands; each sets `run`, the function that carries it out.

    Parameters
    ----------
    words
        A command line. Only the module of the command it names is imported; the others have just a summary. None
        imports all.
    """
    parser = Parser(
        prog="neurprise",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"neurprise {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, title="commands")
    # No option of the program itself takes a value, so the first other word is the command.
    named = COMMANDS if words is None else [word for word in words if not word.startswith("-")][:1]
    for name, summary in COMMANDS.items():
        if name in named:
            importlib.import_module(f"neurprise.cli.{name}").add_parser(commands, summary)
        else:
            commands.add_parser(name, help=summary)
    return parser
