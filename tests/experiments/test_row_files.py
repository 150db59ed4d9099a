"""Rows on disk: compressed, each run described once, nothing lost by a kill."""

import gzip
import json

import pytest

from experiments.row_files import RowFile
from neurprise.errors import FormatError, InputError

RUN = {"run": "one", "commit": "abc", "machine": "here"}


@pytest.fixture
def file(tmp_path):
    return RowFile(tmp_path, "tiny")


def lines_of(file):
    return [json.loads(line) for line in gzip.decompress(file.path.read_bytes()).splitlines()]


def append(file, *values, made_by=RUN):
    with file.appending(made_by) as rows:
        for value in values:
            rows.append({"value": value})


def test_a_run_is_described_once_and_every_row_has_its_fields(file):
    """Commit and machine are those of the run; the file names them in one line."""
    append(file, 1, 2)
    assert file.read() == [{**RUN, "value": 1}, {**RUN, "value": 2}]
    assert sum("made_by" in line for line in lines_of(file)) == 1


def test_runs_follow_each_other(file):
    """Rows keep their order, and each its own run."""
    append(file, 1)
    append(file, 2, made_by={"run": "two", "commit": "def", "machine": "there"})
    assert [(row["value"], row["commit"]) for row in file.read()] == [(1, "abc"), (2, "def")]


def test_a_field_of_the_row_counts_more_than_that_of_its_run(file):
    """A worker of a cluster names its own machine."""
    with file.appending(RUN) as rows:
        rows.append({"value": 1, "machine": "elsewhere"})
    assert file.read()[0]["machine"] == "elsewhere"


def test_a_reader_sees_the_rows_of_a_run_that_is_under_way(file):
    """So that a table can be printed at any time."""
    append(file, 1)
    with file.appending({**RUN, "run": "two"}) as rows:
        assert [row["value"] for row in rows.stored] == [1]
        rows.append({"value": 2})
        assert [row["value"] for row in file.read()] == [1, 2]


def test_a_second_run_is_refused(file):
    """One writer at a time."""
    with file.appending(RUN), pytest.raises(InputError, match="another process"), file.appending(RUN):
        pass


def test_what_a_kill_left_is_kept_without_its_last_half_line(file):
    """The next run moves it into the compressed file."""
    append(file, 1, 2)
    file.tail.write_bytes(gzip.decompress(file.path.read_bytes()) + b'{"val')
    file.path.unlink()
    assert [row["value"] for row in file.read()] == [1, 2]
    append(file, 3)
    assert [row["value"] for row in file.read()] == [1, 2, 3]
    assert file.tail.stat().st_size == 0


def test_a_kill_while_lines_are_moved_doubles_no_row(file):
    """They are in both files then."""
    append(file, 1, 2)
    file.tail.write_bytes(gzip.decompress(file.path.read_bytes()))
    assert [row["value"] for row in file.read()] == [1, 2]
    append(file, 3)
    assert [row["value"] for row in file.read()] == [1, 2, 3]


def test_the_same_rows_give_the_same_bytes(tmp_path):
    """No time stamp in the compressed file, so that git sees changes of rows only."""
    files = [RowFile(tmp_path / name, "tiny") for name in ("a", "b")]
    for file in files:
        append(file, 1)
    assert files[0].path.read_bytes() == files[1].path.read_bytes()


@pytest.mark.parametrize(
    "content",
    [b"no gzip", gzip.compress(b"no JSON\n"), gzip.compress(b'{"run": "gone"}\n'), gzip.compress(b"x" * 99)[:20]],
    ids=["no gzip", "no JSON", "unknown run", "cut off"],
)
def test_a_damaged_file_is_refused_with_a_sentence(file, content):
    """It names the file and the remedy."""
    file.path.write_bytes(content)
    with pytest.raises(FormatError, match=r"tiny.jsonl.gz .*git"):
        file.read()
