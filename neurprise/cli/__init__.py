"""
The command line: parse, call, print. One module per command; adding one is a file here and a line in `COMMANDS`.

This file and what it imports at the top stay small: until `main` begins, Ctrl-C still ends with a traceback.
"""

from __future__ import annotations

import sys

from neurprise.cli.exits import BAD_INPUT, INTERRUPTED, OK, complain, flushed, guarded, reserve_for_answers
from neurprise.cli.signals import StopSignals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Callable, Sequence

# module of a command -> what the list of commands says about it
COMMANDS = {
    "make": "draw a random instance",
    "solve": "the best decision in the worst case",
    "reduce": "choose the scenarios to keep",
    "evaluate": "what a given decision costs",
    "compare": "several decisions beside each other",
    "label": "make training data",
    "train": "train a NeurPRISE model or a Neur2RO surrogate",
    "info": "what is installed, or what a file holds",
    "warm": "compile everything ahead",
    "completion": "complete commands and names in your shell",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    return run_program(_all_commands, argv)


def run_program(build: Callable[[Sequence[str]], ArgumentParser], argv: Sequence[str] | None) -> int:
    """
    Parse, call, return the exit code; Ctrl-C and SIGTERM end it with a sentence at any moment.

    Parameters
    ----------
    build
        From the words of a command line to a parser that sets `run`.
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
    except SystemExit as answered:  # --help, --version, or options that are refused
        return BAD_INPUT if answered.code else flushed(OK)
    return guarded(args.run, args)


def _all_commands(words: Sequence[str]) -> ArgumentParser:
    from neurprise.cli.parser import build_parser

    return build_parser(words)


def _load(stop: StopSignals, build: Callable[[Sequence[str]], ArgumentParser], words: Sequence[str]) -> ArgumentParser:
    """The parser for a command line; imports may take a second, and a library may swallow their interrupt."""
    try:
        parser = build(words)
    except Exception:
        stop.raise_if_received()
        raise
    stop.raise_if_received()
    return parser
