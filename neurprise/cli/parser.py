"""The parser of all commands."""

from __future__ import annotations

import argparse
import importlib
from importlib import metadata

from neurprise.cli import COMMANDS
from neurprise.cli.exits import BAD_INPUT

_DESCRIPTION = """\
Two-stage robust optimization over a finite list of scenarios: which decision is best in the worst case, and how far
from the best can it be?"""

_EPILOG = """\
example:
  neurprise make selection --items 20 --scenarios 50 --seed 7 -o sel.npz
  neurprise solve sel.npz

Every command takes --json and then writes one JSON object to standard output; progress goes to standard error.
exit codes: 0 success, 1 failure, 2 bad input, 130 interrupted by Ctrl-C or SIGTERM"""


class _Parser(argparse.ArgumentParser):
    """Answers bad options with one sentence instead of the whole usage."""

    def error(self, message: str) -> None:  # type: ignore[override]
        self.exit(BAD_INPUT, f"neurprise: error: {message}; see {self.prog} --help.\n")


def build_parser() -> argparse.ArgumentParser:
    """The parser of all commands; each sets `run`, the function that carries it out."""
    parser = _Parser(
        prog="neurprise",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"neurprise {metadata.version('neurprise')}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, title="commands")
    for name in COMMANDS:
        importlib.import_module(f"neurprise.cli.{name}").add_parser(commands)
    return parser
