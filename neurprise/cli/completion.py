"""`neurprise completion SHELL`: a shell script that completes commands, options, names and files."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import shtab

from neurprise.cli.exits import OK
from neurprise.cli.options import new_command
from neurprise.cli.output import emit

_DETAILS = """\
Print a script that completes commands, options, names of methods and files. Load it in every new shell, for bash:
  neurprise completion bash > ~/.local/share/bash-completion/completions/neurprise
for zsh, into a folder of $fpath: neurprise completion zsh > ~/.zfunc/_neurprise"""
_FOLDERS = ("DIR", "FOLDER", "DIRECTORY")


def add_parser(commands: Any, summary: str) -> None:
    parser = new_command(commands, "completion", summary, _DETAILS, "neurprise completion bash")
    parser.add_argument(
        "shell", metavar="SHELL", choices=shtab.SUPPORTED_SHELLS, help=", ".join(shtab.SUPPORTED_SHELLS)
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the script."""
    script = completion_script(args.shell)
    emit(args, script.rstrip("\n"), {"shell": args.shell, "script": script})
    return OK


def completion_script(shell: str) -> str:
    """The script for one of the shells."""
    from neurprise.cli.parser import build_parser

    parser = build_parser()
    for action in _actions(parser):
        _set_completion(action)
    return str(shtab.complete(parser, shell))


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """All options and arguments, including those of commands."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for command in dict.fromkeys(action.choices.values()):
                yield from _actions(command)


def _set_completion(action: argparse.Action) -> None:
    """Complete names for options with a fixed list of values, and paths for options that take a path."""
    names = getattr(action.type, "known", None)
    if names is not None:
        action.choices = list(names)
    elif action.type is Path or "PATH" in str(action.metavar):
        action.complete = shtab.DIRECTORY if action.metavar in _FOLDERS else shtab.FILE  # type: ignore[attr-defined]
