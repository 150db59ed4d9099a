"""
A directory with config.json and one JSON line per instance, written in the order of the instances.

Finished lines are appended, so a run that was stopped or killed can be continued (`storage/rows.py`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from neurprise.clock import Deadline
from neurprise.errors import FormatError, InputError
from neurprise.parallel.workers import Workers, completed
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
        The format that config.json must name.
    lines
        Name of the file that holds the lines.
    check
        Called with each stored line and its number when a run resumes; raises for a foreign line.
    """

    folder: Path
    format: str
    lines: str
    check: Callable[[bytes, int], object]

    def fill(
        self, config: dict[str, Any], count: int, line_of: Callable[[int], bytes], workers: Workers, deadline: Deadline
    ) -> None:
        """
        Store the configuration, and `line_of(i)` (without line end) for the missing ones of `count` instances.

        Raises
        ------
        InputError
            The directory holds another configuration.
        OutOfTimeError
            The time limit has passed; finished lines are kept.
        """
        self._claim(config)
        self._extend(count, line_of, workers, deadline)

    def _claim(self, config: dict[str, Any]) -> None:
        """Write the configuration, or refuse a directory with another one."""
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

    def _extend(self, count: int, line_of: Callable[[int], bytes], workers: Workers, deadline: Deadline) -> None:
        """Append the missing lines. Lines that finish early wait in a file of their own, so that a kill loses none."""
        path = self.folder / self.lines
        with open_rows(path) as rows, unfinished_before(path) as cut_short, open_rows(self._ahead) as ahead:
            # An instance may have crashed the last run, so now a separate process computes it.
            workers = replace(workers, apart=cut_short)
            for number, line in enumerate(rows.lines):
                self.check(line, number)
            known = {row["index"]: row["line"].encode() for row in ahead.stored() if row["index"] >= rows.count}
            for number, line in known.items():
                self.check(line, number)
            _append_known(rows, known, count)
            missing = [index for index in range(rows.count, count) if index not in known]
            units = completed(line_of, missing, workers, deadline, name=_instance_name)
            for index, line in shown(units, "labelling", len(missing)):
                if index != rows.count:
                    ahead.append({"index": index, "line": line.decode()})
                known[index] = line
                _append_known(rows, known, count)
            if not known:
                self._ahead.unlink()

    def read(self) -> list[bytes]:
        """The finished lines, up to the first missing one."""
        return read_lines(self.folder / self.lines)

    def num_kept(self) -> int:
        """Number of finished lines, including those that wait for an earlier one."""
        stored = len(self.read())
        return stored + len({row["index"] for row in read_rows(self._ahead) if row["index"] >= stored})

    @property
    def _ahead(self) -> Path:
        return self.folder / f"{self.lines}.ahead"


def _instance_name(index: int) -> str:
    return f"instance {index}"


def _append_known(rows: RowWriter, known: dict[int, bytes], count: int) -> None:
    """Append the known lines that come next."""
    while rows.count < count and rows.count in known:
        rows.append_line(known[rows.count])
        del known[rows.count - 1]


def stored_format(folder: Path) -> str | None:
    """The format that config.json names; None if there is no such file."""
    try:
        return str(json.loads((folder / _CONFIG).read_text())["format"])
    except (OSError, KeyError, TypeError, ValueError):
        return None


def read_config(folder: Path, format: str) -> dict[str, Any]:
    """The entries of config.json without its format; refuses another format."""
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
    """The same items, with a progress bar if standard error is a terminal."""
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    yield from track(work, activity, count, console=console, disable=not console.is_terminal)
