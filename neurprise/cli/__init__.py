"""
The command line: parse, call, print. A new command is one module here and one line in `COMMANDS`.

Keep this file and its imports small: before `main` begins, Ctrl-C ends with a traceback.
"""

from __future__ import annotations

import sys

from neurprise.cli.exits import BAD_INPUT, INTERRUPTED, OK, complain, flushed, guarded, reserve_for_answers
from neurprise.cli.signals import StopSignals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Callable, Sequence

# module of a command -> its summary in the list of commands
COMMANDS = {
    "make": "draw a random instance",
    "solve": "find the best decision for the worst case",
    "reduce": "choose the scenarios to keep",
    "evaluate": "compute the costs of a given decision",
    "compare": "compare several decisions",
    "tradeoff": "find decisions between the best guarantee and the best mean",
    "convert": "write a problem in another format",
    "label": "make training data",
    "train": "train a NeurPRISE model or a Neur2RO surrogate",
    "info": "show the installation or describe a problem file",
    "warm": "compile everything in advance",
    "completion": "print a completion script for your shell",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    return run_program(_all_commands, argv)


def run_program(build: Callable[[Sequence[str]], ArgumentParser], argv: Sequence[str] | None) -> int:
    """
    Parse, call, return the exit code. Ctrl-C and SIGTERM always end it with one sentence.

    Parameters
    ----------
    build
        Makes a parser that sets `run` from the words of a command line.
    argv
        None for the words that the process was started with.
    """
    with StopSignals(ends_process=argv is None) as stop:
        try:
            if argv is None:
                reserve_for_answers()
            return _run(_load(stop, build, sys.argv[1:] if argv is None else argv), argv)
        except KeyboardInterrupt:
            complain("interrupted.")
            return INTERRUPTED


def _run(parser: ArgumentParser, argv: Sequence[str] | None) -> int:
    try:
        args = parser.parse_args(argv)
    except SystemExit as answered:  # --help, --version or bad options
        return BAD_INPUT if answered.code else flushed(OK)
    return guarded(args.run, args)


def _all_commands(words: Sequence[str]) -> ArgumentParser:
    from neurprise.cli.parser import build_parser

    return build_parser(words)


def _load(stop: StopSignals, build: Callable[[Sequence[str]], ArgumentParser], words: Sequence[str]) -> ArgumentParser:
    """The parser for a command line. A library may swallow an interrupt during its imports."""
    try:
        parser = build(words)
    except Exception:
        stop.raise_if_received()
        raise
    stop.raise_if_received()
    return parser
