"""Units on one machine: same results whatever the number of workers, dead workers replaced, deadly units reported."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from neurprise.clock import Deadline, OutOfTimeError
from neurprise.errors import InputError, WorkersError
from neurprise.parallel.processes import ProcessPool
from neurprise.parallel.workers import MOST_UNITS, BatchSize, Done, Outcome, Workers, completed
from tests.parallel import work

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("jobs", [1, 2])
def test_every_unit_is_done_once(jobs):
    """In any order."""
    assert sorted(completed(work.doubled, range(20), Workers(jobs))) == [(unit, 2 * unit) for unit in range(20)]


@pytest.mark.parametrize("jobs", [1, 2])
def test_linear_algebra_runs_on_one_thread(jobs):
    """Sums would otherwise depend on the machine, and workers would fight for its cores."""
    for _, threads in completed(work.threads_of_linear_algebra, range(2), Workers(jobs)):
        assert set(threads) == {1}


def test_short_units_travel_together_and_all_come_back(monkeypatch):
    """Fewer messages than units, the same results; each message is a call of `submit`."""
    messages, submit = [], ProcessPool.submit
    monkeypatch.setattr(ProcessPool, "submit", lambda pool, units: messages.append(len(units)) or submit(pool, units))
    found = sorted(completed(work.doubled, range(3000), Workers(2)))
    assert found == [(unit, 2 * unit) for unit in range(3000)]
    assert sum(messages) == 3000
    assert messages[0] == 1
    assert max(messages) == MOST_UNITS


def test_batches_fill_their_seconds_and_shrink_near_the_end():
    """Units of a tenth of a second in batches of one second, for ten places."""
    size = BatchSize(1.0)
    assert size.next(1000, 10) == 1  # nothing is known yet
    size.learn(Done([Outcome()] * 5, 0.5))
    assert size.next(1000, 10) == 10
    assert size.next(100, 10) == 5
    assert size.next(3, 10) == 2
    assert size.next(1, 10) == 1


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_a_unit_raises_is_raised_here(jobs):
    """With its own words."""
    with pytest.raises(ValueError, match="three is refused"):
        list(completed(work.refused, range(6), Workers(jobs)))


def test_units_of_a_dead_worker_are_done_again(tmp_path):
    """Two units kill their worker the first time; nothing is missing in the end, and nothing twice."""
    found = sorted(completed(work.Deadly((2, 5), tmp_path), range(12), Workers(2)))
    assert found == [(unit, 2 * unit) for unit in range(12)]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["2", "5"]


def test_a_unit_that_always_kills_its_worker_is_reported_after_all_others():
    """By its name, and as a failure."""
    results: list[int] = []
    with pytest.raises(WorkersError, match="unit 4 killed the worker each time"):
        results.extend(unit for unit, _ in completed(work.Deadly((4,)), range(8), Workers(2)))
    assert sorted(results) == [0, 1, 2, 3, 5, 6, 7]


def test_workers_that_die_at_everything_are_given_up(monkeypatch):
    """Not after thousands of attempts."""
    pool = work.BrokenPool()
    monkeypatch.setattr(Workers, "pool", lambda self, function: pool)
    with pytest.raises(WorkersError, match="Not tried any more: 992 others"):
        list(completed(work.doubled, range(1000), Workers()))
    assert pool.num_renewed < 30


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_deadline_counts(jobs):
    """What is under way in other processes is dropped."""
    start = time.perf_counter()
    with pytest.raises(OutOfTimeError):
        list(completed(work.slow, range(100), Workers(jobs), Deadline(1.0)))
    assert time.perf_counter() - start < 25


def test_jobs_and_a_cluster_exclude_each_other():
    """The sentence says why."""
    with pytest.raises(InputError, match="leave one out"):
        Workers(2, "tcp://localhost:8786")


INTERRUPTED = """
import os, signal, sys, time
from neurprise.parallel.workers import Workers
from neurprise.parallel.workers import completed
from tests.parallel import work
try:
    for unit, process in completed(work.process, range(100000), Workers(2)):
        print(process, flush=True)
except KeyboardInterrupt:
    print("stopped", flush=True)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_workers_end_with_their_caller(number):
    """By Ctrl-C in a terminal, which reaches the workers too, and even by a kill."""
    caller = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        start_new_session=True,
    )
    workers = {int(caller.stdout.readline()) for _ in range(12)}
    assert len(workers) == 2
    assert caller.pid not in workers
    if number == signal.SIGINT:
        os.killpg(caller.pid, number)
    else:
        caller.kill()
    out, err = caller.communicate(timeout=60)
    assert "Traceback" not in err
    assert out.endswith("stopped\n") is (number == signal.SIGINT)
    deadline = time.monotonic() + 20
    while any(map(_alive, workers)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not any(map(_alive, workers))


def _alive(process):
    try:
        state = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_a_cluster_may_be_an_object_of_dask():
    """A LocalCluster and a Client know the address; a closed one, or anything else, is refused."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=0, processes=False, dashboard_address=None) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        assert Workers(cluster=cluster).cluster == cluster.scheduler_address
        assert Workers(cluster=client).cluster == cluster.scheduler_address
    with pytest.raises(InputError, match="cluster must be an address"):
        Workers(cluster=3)
