"""
A directory with config.json and one JSON line per instance, written in the order of the instances.

Lines are appended as they come, so a run that was stopped or killed goes on where it was (`storage/rows.py`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from neurprise.clock import Deadline
from neurprise.errors import FormatError, InputError
from neurprise.parallel.pools import Workers
from neurprise.parallel.units import completed
from neurprise.storage.rows import RowWriter, open_rows, read_lines, read_rows, unfinished_before
from neurprise.storage.whole_files import replace_file

_CONFIG = "config.json"


@dataclass(frozen=True)
class LineStore:
    """
    Parameters
    ----------
    folder
        The directory.
    format
        What config.json must name as its format.
    lines
        Name of the file that holds the lines.
    check
        Called with each stored line and its number when a run resumes; raises for a line that is none of ours.
    """

    folder: Path
    format: str
    lines: str
    check: Callable[[bytes, int], object]

    def claim(self, config: dict[str, Any]) -> None:
        """Make the directory one of this configuration; refuse it when it holds another one."""
        if (self.folder / _CONFIG).exists():
            known = read_config(self.folder, self.format)
            if known != json.loads(json.dumps(config)):
                raise InputError(
                    f"{self.folder} holds labels of {known}, asked for {config}; choose another directory."
                )
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        content = json.dumps({"format": self.format, **config}, indent=1) + "\n"
        replace_file(self.folder / _CONFIG, content.encode())

    def extend(
        self, count: int, line_of: Callable[[int], bytes], workers: Workers, time_limit: float | None = None
    ) -> None:
        """
        Append `line_of(i)`, which has no line end, for the instances that are missing until there are `count`.

        Lines that are finished before their turn wait in a file of their own, so that a kill costs none of them.

        Raises
        ------
        OutOfTimeError
            The seconds are over; what is finished is kept.
        """
        path = self.folder / self.lines
        with open_rows(path) as rows, unfinished_before(path) as cut_short, open_rows(self._ahead) as ahead:
            # Perhaps by an instance that crashed it: then it is done by a process that may crash.
            workers = replace(workers, apart=cut_short)
            for number, line in enumerate(rows.lines):
                self.check(line, number)
            known = {row["index"]: row["line"].encode() for row in ahead.stored() if row["index"] >= rows.count}
            for number, line in known.items():
                self.check(line, number)
            _append_known(rows, known, count)
            missing = [index for index in range(rows.count, count) if index not in known]
            units = completed(line_of, missing, workers, Deadline(time_limit), name=_instance_name)
            for index, line in shown(units, "labelling", len(missing)):
                if index != rows.count:
                    ahead.append({"index": index, "line": line.decode()})
                known[index] = line
                _append_known(rows, known, count)
            if not known:
                self._ahead.unlink()

    def read(self) -> list[bytes]:
        """The finished lines, as far as none is missing."""
        return read_lines(self.folder / self.lines)

    def num_kept(self) -> int:
        """Finished lines, those that wait for their turn included."""
        stored = len(self.read())
        return stored + len({row["index"] for row in read_rows(self._ahead) if row["index"] >= stored})

    @property
    def _ahead(self) -> Path:
        return self.folder / f"{self.lines}.ahead"


def _instance_name(index: int) -> str:
    return f"instance {index}"


def _append_known(rows: RowWriter, known: dict[int, bytes], count: int) -> None:
    """Append the lines whose turn has come."""
    while rows.count < count and rows.count in known:
        rows.append_line(known[rows.count])
        del known[rows.count - 1]


def stored_format(folder: Path) -> str | None:
    """The format that config.json names; None where there is no such file."""
    try:
        return str(json.loads((folder / _CONFIG).read_text())["format"])
    except (OSError, KeyError, TypeError, ValueError):
        return None


def read_config(folder: Path, format: str) -> dict[str, Any]:
    """What config.json holds besides its format; refuses another format."""
    try:
        data: dict[str, Any] = json.loads((folder / _CONFIG).read_text())
        if data.pop("format") != format:
            raise KeyError("format")
        return data
    except FileNotFoundError:
        raise FormatError(
            f"{folder} holds no labels ({_CONFIG} is missing); make them with: neurprise label."
        ) from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise not_a_config(folder, error) from None


def not_a_config(folder: Path, error: Exception) -> FormatError:
    return FormatError(f"{folder / _CONFIG} is not a label configuration of this package ({error!r}).")


Item = TypeVar("Item")


def shown(work: Iterator[Item], activity: str, count: int) -> Iterator[Item]:
    """The same items, with a progress bar on standard error where that is a terminal."""
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    yield from track(work, activity, count, console=console, disable=not console.is_terminal)
