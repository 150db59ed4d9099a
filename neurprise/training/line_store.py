"""
A directory with config.json and one JSON line per instance, written in the order of the instances.

Finished lines are appended, so a run that was stopped or killed can be continued (`storage/rows.py`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from neurprise.clock import Deadline
from neurprise.errors import FormatError, InputError
from neurprise.parallel.workers import Workers, completed
from neurprise.storage.rows import RowWriter, open_rows, read_lines, read_rows, unfinished_before
from neurprise.storage.whole_files import replace_file

_CONFIG = "config.json"


class Entries(Protocol):
    """A configuration that can be written to config.json."""

    def entries(self) -> dict[str, Any]: ...


Config = TypeVar("Config", bound=Entries)
Item = TypeVar("Item")


@dataclass(frozen=True)
class LineStore(Generic[Config, Item]):
    """
    One kind of training data; each directory holds a configuration and its items.

    Parameters
    ----------
    kind
        The word for an item in messages.
    format
        The format that config.json must name.
    lines
        Name of the file that holds the lines.
    configured
        Makes the configuration from its directory and the entries of config.json; may raise KeyError or TypeError.
    parsed
        Makes an item from the configuration and the data of its line; may raise KeyError, TypeError or ValueError.
    """

    kind: str
    format: str
    lines: str
    configured: Callable[[Path, dict[str, Any]], Config]
    parsed: Callable[[Config, dict[str, Any]], Item]

    def read(self, directory: str | Path) -> tuple[Config, tuple[Item, ...]]:
        """The configuration and the finished items of a directory, up to the first missing one."""
        config = self._config(Path(directory))
        return config, tuple(self._items(config, read_lines(Path(directory) / self.lines)))

    def num_kept(self, directory: str | Path) -> int:
        """Number of finished items, including those that wait for an earlier one."""
        folder = Path(directory)
        self._config(folder)
        stored = len(read_lines(folder / self.lines))
        return stored + len({row["index"] for row in read_rows(self._ahead(folder)) if row["index"] >= stored})

    def fill(
        self,
        folder: Path,
        config: Config,
        count: int,
        line_of: Callable[[int], bytes],
        workers: Workers,
        deadline: Deadline,
    ) -> None:
        """
        Store the configuration, and `line_of(i)` (without line end) for the missing ones of `count` instances.

        Lines that finish early wait in a file of their own, so that a kill loses none.

        Raises
        ------
        InputError
            The directory holds another configuration.
        OutOfTimeError
            The time limit has passed; finished lines are kept.
        """
        self._claim(folder, config.entries())
        path = folder / self.lines
        with open_rows(path) as rows, unfinished_before(path) as cut_short, open_rows(self._ahead(folder)) as ahead:
            # An instance may have crashed the last run, so now a separate process computes it.
            workers = replace(workers, apart=cut_short)
            list(self._items(config, rows.lines))  # refuses foreign lines
            known = {row["index"]: row["line"].encode() for row in ahead.stored() if row["index"] >= rows.count}
            for number, line in known.items():
                self._item(config, line, number)
            _append_known(rows, known, count)
            missing = [index for index in range(rows.count, count) if index not in known]
            units = completed(line_of, missing, workers, deadline, name="instance {}".format)
            for index, line in shown(units, "labelling", len(missing)):
                if index != rows.count:
                    ahead.append({"index": index, "line": line.decode()})
                known[index] = line
                _append_known(rows, known, count)
            if not known:
                self._ahead(folder).unlink()

    def _claim(self, folder: Path, entries: dict[str, Any]) -> None:
        """Write the configuration, or refuse a directory with another one."""
        if (folder / _CONFIG).exists():
            known = self._entries(folder)
            if known != json.loads(json.dumps(entries)):
                raise InputError(f"{folder} holds labels of {known}, asked for {entries}; choose another directory.")
            return
        folder.mkdir(parents=True, exist_ok=True)
        content = json.dumps({"format": self.format, **entries}, indent=1) + "\n"
        replace_file(folder / _CONFIG, content.encode())

    def _config(self, folder: Path) -> Config:
        data = self._entries(folder)
        try:
            return self.configured(folder, data)
        except (KeyError, TypeError) as error:
            raise _not_a_config(folder, error) from None

    def _entries(self, folder: Path) -> dict[str, Any]:
        """The entries of config.json without its format; refuses another format."""
        try:
            data: dict[str, Any] = json.loads((folder / _CONFIG).read_text())
            if data.pop("format") != self.format:
                raise KeyError("format")
            return data
        except FileNotFoundError:
            raise FormatError(
                f"{folder} holds no labels ({_CONFIG} is missing); make them with: neurprise label."
            ) from None
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise _not_a_config(folder, error) from None

    def _items(self, config: Config, lines: list[bytes]) -> Iterator[Item]:
        return (self._item(config, line, number) for number, line in enumerate(lines))

    def _item(self, config: Config, line: bytes, number: int) -> Item:
        try:
            data = json.loads(line)
            if data["index"] != number:
                raise ValueError(f"it must hold instance {number}")
            return self.parsed(config, data)
        except (KeyError, TypeError, ValueError) as error:
            raise FormatError(
                f"line {number + 1} of {self.lines} is not a {self.kind} ({error!r}); remove it and resume."
            ) from None

    def _ahead(self, folder: Path) -> Path:
        return folder / f"{self.lines}.ahead"


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


def _not_a_config(folder: Path, error: Exception) -> FormatError:
    return FormatError(f"{folder / _CONFIG} is not a label configuration of this package ({error!r}).")


def shown(work: Iterator[Item], activity: str, count: int) -> Iterator[Item]:
    """The same items, with a progress bar if standard error is a terminal."""
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    yield from track(work, activity, count, console=console, disable=not console.is_terminal)
