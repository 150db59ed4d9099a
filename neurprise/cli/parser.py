"""The parser of all commands."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Sequence
from typing import Any

from neurprise import __version__
from neurprise.cli import COMMANDS
from neurprise.cli.exits import BAD_INPUT
from neurprise.cli.values import unknown_name
from neurprise.errors import did_you_mean

_DESCRIPTION = """\
Two-stage robust optimization over a finite list of scenarios: which decision is best in the worst case, and how far
from the best can it be?"""

_EPILOG = """\
example:
  neurprise make selection --items 20 --scenarios 50 --seed 7 -o sel.npz
  neurprise solve sel.npz

Every command takes --json and then writes one JSON object to standard output; progress goes to standard error.
exit codes: 0 success, 1 failure, 2 bad input, 130 interrupted by Ctrl-C or SIGTERM"""


class Parser(argparse.ArgumentParser):
    """Answers bad options with one sentence instead of the whole usage, and guesses what was meant."""

    def error(self, message: str) -> None:  # type: ignore[override]
        self.exit(BAD_INPUT, f"neurprise: error: {message}; see {self.prog} --help.\n")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """As argparse does it, but the command that does not know an option refuses it itself, by its own options."""
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
        A command line; of commands that it does not name only the summary is known, and nothing is imported. None
        for a parser that knows everything.
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
