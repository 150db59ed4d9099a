"""How far the work has come."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

Item = TypeVar("Item")


def shown(work: Iterator[Item], activity: str, count: int) -> Iterator[Item]:
    """The same items, with a progress bar on standard error where that is a terminal."""
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    yield from track(work, activity, count, console=console, disable=not console.is_terminal)
