"""
Rows of experiments on disk: NAME.jsonl.gz, and beside it what a run that is under way has appended.

Every line is a JSON object. A line with "made_by" describes a run: commit, machine, versions, time. All other lines are
rows, and "run" names the run that made them; a field of the row itself counts more than that of its run.

A run appends to a plain file, so that a kill costs one row. When it ends, or when the next run begins, these lines are
moved into the compressed file.
"""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from neurprise.errors import FormatError
from neurprise.storage.rows import RowWriter, open_rows, read_lines
from neurprise.storage.whole_files import replacing


class Appender:
    """
    Appends rows of one run; made by `RowFile.appending`.

    Parameters
    ----------
    stored
        The rows that were there before, with what made them.
    made_by
        What made the rows that are appended; its "run" names the run.
    """

    def __init__(self, writer: RowWriter, stored: list[dict[str, Any]], made_by: Mapping[str, Any]) -> None:
        self.stored = stored
        self._writer, self._made_by, self._described = writer, made_by, False

    def append(self, row: Mapping[str, Any]) -> None:
        """Store one more row; on return it is on the disk."""
        if not self._described:
            described = {name: value for name, value in self._made_by.items() if name != "run"}
            self._writer.append({"run": self._made_by["run"], "made_by": described})
            self._described = True
        self._writer.append({**row, "run": self._made_by["run"]})


class RowFile:
    """
    All rows of one experiment.

    Parameters
    ----------
    folder, name
        Where the files are, and the name of the experiment.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self.path = folder / f"{name}.jsonl.gz"
        self.tail = folder / f".{name}.rows.unfinished"

    def read(self) -> list[dict[str, Any]]:
        """Every finished row with what made it, also while a run appends; none where there is no file."""
        appended = read_lines(self.tail)  # first: a run that ends now moves these lines into the other file
        return self._rows([*self._packed(), *appended])

    @contextmanager
    def appending(self, made_by: Mapping[str, Any], wait: bool = False) -> Iterator[Appender]:
        """
        Hold the file for one run.

        Parameters
        ----------
        made_by
            What made the rows of this run; "run" must be its name.
        wait
            Wait for another run instead of refusing; for those who append a few rows and leave.
        """
        self.tail.parent.mkdir(parents=True, exist_ok=True)
        with open_rows(self.tail, wait) as writer:
            self._pack()
            try:
                yield Appender(writer, self.read(), made_by)
            finally:
                self._pack()

    def _pack(self) -> None:
        """Move the lines that runs appended into the compressed file; the caller holds the other one."""
        appended = read_lines(self.tail)
        if not appended:
            return
        # A kill between the two steps leaves the lines in both files; readers count equal lines once.
        lines = dict.fromkeys([*self._packed(), *appended])
        with replacing(self.path) as file, gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
            packed.writelines(line + b"\n" for line in lines)
        os.truncate(self.tail, 0)

    def _packed(self) -> list[bytes]:
        try:
            return gzip.decompress(self.path.read_bytes()).splitlines() if self.path.exists() else []
        except (OSError, EOFError, zlib.error) as error:
            raise FormatError(f"{self.path} is not a file of rows ({error}); take it from git again.") from None

    def _rows(self, lines: list[bytes]) -> list[dict[str, Any]]:
        rows, runs = [], {}
        try:
            for parsed in map(json.loads, dict.fromkeys(lines)):
                if "made_by" in parsed:
                    runs[parsed["run"]] = parsed["made_by"]
                else:
                    rows.append({**runs[parsed["run"]], **parsed})
        except (ValueError, KeyError, TypeError) as error:
            raise FormatError(f"{self.path} holds a line that is no row ({error!r}); take it from git again.") from None
        return rows
