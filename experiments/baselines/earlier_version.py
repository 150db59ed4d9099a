"""The package of an earlier commit, unpacked from git, and what a probe prints when it runs with that version."""

from __future__ import annotations

import atexit
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from experiments.places import ROOT


def missing(commit: str) -> str | None:
    """Why this checkout cannot go back to that commit; None if it can."""
    command = ["git", "-C", str(ROOT), "cat-file", "-e", f"{commit}:neurprise"]
    try:
        known = subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return "git is not installed"
    return None if known else f"git knows no commit {commit} with this package"


@cache
def package(commit: str) -> Path:
    """Folder that holds the package as it was at that commit; removed when the process ends."""
    packed = subprocess.run(["git", "-C", str(ROOT), "archive", commit, "neurprise"], capture_output=True, check=True)
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return folder


def printed_by(script: Path, arguments: Sequence[str], folder: Path) -> dict[str, Any]:
    """The JSON object that a script prints when it runs with the package in this folder."""
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    command = [sys.executable, "-P", str(script), *arguments]
    done = subprocess.run(command, env=environment, cwd=folder, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found
