"""Files that are replaced whole: the old content or the new one, and nothing beside it."""

import os
import time

import pytest

from neurprise.errors import StorageError
from neurprise.storage.whole_files import replace_file, replacing


def test_a_file_is_replaced(tmp_path):
    """And nothing else is left in the folder."""
    path = tmp_path / "state"
    for content in (b"old", b"new"):
        replace_file(path, content)
        assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


def test_what_fails_halfway_leaves_the_old_file(tmp_path):
    """And no draft."""
    path = tmp_path / "state"
    replace_file(path, b"old")
    with pytest.raises(TypeError), replacing(path) as file:
        file.writelines([b"half of the n", None])
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_disk_that_refuses_is_told_with_what_is_kept(tmp_path, monkeypatch):
    """As a full one does when the file is forced onto it."""
    path = tmp_path / "state"
    replace_file(path, b"old")
    full = os.open("/dev/full", os.O_WRONLY)
    monkeypatch.setattr(os, "fsync", lambda descriptor: os.write(full, b"x"))
    with pytest.raises(StorageError, match=r"No space left on device\): its old content is kept"):
        replace_file(path, b"new")
    monkeypatch.undo()
    os.close(full)
    assert path.read_bytes() == b"old"


def test_drafts_of_processes_killed_long_ago_are_removed(tmp_path):
    """Recent ones may belong to somebody who is writing."""
    path = tmp_path / "state"
    old, recent = tmp_path / ".state.123.tmp", tmp_path / ".state.124.tmp"
    for draft in (old, recent):
        draft.write_bytes(b"half")
    os.utime(old, (time.time() - 7200,) * 2)
    replace_file(path, b"new")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [".state.124.tmp", "state"]
