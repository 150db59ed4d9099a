"""The commands that pages show: in blocks for a shell, and in the running text."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from docs.check import blocks

_PROMPT = re.compile(r"^\$ (.*)$", re.M)
_INLINE = re.compile(r"(?<!`)`(?!`)([^`]+)`(?!`)")
_BLOCK = re.compile(r"^```.*?^```$", re.M | re.S)
#: What a span of code must begin with to be a command.
_PROGRAMS = ("neurprise ", "python ", "pip ", "make ")


@dataclass(frozen=True)
class Command:
    """
    One command line.

    Parameters
    ----------
    page
        The file that shows it.
    words
        As a shell would split it, without a comment.
    inline
        True in running text, where parts may be left out.
    """

    page: str
    words: tuple[str, ...]
    inline: bool

    def __str__(self) -> str:
        return f"{self.page}: {shlex.join(self.words)}"


def shown_commands(path: Path) -> list[Command]:
    """Every command of a page, in order: blocks first, then the running text."""
    page = path.read_text(encoding="utf-8")
    lines = [line for language, text in blocks(page) for line in _command_lines(language, text)]
    spans = [" ".join(span.split()) for span in _INLINE.findall(_BLOCK.sub("", page))]
    inline = [span for span in spans if span.startswith(_PROGRAMS)]
    commands = [Command(path.name, _words(line), False) for line in lines]
    commands += [Command(path.name, _words(span), True) for span in inline]
    return [command for command in commands if command.words]


def _command_lines(language: str, text: str) -> list[str]:
    if language == "console":
        return _PROMPT.findall(text)
    return text.splitlines() if language in ("sh", "") else []


def _words(line: str) -> tuple[str, ...]:
    return tuple(shlex.split(line, comments=True))
