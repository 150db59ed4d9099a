"""One search with the workers of a real Dask cluster: evaluations, PRISE's candidates, values of single scenarios."""

import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

import neurprise as nr
from neurprise.cli import main
from neurprise.parallel.workers import LastingWorkers, Workers, completed
from neurprise.recourse import parallel
from neurprise.search import parallel_masters
from neurprise.search.session import SearchSession
from neurprise.search.single_values import every_value
from neurprise.solvers import Limits, get_engine
from tests.parallel import work
from tests.parallel.test_cluster import wait_until
from tests.recourse.test_parallel import generic_problem

ROOT = Path(__file__).parents[2]

ClusterPool = pytest.importorskip("neurprise.parallel.cluster", exc_type=ImportError).ClusterPool


@pytest.fixture
def _small_problems_pay(monkeypatch):
    monkeypatch.setattr(parallel, "_WORTHWHILE", 0)
    monkeypatch.setattr(parallel, "SMALLEST_PART", 5)
    monkeypatch.setattr(parallel_masters, "WORTHWHILE_INTEGERS", 1)


def covers(num_scenarios):
    """Whole numbers of ten sorts cover ten demands: some hundredths of a second for each scenario."""
    rng = np.random.default_rng(0)
    return nr.TwoStageProblem.from_matrices(
        c=np.ones(2),
        A=np.zeros((0, 2)),
        d=np.zeros(0),
        G=rng.integers(3, 40, (10, 10)),
        h=np.zeros(10),
        E=rng.integers(0, 5, (10, 2)),
        M=-np.eye(10),
        xi=rng.integers(200, 400, (num_scenarios, 10)) + rng.random((num_scenarios, 10)),
        b=rng.integers(20, 60, 10) + rng.random(10),
        x_integer=True,
        y_integer=True,
        x_upper=1,
    )


@pytest.mark.usefixtures("_small_problems_pay")
def test_workers_that_are_killed_in_an_evaluation_cost_nothing(cluster, caplog):
    """Even all who hold the problem: the costs are those of two processes of this machine, bit for bit."""
    problem, x = covers(160), np.zeros(2)
    before, killed = cluster.worker_processes(), []

    def kill_all():
        wait_until(lambda: all(cluster.client.processing().values()))
        for process in before:
            os.kill(process, signal.SIGKILL)
        killed.append(any(cluster.client.processing().values()))

    killer = threading.Thread(target=kill_all)
    killer.start()
    with caplog.at_level("WARNING", "neurprise"):
        there = nr.evaluate(problem, x, cluster=cluster.address)
    killer.join()
    assert killed == [True]
    assert "in one process from now on" not in caplog.text
    assert not set(before) & set(cluster.worker_processes())
    assert there.recourse_costs.tobytes() == nr.evaluate(problem, x, jobs=2).recourse_costs.tobytes()


@pytest.mark.usefixtures("_small_problems_pay")
def test_the_cluster_chooses_what_one_process_chooses(cluster, caplog):
    """PRISE tries several candidates at a time; scenarios, bound and worst case are those of a serial run."""
    problem = generic_problem(10)
    with caplog.at_level("WARNING", "neurprise"):
        here, there = (nr.solve(problem, "prise", 4, cluster=address) for address in (None, cluster.address))
    assert caplog.text == ""
    assert there.scenarios == here.scenarios
    assert there.lower_bound == pytest.approx(here.lower_bound)
    assert there.worst_case == pytest.approx(here.worst_case)


@pytest.mark.usefixtures("_small_problems_pay")
def test_values_of_single_scenarios_do_not_depend_on_who_solves_them(cluster):
    """V({s}) from the cluster and from this process, bit for bit; none is solved here in the first case."""
    problem = generic_problem(10)
    with SearchSession(problem, workers=Workers(cluster=cluster.address)) as session:
        there = every_value(session)
        assert session.num_solves == 10
    alone = parallel_masters.ReducedWork(problem, get_engine("highs"))
    asked = [parallel_masters.ReducedProblem(s, (s,), Limits(gap=0.0), None, ()) for s in range(10)]
    assert there.tobytes() == np.array([alone(question).value for question in asked]).tobytes()


def test_what_is_heavy_travels_once_to_a_worker(cluster, tmp_path):
    """Many batches, and each worker unpacks the work at most once."""
    heavy = work.Luggage(tmp_path, bytes(100_000))
    found = sorted(completed(heavy, range(60), Workers(cluster=cluster.address)))
    assert found == [(unit, unit + 100_000) for unit in range(60)]
    holders = [path.name.partition("-")[0] for path in tmp_path.iterdir()]
    assert set(map(int, holders)) <= set(cluster.worker_processes())
    assert len(holders) == len(set(holders))


def test_who_answers_too_late_is_done_without(cluster, monkeypatch):
    """What came in time counts, the rest is dropped, and the next question is answered as ever."""
    monkeypatch.setattr("neurprise.parallel.workers.SECONDS_OF_PATIENCE", 1.0)
    with closing(LastingWorkers(Workers(cluster=cluster.address), work.answered)) as workers:
        assert workers.answers([work.Asked(0)], seconds=60.0) == [0]
        assert workers.answers([work.Asked(0), work.Asked(1, 2.0)], seconds=0.0) == [0, None]
        assert workers.answers([work.Asked(0), work.Asked(1)], seconds=60.0) == [0, 2]


def test_ctrl_c_ends_an_evaluation_on_both_sides(cluster, tmp_path):
    """The command stops, and the cluster has nothing left to do."""
    covers(2500).write(tmp_path / "covers.npz")
    (tmp_path / "x.json").write_text(json.dumps([0, 0]))
    argv = ["evaluate", "covers.npz", "--solution", "x.json", "--cluster", cluster.address]
    process = subprocess.Popen(
        [sys.executable, "-m", "neurprise", *argv],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_until(lambda: any(cluster.client.processing().values()))
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in err
    wait_until(lambda: not any(cluster.client.processing().values()))
    for worker in cluster.worker_processes():  # the scenarios that were begun would be computed to the end
        os.kill(worker, signal.SIGKILL)


@pytest.mark.parametrize("command", ["solve", "reduce --method prise --budget 2", "evaluate --solution x.json"])
def test_a_cluster_that_nobody_answers_for_is_refused_at_once(command, tmp_path, monkeypatch, capsys):
    """Also where the problem is so small that the cluster would not be asked."""
    monkeypatch.setattr("neurprise.parallel.cluster.SECONDS_TO_CONNECT", 0.5)
    monkeypatch.chdir(tmp_path)
    nr.make_selection(5, 4, seed=0).write("sel.npz")
    Path("x.json").write_text(json.dumps([0] * 5))
    name, *options = command.split()
    assert main([name, "sel.npz", *options, "--cluster", "tcp://127.0.0.1:9"]) == 2
    err = capsys.readouterr().err
    assert "start one with: dask scheduler" in err
    assert len(err.strip().splitlines()) == 1


def test_an_address_is_a_text():
    """The sentence shows one."""
    with pytest.raises(nr.InputError, match="tcp://host:8786"):
        nr.solve(nr.make_selection(5, 4, seed=0), cluster=8786)
