"""A real cluster on this machine: a scheduler and two workers, each a process of its own under a nanny."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
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
    """Started once for the tests of a file, by the commands of docs/compose.yaml."""
    distributed = pytest.importorskip("distributed", reason="a cluster needs Dask")
    yaml = pytest.importorskip("yaml", reason="Dask brings it")
    services = yaml.safe_load((ROOT / "docs" / "compose.yaml").read_text())["services"]
    address = f"tcp://127.0.0.1:{free_port()}"
    given = {name: str(value) for name, value in services["worker"]["environment"].items()}
    assert given["SCHEDULER"] == "${SCHEDULER:-tcp://scheduler:8786}"
    commands = [services[name]["command"].replace("$$", "$") for name in ("scheduler", "worker")]
    with started(tmp_path_factory.mktemp("cluster"), commands, address, given):
        client = distributed.Client(address, timeout=60, set_as_default=False)
        try:
            client.wait_for_workers(2, timeout=120)
            yield Cluster(address, client)
        finally:
            client.close()


@contextmanager
def started(folder: Path, commands: list[str], address: str, given: dict[str, str]) -> Iterator[None]:
    """Servers by shell commands of a page: with two workers, this address, and the package of this checkout."""
    few = "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES"  # a deadly unit is given up sooner
    ours = {"SCHEDULER": address, "DASK_TEMPORARY_DIRECTORY": str(folder), few: "1"}
    processes = []
    try:
        for number, command in enumerate(commands):
            here = re.sub(r"t(cp|ls)://scheduler:8786", address, command)
            line = here.replace("8786", address.rpartition(":")[2])
            with (folder / f"{number}.log").open("wb") as log:
                processes.append(
                    subprocess.Popen(
                        ["sh", "-c", f"exec {line.replace('--nworkers -1', '--nworkers 2')}"],
                        cwd=folder,
                        env={**os.environ, **given, **ours, **with_dask(folder)},
                        stdout=log,
                        stderr=log,
                        start_new_session=True,
                    )
                )
        wait_for(int(address.rpartition(":")[2]))
        yield
    finally:
        for process in reversed(processes):  # nannies take their workers along, so they are asked, not killed
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(timeout=60)


def wait_for(port: int) -> None:
    """Until somebody listens there: on a busy machine a scheduler takes longer to come up than a client waits."""
    for _ in range(600):
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.1)


def with_dask(folder: Path) -> dict[str, str]:
    """A PATH on which `dask` is that of this Python, with the package of this checkout."""
    program = folder / "bin" / "dask"
    program.parent.mkdir(exist_ok=True)
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m dask "$@"\n')
    program.chmod(0o755)
    return {"PATH": f"{program.parent}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
