"""A folder that one process holds is refused to others."""

import subprocess
import sys
from pathlib import Path

import pytest

from neurprise.errors import InputError
from neurprise.storage.lock import holding

ROOT = Path(__file__).parents[2]
HOLD = (
    "import sys; from pathlib import Path; from neurprise.storage.lock import holding\n"
    "with holding(Path(sys.argv[1])):\n    print('held', flush=True); sys.stdin.read()"
)


def test_a_held_folder_is_refused_until_its_process_ends(tmp_path):
    """Even if that process is killed."""
    folder = tmp_path / "training"
    other = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT
    )
    other.stdout.readline()
    with pytest.raises(InputError, match=r"another process is writing .*training"), holding(folder):
        pass
    other.kill()
    other.communicate()
    with holding(folder):
        assert folder.is_dir()
