"""A real cluster on this machine: a scheduler and two workers, each a process of its own under a nanny."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Cluster:
    """An address, and a client that is not the one under test."""

    address: str
    client: Any

    def worker_processes(self) -> list[int]:
        """One process id for each worker, whichever has come up by now."""
        return list(self.client.run(os.getpid, on_error="ignore").values())


@pytest.fixture
def cluster(running_cluster):
    """With both workers up: those that a test has killed take a moment to come back."""
    running_cluster.client.wait_for_workers(2, timeout=120)
    return running_cluster


@pytest.fixture(scope="module")
def running_cluster(tmp_path_factory):
    """Started once for the tests of a file."""
    distributed = pytest.importorskip("distributed", reason="a cluster needs Dask")
    folder = tmp_path_factory.mktemp("cluster")
    where = folder / "scheduler.json"
    processes = [
        dask(folder, "scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", str(where)),
        dask(folder, "worker", "--scheduler-file", str(where), "--nworkers", "2", "--nthreads", "1", "--no-dashboard"),
    ]
    address = json.loads(read_when_there(where))["address"]
    client = distributed.Client(address, timeout=60, set_as_default=False)
    try:
        client.wait_for_workers(2, timeout=120)
        yield Cluster(address, client)
    finally:
        client.close()
        for process in reversed(processes):  # nannies take their workers along, so they are asked, not killed
            process.terminate()
            process.wait(timeout=60)


def dask(folder: Path, *words: str) -> subprocess.Popen[bytes]:
    """`dask` with the package of this checkout."""
    code = "import os, sys; sys.path.insert(0, os.environ['ROOT']); from dask.__main__ import main; main()"
    few = "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES"  # a deadly unit is given up sooner
    environment = {**os.environ, "ROOT": str(ROOT), "PYTHONPATH": str(ROOT), few: "1"}
    argv = [sys.executable, "-c", code, *words]
    if words[0] == "worker":
        argv += ["--local-directory", str(folder)]
    with (folder / f"{words[0]}.log").open("wb") as log:
        return subprocess.Popen(argv, cwd=folder, env=environment, stdout=log, stderr=log)


def read_when_there(path: Path) -> str:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if path.exists() and path.read_text().strip().endswith("}"):
            return path.read_text()
        time.sleep(0.1)
    raise TimeoutError(f"{path} was not written")
