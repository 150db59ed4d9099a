"""Rows: whole or absent, whoever dies when; one writer at a time."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from neurprise.errors import FormatError, InputError, StorageError
from neurprise.storage.rows import open_rows, read_lines, read_rows

ROOT = Path(__file__).parents[2]

APPEND_FOREVER = """
import sys
from pathlib import Path
from neurprise.storage.rows import open_rows

with open_rows(Path(sys.argv[1])) as rows:
    while True:
        rows.append({"number":rows.count, "text": "x" * 3000})
        print(rows.count, flush=True)
"""


def test_rows_come_back_in_order(tmp_path):
    """What was appended is what is read, also after a second run."""
    path = tmp_path / "rows.jsonl"
    for number in range(3):
        with open_rows(path) as rows:
            assert [row["number"] for row in rows.stored()] == list(range(number))
            rows.append({"number": number})
    assert read_rows(path) == [{"number": 0}, {"number": 1}, {"number": 2}]


def test_a_file_that_is_not_there_holds_no_rows(tmp_path):
    """Reading does not make one."""
    assert read_rows(tmp_path / "rows.jsonl") == []
    assert not (tmp_path / "rows.jsonl").exists()


@pytest.mark.parametrize("torn", [b'{"number":1', b"\0\0\0\0\0\0", b"{"])
def test_what_a_kill_leaves_of_a_row_is_skipped_and_cut_off(tmp_path, torn):
    """A power cut may also leave zeros."""
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'{"number":0}\n' + torn)
    assert read_rows(path) == [{"number": 0}]
    with open_rows(path) as rows:
        rows.append({"number": 1})
    assert path.read_bytes() == b'{"number":0}\n{"number":1}\n'


def test_a_row_that_is_no_json_is_named_by_its_line(tmp_path):
    """It is nobody's torn tail: somebody else wrote it."""
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'{"number":0}\nhello\n')
    with pytest.raises(FormatError, match=r"line 2 of .*rows\.jsonl"):
        read_rows(path)


def test_an_infinity_is_no_row(tmp_path):
    """JSON knows none; nothing of the row is stored."""
    with open_rows(tmp_path / "rows.jsonl") as rows, pytest.raises(ValueError, match="not JSON compliant"):
        rows.append({"gap": float("inf")})
    assert read_lines(tmp_path / "rows.jsonl") == []


def test_a_writer_that_is_killed_at_any_moment_loses_no_row_it_has_reported(tmp_path):
    """Ten kills (-9): every reported row is there, none twice, none torn."""
    path = tmp_path / "rows.jsonl"
    for kill in range(10):
        writer = subprocess.Popen(
            [sys.executable, "-c", APPEND_FOREVER, str(path)], stdout=subprocess.PIPE, cwd=ROOT, text=True
        )
        writer.stdout.readline()
        time.sleep(0.003 * kill)
        writer.kill()
        reported = [int(line) for line in writer.stdout.read().splitlines() if line.strip()]
        writer.wait()
        stored = [row["number"] for row in read_rows(path)]
        assert stored == list(range(len(stored)))
        assert len(stored) >= max(reported, default=1)


def test_a_second_writer_is_refused_while_the_first_lives(tmp_path):
    """And may write as soon as the first is gone, even by a kill."""
    path = tmp_path / "rows.jsonl"
    first = subprocess.Popen([sys.executable, "-c", APPEND_FOREVER, str(path)], stdout=subprocess.PIPE, cwd=ROOT)
    first.stdout.readline()
    os.kill(first.pid, signal.SIGSTOP)
    try:
        with pytest.raises(InputError, match="another process is writing"), open_rows(path):
            pass
    finally:
        first.kill()
        first.communicate()
    with open_rows(path) as rows:
        assert rows.count >= 1


def test_two_writers_that_wait_for_each_other_mix_no_rows(tmp_path):
    """Short writers take turns."""
    path = tmp_path / "rows.jsonl"
    code = (
        "import sys; from pathlib import Path; from neurprise.storage.rows import open_rows\n"
        "for number in range(20):\n"
        "    with open_rows(Path(sys.argv[1]), wait=True) as rows:\n"
        "        rows.append({'who': sys.argv[2], 'number': number})\n"
    )
    both = [subprocess.Popen([sys.executable, "-c", code, str(path), who], cwd=ROOT) for who in "ab"]
    assert [writer.wait() for writer in both] == [0, 0]
    for who in "ab":
        assert [row["number"] for row in read_rows(path) if row["who"] == who] == list(range(20))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs the device that is always full")
def test_a_full_disk_is_told_with_what_is_kept(tmp_path, monkeypatch):
    """Part of a row is written, the rest refused: the part goes, the rows before stay."""
    path = tmp_path / "rows.jsonl"
    with open_rows(path) as rows:
        rows.append({"number": 0})
        write, full = os.write, os.open("/dev/full", os.O_WRONLY)
        calls = iter([lambda descriptor, data: write(descriptor, data[:5]), lambda descriptor, data: write(full, data)])
        monkeypatch.setattr(os, "write", lambda descriptor, data: next(calls)(descriptor, data))
        with pytest.raises(StorageError, match=r"No space left on device\): its old content, 1 row, is kept"):
            rows.append({"number": 1})
        monkeypatch.undo()
        os.close(full)
    assert path.read_bytes() == b'{"number":0}\n'
