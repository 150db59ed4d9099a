"""What made a row: code, machine, time, and the run it belongs to."""

from __future__ import annotations

import os
import platform
import subprocess
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version

from experiments.places import ROOT
from neurprise import __version__


@dataclass(frozen=True)
class Code:
    """
    Which code ran.

    Parameters
    ----------
    commit
        Of the repository; the version of the package where git does not know it.
    tree
        Identifies the content of the package: equal trees, equal code, whatever else the commits changed.
    clean
        Whether the package was as committed.
    """

    commit: str
    tree: str
    clean: bool


@cache
def code() -> Code:
    """The code of this process."""
    commit = _git("rev-parse", "--short", "HEAD")
    if commit is None:
        return Code(__version__, __version__, True)
    clean = not _git("status", "--porcelain", "--untracked-files=no", "--", "neurprise")
    tree = _git("rev-parse", "--short", "HEAD:neurprise") or commit
    return Code(commit, tree if clean else f"{tree}+changes", clean)


@cache
def provenance() -> dict[str, object]:
    """The fields that every row of this process ends with; `run` is the same for all of them."""
    made_by = code()
    return {
        "solver": f"highs {version('highspy')}",
        "run": uuid.uuid4().hex[:12],
        "commit": made_by.commit,
        "tree": made_by.tree,
        "clean": made_by.clean,
        "machine": machine(),
        "began": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def machine() -> str:
    """Where this process runs; a worker of a cluster says its own."""
    return f"{os.cpu_count()} cores {platform.machine()}, Python {platform.python_version()}"


def _git(*words: str) -> str | None:
    try:
        done = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=False)
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None
