"""
The command line: parse, call, print. One module per command; adding one is a file here and a name in `COMMANDS`.

This file and what it imports at the top stay small: until `main` begins, Ctrl-C still ends with a traceback.
"""

from __future__ import annotations

from neurprise.cli.exits import INTERRUPTED, complain, guarded
from neurprise.cli.signals import StopSignals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Sequence

COMMANDS = ("make", "solve", "reduce", "evaluate", "label", "train", "bench", "info")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; Ctrl-C and SIGTERM end it with a sentence at any moment."""
    with StopSignals(ends_process=argv is None) as stop:
        try:
            args = _load(stop).parse_args(argv)
            return guarded(args.run, args)
        except KeyboardInterrupt:
            complain("interrupted before anything was read.")
            return INTERRUPTED


def _load(stop: StopSignals) -> ArgumentParser:
    """The parser with all commands; imports take most of a second, and a library may swallow their interrupt."""
    try:
        from neurprise.cli.parser import build_parser

        parser = build_parser()
    except Exception:
        stop.raise_if_received()
        raise
    stop.raise_if_received()
    return parser
