"""Labels and units on a real Dask cluster with two worker processes."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from importlib.metadata import version
from pathlib import Path

import pytest

import neurprise as nr
from docs.commands import shown_commands
from neurprise.cli import main
from neurprise.clock import Deadline, OutOfTimeError
from neurprise.errors import InputError, WorkersError
from neurprise.parallel.workers import Workers, completed
from neurprise.training.labels import label
from tests.parallel import work

ROOT = Path(__file__).parents[2]
LABELS = {"family": "vertex-cover", "size": 8, "scenarios": 6, "budget": 4, "count": 40, "seed": 3}


ClusterPool = pytest.importorskip("neurprise.parallel.cluster", exc_type=ImportError).ClusterPool


def test_forty_labels_are_the_same_bytes_when_a_worker_is_killed_midway(tmp_path, cluster, monkeypatch):
    """Against a serial run; the kill happens after the first labels and before the last."""
    monkeypatch.setattr(ClusterPool, "batch_seconds", 0.02)  # labels come a few at a time
    label(tmp_path / "serial", **LABELS)
    before = cluster.worker_processes()
    lines = tmp_path / "cluster" / "labels.jsonl"
    kept = []

    def kill_one():
        while not lines.exists() or lines.read_bytes().count(b"\n") < 3:
            time.sleep(0.001)
        os.kill(before[0], signal.SIGKILL)
        kept.append(lines.read_bytes().count(b"\n"))

    killer = threading.Thread(target=kill_one)
    killer.start()
    label(tmp_path / "cluster", cluster=cluster.address, **LABELS)
    killer.join()
    assert 3 <= kept[0] < 40
    assert lines.read_bytes() == (tmp_path / "serial" / "labels.jsonl").read_bytes()
    assert before[0] not in cluster.worker_processes()
    assert sorted(path.name for path in lines.parent.iterdir()) == ["config.json", "labels.jsonl"]


def test_a_unit_that_always_kills_its_worker_is_reported_and_not_waited_for(cluster):
    """joblib on Dask would hang here."""
    results: list[int] = []
    with pytest.raises(WorkersError, match="unit 2 killed the worker each time"):
        results.extend(unit for unit, _ in completed(work.Deadly((2,)), range(6), Workers(cluster=cluster.address)))
    assert sorted(results) == [0, 1, 3, 4, 5]


def test_linear_algebra_runs_on_one_thread(cluster):
    """Whatever the worker was started with."""
    for _, threads in completed(work.threads_of_linear_algebra, range(2), Workers(cluster=cluster.address)):
        assert set(threads) == {1}


def test_a_deadline_counts_on_the_cluster_too(cluster):
    """And the cluster forgets what was under way."""
    with pytest.raises(OutOfTimeError):
        list(completed(work.slow, range(1000), Workers(cluster=cluster.address), Deadline(1.5)))
    assert sorted(completed(work.doubled, range(4), Workers(cluster=cluster.address))) == [(k, 2 * k) for k in range(4)]


def test_other_versions_on_a_worker_are_refused(cluster, monkeypatch):
    """Results must not depend on who computes them."""
    from neurprise.parallel import cluster as room
    from neurprise.parallel.cluster import installed_versions

    other = {**installed_versions(), "highspy": "0.0"}
    monkeypatch.setattr(room, "installed_versions", lambda: other)
    with pytest.raises(WorkersError, match=r"highspy .* instead of 0\.0"):
        list(completed(work.doubled, range(4), Workers(cluster=cluster.address)))


def test_the_workers_are_shown_and_agree(cluster, capsys):
    """`neurprise info --cluster`: each worker solves a small problem with the versions of this machine."""
    assert main(["info", "--cluster", cluster.address, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["faults"] == []
    assert len(data["workers"]) == 2
    for worker in data["workers"]:
        assert worker["versions"]["highspy"] == version("highspy")
        assert worker["engines"]["highs"] == version("highspy")
        assert worker["folders"]


def test_workers_that_differ_are_named(cluster, capsys, monkeypatch):
    """Exit code 1 and a sentence for each."""
    monkeypatch.setattr("neurprise.parallel.cluster.installed_versions", lambda: {"highspy": "0.0"})
    assert main(["info", "--cluster", cluster.address]) == 1
    assert capsys.readouterr().out.count(f"has highspy {version('highspy')}, this machine 0.0.") == 2


def test_ctrl_c_stops_on_both_sides(cluster, tmp_path):
    """The command says what is kept, and the cluster has nothing left to do."""
    lines = tmp_path / "labels" / "labels.jsonl"
    argv = [
        "label",
        str(lines.parent),
        "--family",
        "vertex-cover",
        "--size",
        "16",
        "--scenarios",
        "30",
        "--count",
        "5000",
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "neurprise", *argv, "--cluster", cluster.address],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_until(lambda: lines.exists() and lines.read_bytes().count(b"\n") >= 3)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted;" in err
    assert "of 5,000 labels are kept; the same command continues" in err
    assert "Traceback" not in err
    wait_until(lambda: not any(cluster.client.processing().values()))


def wait_until(condition):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_the_commands_of_the_page_run(cluster, tmp_path, monkeypatch, capsys):
    """Those of docs/scaling.md that name a cluster, at smoke size and with this one's address."""
    commands = [command.words for command in shown_commands(ROOT / "docs" / "scaling.md") if not command.inline]
    mine = [words for words in commands if words[0] == "neurprise" and "--cluster" in words]
    assert {words[1] for words in mine} == {"info", "label", "solve"}
    monkeypatch.chdir(tmp_path)
    nr.make_selection(8, 7, seed=0).write("large.npz")
    for words in mine:
        argv = [cluster.address if "://" in word else word for word in words[1:]]
        small = ["--size", "6", "--scenarios", "5", "--count", "4"] if words[1] == "label" else []
        assert main([*argv, *small]) == 0, capsys.readouterr()


def test_an_encrypted_cluster_without_certificates_is_refused():
    """With the names of the settings."""
    pytest.importorskip("distributed", reason="a cluster needs Dask")
    with pytest.raises(InputError, match="COMM__TLS__CA_FILE"):
        list(completed(work.doubled, range(4), Workers(cluster="tls://127.0.0.1:9")))


def test_an_address_where_nobody_answers_is_refused(monkeypatch):
    """With the command that starts a scheduler."""
    pytest.importorskip("distributed", reason="a cluster needs Dask")
    monkeypatch.setattr("neurprise.parallel.cluster.SECONDS_TO_CONNECT", 0.5)
    with pytest.raises(InputError, match="start one with: dask scheduler"):
        list(completed(work.doubled, range(4), Workers(cluster="tcp://127.0.0.1:9")))
