"""
Columns of a Parquet file, each read when it is asked for, without trusting the file.

A few hundred bytes can stand for gigabytes: a cell that repeats is stored once. So sizes are checked before anything is
read, columns that nobody asks for are not read, and texts that repeat stay one text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from neurprise.errors import FormatError, MissingDependencyError
from neurprise.io.records import MAX_BYTES
from neurprise.io.staging import check_size
from neurprise.io.tables import Cells, Table, TableOptions

_PANDAS_INDEX = "__index_level_0__"


def table_of(path: Path, options: TableOptions) -> Table:
    """The file as a table whose columns are read when they are asked for."""
    columns = parquet_columns(path)
    names = list(columns)
    labels = _PANDAS_INDEX if _PANDAS_INDEX in names else "" if names[:1] == [""] else None
    return Table(path.name, columns, columns.num_rows, options.decimal, labels)


class ParquetColumns(Mapping[str, Cells]):
    """
    Column name -> its cells.

    Parameters
    ----------
    names
        Of all columns, in their order.
    num_rows
        Length of every column.
    """

    def __init__(self, path: Path, names: tuple[str, ...], num_rows: int) -> None:
        self.num_rows = num_rows
        self._path, self._names = path, names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __getitem__(self, name: str) -> Cells:
        from pyarrow import ArrowException, parquet, types

        try:
            with parquet.ParquetFile(self._path) as file:
                self._check_column(file, name)
            with parquet.ParquetFile(self._path, read_dictionary=[name]) as file:
                column = file.read(columns=[name]).column(name)
        except (ArrowException, OSError, KeyError, UnicodeDecodeError) as error:
            raise _unreadable(self._path, error) from None
        if types.is_integer(column.type) or types.is_floating(column.type):
            if column.null_count == 0:
                return column.to_numpy()  # type: ignore[no-any-return]
        elif types.is_dictionary(column.type):
            return list(chain.from_iterable(map(_shared_texts, column.chunks)))
        return column.to_pylist()  # type: ignore[no-any-return]

    def _check_column(self, file: Any, name: str) -> None:
        """Refuse a column of lists or records, and one whose pages announce more than a text file may hold."""
        kind, groups = file.schema_arrow.field(name).type, map(file.metadata.row_group, range(file.num_row_groups))
        if kind.num_fields:
            raise FormatError(f"{self._path.name}: column {name!r} must hold one value a row, got {kind}; split it.")
        parts = (group.column(k) for group in groups for k in range(group.num_columns))
        size = sum(part.total_uncompressed_size for part in parts if part.path_in_schema == name)
        if size > MAX_BYTES:
            raise FormatError(
                f"{self._path.name}: column {name!r} has {size:,} bytes, at most {MAX_BYTES:,} are read; shorten it."
            )


def parquet_columns(path: Path) -> ParquetColumns:
    """The columns of the file; only its description is read."""
    try:
        from pyarrow import ArrowException, parquet
    except ImportError:
        raise MissingDependencyError("Parquet tables need pyarrow; run: pip install 'neurprise[tables]'.") from None
    try:
        with parquet.ParquetFile(path) as file:
            names, num_rows = tuple(file.schema_arrow.names), file.metadata.num_rows
    except (ArrowException, OSError, KeyError, UnicodeDecodeError) as error:
        raise _unreadable(path, error) from None
    check_size(path.name, num_rows, len(names), "keep fewer rows or columns")
    if len(set(names)) != len(names):
        raise FormatError(f"{path.name}: column names must differ, got {', '.join(names)}.")
    return ParquetColumns(path, names, num_rows)


def _shared_texts(chunk: Any) -> list[Any]:
    """The cells of a dictionary array; equal ones are one object."""
    entries = chunk.dictionary.to_pylist()
    return [None if place is None else entries[place] for place in chunk.indices.to_pylist()]


def _unreadable(path: Path, error: Exception) -> FormatError:
    return FormatError(f"{path.name} is not a readable Parquet file ({error}).")
