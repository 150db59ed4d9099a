"""
Texts as cells of CSV files that spreadsheets do not execute, and back.

A spreadsheet takes a cell that begins with `=`, `+`, `-` or `@` for a formula, which may start programs. An apostrophe
before it makes it a text. So that every text comes back, one that begins with such an apostrophe gets another.
"""

from __future__ import annotations

import re

# The wide signs count in some languages; after a tab or a line end spreadsheets look on.
_STARTS = "=+\\-@＝＋－＠\t\r\n"  # noqa: RUF001
_EXECUTED = re.compile(f"[{_STARTS}]")
_QUOTED = re.compile(f"'+[{_STARTS}]")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def cell_of(text: str, neutral: bool = True) -> str:
    """
    The text as a cell.

    Parameters
    ----------
    neutral
        False leaves what a spreadsheet would execute as it is.
    """
    executed = _EXECUTED.match(text) and not _NUMBER.fullmatch(text)
    return f"'{text}" if _QUOTED.match(text) or (neutral and executed) else text


def text_of(cell: str) -> str:
    """The text that `cell_of` made a cell of, neutral or not."""
    return cell[1:] if _QUOTED.match(cell) else cell
