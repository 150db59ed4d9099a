"""A repository one can clone: few megabytes in all, no large file."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MEGABYTE = 1_000_000


@pytest.fixture(scope="module")
def sizes():
    """Bytes on the disk of every file that git tracks, in whole blocks as du counts them."""
    try:
        done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no git here")
    paths = [path for name in done.stdout.split("\0") if name and (path := ROOT / name).is_file()]
    return {path.relative_to(ROOT).as_posix(): -(-path.stat().st_size // 4096) * 4096 for path in paths}


def test_all_tracked_files_together_are_small(sizes):
    """Rows are compressed, and networks that a command makes again are not tracked."""
    assert sum(sizes.values()) <= 15 * MEGABYTE


def test_no_tracked_file_is_large(sizes):
    """Checkpoints that ship included."""
    assert [name for name, size in sizes.items() if size > 2 * MEGABYTE] == []
