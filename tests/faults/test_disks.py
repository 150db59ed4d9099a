"""Full disks, folders that cannot be written to, second writers: a sentence says what is kept, and work goes on."""

import resource
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SMALL = ["--family", "selection", "--size", "6", "--scenarios", "5", "--budget", "2", "--count", "40"]


def label(folder, **settings):
    argv = [sys.executable, "-m", "neurprise", "label", str(folder), *SMALL]
    return subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False, **settings)


def words_of(process):
    return " ".join(process.stderr.split())


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """The labels of a run that had room enough."""
    folder = tmp_path_factory.mktemp("room") / "labels"
    assert label(folder).returncode == 0
    return (folder / "labels.jsonl").read_bytes()


@pytest.fixture
def small_disk(tmp_path):
    """A disk with two pages of 4 kB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", str(disk)], check=False)
    if mounted.returncode:
        pytest.skip("needs the right to mount a disk")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_full_disk_is_told_with_what_is_kept_and_labelling_goes_on(small_disk, expected):
    """The disk is real; with more room the labels are those of a run that never had to stop."""
    stopped = label(small_disk / "labels")
    lines = (small_disk / "labels" / "labels.jsonl").read_bytes()
    assert stopped.returncode == 1
    assert f"No space left on device): its old content, {len(lines.splitlines())} rows, is kept" in words_of(stopped)
    assert lines.endswith(b"\n")
    assert 0 < len(lines) < len(expected)
    subprocess.run(["mount", "-o", "remount,size=64k", str(small_disk)], check=True)
    assert label(small_disk / "labels").returncode == 0
    assert (small_disk / "labels" / "labels.jsonl").read_bytes() == expected


def test_a_file_that_may_not_grow_is_told_with_what_is_kept(tmp_path, expected):
    """A quota by another name; needs no right to mount."""

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1500, 1500))

    stopped = label(tmp_path / "labels", preexec_fn=limit)
    lines = (tmp_path / "labels" / "labels.jsonl").read_bytes()
    assert stopped.returncode == 1
    assert f"File too large): its old content, {len(lines.splitlines())} rows, is kept" in words_of(stopped)
    assert label(tmp_path / "labels").returncode == 0
    assert (tmp_path / "labels" / "labels.jsonl").read_bytes() == expected


def test_a_folder_that_cannot_be_written_to_is_refused(small_disk):
    """Exit code 2, and the path is named."""
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    refused = label(small_disk / "labels")
    assert refused.returncode == 2
    assert f"cannot use '{small_disk / 'labels'}': Read-only file system" in refused.stderr


def test_a_second_labeller_of_a_directory_is_refused(tmp_path):
    """Exit code 2; the first goes on unharmed."""
    from neurprise.storage.rows import open_rows

    folder = tmp_path / "labels"
    folder.mkdir()
    with open_rows(folder / "labels.jsonl"):
        second = label(folder)
    assert second.returncode == 2
    assert "another process is writing" in second.stderr
