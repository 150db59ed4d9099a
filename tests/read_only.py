"""Folders that nobody may write to, root included: the way an installation looks to its users."""

import os
import shutil
import subprocess
import sys
from contextlib import contextmanager

import pytest

# Root may write anywhere by these two capabilities; without them permission bits bind it too.
_WITHOUT_PRIVILEGES = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]


@contextmanager
def read_only(*folders):
    """Take away the permission to write to these folders and all below; yields what a command line must begin with."""
    everything = [path for folder in folders for path in [folder, *folder.rglob("*")]]
    modes = {path: path.stat().st_mode for path in everything}
    try:
        for path in reversed(everything):
            path.chmod(modes[path] & ~0o222)
        yield _prefix(folders[0])
    finally:
        for path in everything:
            path.chmod(modes[path])


def _prefix(folder):
    """Nothing for ordinary users; what lays down root's privileges for root. Skips where even that can write."""
    prefix = _WITHOUT_PRIVILEGES if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    if prefix and shutil.which(prefix[0]) is None:
        pytest.skip("as root, read-only folders need setpriv (util-linux) to bind")
    attempt = [*prefix, sys.executable, "-c", "import sys; open(sys.argv[1] + '/file', 'w')", str(folder)]
    if subprocess.run(attempt, capture_output=True, check=False).returncode == 0:
        pytest.skip("this user can write to folders without the permission to")
    return prefix
