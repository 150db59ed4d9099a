"""
A directory with config.json and one JSON line per instance, written in the order of the instances.

Lines are appended as they come, so a run that was stopped or killed goes on where it was (`storage/rows.py`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neurprise.errors import FormatError, InputError
from neurprise.storage.rows import open_rows, read_lines
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

    def extend(self, count: int, line_of: Callable[[int], bytes], jobs: int) -> None:
        """Append `line_of(i)`, which has no line end, for the instances that are missing until there are `count`."""
        with open_rows(self.folder / self.lines) as rows:
            for number, line in enumerate(rows.lines):
                self.check(line, number)
            for line in _in_parallel(line_of, range(rows.count, count), jobs):
                rows.append_line(line)

    def read(self) -> list[bytes]:
        """The finished lines."""
        return read_lines(self.folder / self.lines)


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


def _in_parallel(line_of: Callable[[int], bytes], indices: range, jobs: int) -> Iterator[bytes]:
    """One line per instance, in order, with a progress bar on standard error."""
    from joblib import Parallel, delayed
    from rich.console import Console
    from rich.progress import track

    # loky starts fresh processes: HiGHS must not be forked after a solve.
    work = Parallel(n_jobs=jobs, return_as="generator")(delayed(line_of)(i) for i in indices)
    console = Console(stderr=True)
    yield from track(work, "labelling", len(indices), console=console, disable=not console.is_terminal)
