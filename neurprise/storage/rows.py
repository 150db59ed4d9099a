"""
A file of rows, one JSON object a line, that is only ever appended to.

    with open_rows(path) as rows:
        done = {row["index"] for row in rows.stored()}
        rows.append({"index": 3, "value": 2.5})

When `append` returns, its row is on the disk. A kill may leave an unfinished line, which readers skip and the next
writer cuts off; a full disk leaves none. A second writer is refused, or waits.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from neurprise.errors import FormatError, StorageError, counted
from neurprise.storage.lock import lock
from neurprise.storage.whole_files import sync_folder


class RowWriter:
    """
    The rows of a file that this process holds; made by `open_rows`.

    Parameters
    ----------
    lines
        Lines of the file when it was opened.
    """

    def __init__(self, path: Path, descriptor: int, lines: list[bytes]) -> None:
        self.lines = lines
        self.count = len(lines)
        self._path, self._descriptor = path, descriptor

    def stored(self) -> list[dict[str, Any]]:
        """The rows of the file when it was opened."""
        return _parse(self._path, self.lines)

    def append(self, row: Mapping[str, Any]) -> None:
        """Store one more row, whole or not at all; JSON knows no infinities, so neither may the row."""
        self.append_line(json.dumps(row, allow_nan=False, separators=(",", ":")).encode())

    def append_line(self, line: bytes) -> None:
        """Store one more row that is JSON already, without its line end."""
        before = os.fstat(self._descriptor).st_size
        try:
            _write_all(self._descriptor, line + b"\n")
            os.fsync(self._descriptor)
        except OSError as error:
            os.ftruncate(self._descriptor, before)
            raise StorageError(
                f"cannot write {self._path} ({error.strerror}): its old content, {counted(self.count, 'row')}, is "
                "kept; make room, and run the same command again."
            ) from error
        except BaseException:  # Ctrl-C between the parts of a line
            os.ftruncate(self._descriptor, before)
            raise
        self.count += 1


@contextmanager
def open_rows(path: Path, wait: bool = False) -> Iterator[RowWriter]:
    """
    Lock the file, creating it if necessary, and cut off an unfinished last line.

    Parameters
    ----------
    wait
        Wait for another writer instead of refusing; for short writes.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        lock(descriptor, path, wait)
        sync_folder(path.parent)
        content = path.read_bytes()
        whole = content.rfind(b"\n") + 1
        if whole < len(content):
            os.ftruncate(descriptor, whole)
        yield RowWriter(path, descriptor, content[:whole].splitlines())
    finally:
        os.close(descriptor)


def read_lines(path: Path) -> list[bytes]:
    """The finished lines, also during writing; none if there is no file."""
    content = path.read_bytes() if path.exists() else b""
    return content[: content.rfind(b"\n") + 1].splitlines()


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The finished rows, also during writing; none if there is no file."""
    return _parse(path, read_lines(path))


def _parse(path: Path, lines: list[bytes]) -> list[dict[str, Any]]:
    rows = []
    for number, line in enumerate(lines, 1):
        try:
            rows.append(json.loads(line))
        except ValueError as error:
            raise FormatError(f"line {number} of {path} is not a row of JSON ({error}); remove that line.") from None
    return rows


def _write_all(descriptor: int, data: bytes) -> None:
    """One call as a rule; a disk that fills up may take a part first and refuse the rest."""
    while data:
        data = data[os.write(descriptor, data) :]


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
