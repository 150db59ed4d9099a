"""How texts and tables look on a terminal: ruled and coloured there, plain everywhere else, and without NO_COLOR."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from neurprise.errors import visible

if TYPE_CHECKING:
    from rich.text import Text

#: Words -> style; what is proved and settled is green, what was cut short is yellow.
_STYLES = {
    r"^\S+( \S+)?(?=  )": "bold",
    r"\boptimal\b|\(proved\)": "green",
    r"\btime limit\b|\binterrupted\b|\bstopped\b|\bnumerical limit\b|\bcut short\b|\bno recourse\b": "yellow",
}


def on_terminal() -> bool:
    """Whether somebody looks at standard output."""
    return sys.stdout is not None and sys.stdout.isatty()


def show_text(text: str) -> None:
    """Print a text; on a terminal its labels and words of success or warning stand out."""
    text = visible(text)
    if not on_terminal():
        print(text)
        return
    from rich.console import Console

    Console(highlight=False, soft_wrap=True).print(coloured(text))


def show_table(
    rows: Sequence[Sequence[str]], num_right: int, plain: str, *, first_right: bool = False, below: Sequence[str] = ()
) -> None:
    """
    Print a table, the header first; `plain` where nobody looks.

    Parameters
    ----------
    num_right
        So many columns after the first stand to the right.
    first_right
        The first does, too.
    below
        Lines that follow the table, which `plain` has already.
    """
    if not on_terminal():
        print(visible(plain))
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for k, title in enumerate(rows[0]):
        right = first_right if k == 0 else k <= num_right
        table.add_column(Text(title), justify="right" if right else "left", overflow="fold")
    for row in rows[1:]:
        # Text, not str: a name such as [red] is a name. A star marks the best of a column.
        table.add_row(*(Text(visible(entry).strip(), style="green" if entry.endswith("*") else "") for entry in row))
    Console(highlight=False).print(table, *(Text(visible(line)) for line in below), sep="\n")


def coloured(text: str) -> Text:
    """The same text with styles."""
    from rich.text import Text

    found = Text(text)
    for pattern, style in _STYLES.items():
        for match in re.finditer(pattern, text, re.M):
            found.stylize(style, *match.span())
    return found
