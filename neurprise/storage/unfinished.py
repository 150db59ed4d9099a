"""Whether the work on a file was finished the last time, or cut short: by a kill, a crash, an error or Ctrl-C."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def unfinished_before(path: Path) -> Iterator[bool]:
    """
    True where the block did not come to its end the last time; a mark beside the file remembers that.

    The caller holds the file. A disk without room for the mark goes without.
    """
    mark = path.with_name(f".{path.name}.unfinished")
    before = mark.exists()
    with suppress(OSError):
        mark.touch()
    yield before
    with suppress(OSError):
        mark.unlink()
