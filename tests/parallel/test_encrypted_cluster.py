"""A cluster whose parties prove who they are: the commands of docs/scaling.md, from the certificate to the labels."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from docs.commands import shown_commands
from neurprise.cli import main
from tests.parallel.conftest import ROOT, free_port, started

pytest.importorskip("distributed", reason="a cluster needs Dask")
SMALL = ["--family", "selection", "--size", "6", "--scenarios", "5", "--budget", "2", "--count", "4"]


def shown(*start: str) -> list[str]:
    """The commands of the page that begin so and are about tls, or make what it needs."""
    commands = [command.words for command in shown_commands(ROOT / "docs" / "scaling.md") if not command.inline]
    return [shlex.join(words) for words in commands if words[: len(start)] == start and "tcp:" not in str(words)]


@pytest.fixture(scope="module")
def encrypted(tmp_path_factory):
    """The folder with the certificate, the address, and the settings of whoever hands out the work."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl makes the certificate")
    folder, address = tmp_path_factory.mktemp("encrypted"), f"tls://127.0.0.1:{free_port()}"
    (certificate,) = shown("openssl")
    subprocess.run(certificate, shell=True, cwd=folder, check=True, capture_output=True)
    servers = [line for line in (*shown("dask", "scheduler"), *shown("dask", "worker")) if "tls" in line]
    settings = dict(shlex.split(line)[1].split("=", 1) for line in shown("export"))
    with started(folder, servers, address, {}):
        yield folder, address, settings


def neurprise(folder: Path, settings: dict[str, str], *words: object) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **settings, "PYTHONPATH": str(ROOT)}
    argv = [sys.executable, "-m", "neurprise", *map(str, words)]
    return subprocess.run(argv, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_the_workers_of_an_encrypted_cluster_label(encrypted, tmp_path):
    """The settings of the page let the command in, and the labels are those of one process."""
    folder, address, settings = encrypted
    there = neurprise(folder, settings, "label", tmp_path / "there", *SMALL, "--cluster", address)
    assert there.returncode == 0, there.stderr
    assert main(["label", str(tmp_path / "here"), *SMALL]) == 0
    assert (tmp_path / "there" / "labels.jsonl").read_bytes() == (tmp_path / "here" / "labels.jsonl").read_bytes()
    asked = neurprise(folder, settings, "info", "--cluster", address, "--json")
    assert asked.returncode == 0, asked.stderr
    assert len(json.loads(asked.stdout)["workers"]) == 2


def test_a_stranger_is_not_let_in(encrypted, tmp_path):
    """A certificate of somebody else's does not open the scheduler, and neither does plain tcp."""
    _, address, settings = encrypted
    (certificate,) = shown("openssl")
    subprocess.run(certificate, shell=True, cwd=tmp_path, check=True, capture_output=True)
    for told, where in ((settings, address), ({}, address.replace("tls:", "tcp:"))):
        refused = neurprise(tmp_path, told, "info", "--cluster", where)
        assert refused.returncode == 2
        assert "the cluster must be the address of a Dask scheduler" in refused.stderr
