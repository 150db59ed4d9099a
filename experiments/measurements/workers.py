"""
Labels a minute with one and with two workers, and what handing out a unit of work costs.

Seconds of labels are wall-clock seconds from the first label to the last, so that the start of workers does not count.
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import Self

from experiments.instances.published import tiny_problem
from experiments.instances.sets import SETS, InstanceSet, Made
from experiments.methods.base import Method, Task
from experiments.outcomes import Outcome
from experiments.spec import Panel, Spec
from neurprise.clock import Deadline
from neurprise.parallel.workers import Pool, Workers, completed, completed_in
from neurprise.training.labels import LabelConfig, label_instance


@dataclass(frozen=True)
class Labelling:
    """
    Whole PRISE traces of eight steps of instances that no test set holds.

    Parameters
    ----------
    jobs
        Workers; one is this process itself.
    count
        Labels.
    """

    title: str
    jobs: int
    count: int = 200
    gap: float = 0.0
    takes_budget = False

    def smaller(self) -> Self:
        return replace(self, count=3)

    def outcomes(self, task: Task) -> Iterator[Outcome]:
        drawn = task.instances
        assert isinstance(drawn, InstanceSet)
        config = LabelConfig(drawn.family, drawn.size, drawn.scenarios, seed=7, exact=False)
        label_instance(config, 0)  # loads compiled code before the clock starts; workers load theirs before the first
        units = completed(partial(label_instance, config), range(self.count), Workers(self.jobs))
        moments = [time.perf_counter() for _ in units]
        seconds = max(moments[-1] - moments[0], 1e-9)
        yield Outcome.timed(seconds, measured={"labels": self.count, "a minute": 60 * (self.count - 1) / seconds})


@dataclass(frozen=True)
class Handing:
    """
    Units that do nothing, workers up and running; CPU seconds are those of the caller, a unit at a time.

    Parameters
    ----------
    workers
        Two processes of this machine or of a local Dask cluster, whose scheduler is in the caller's process; or none.
    """

    title: str
    workers: str
    count: int = 2000
    gap: float = 0.0
    takes_budget = False

    def missing(self) -> str | None:
        absent = self.workers == "dask" and importlib.util.find_spec("distributed") is None
        return "Dask is not installed; run: pip install 'neurprise[cluster]'" if absent else None

    def smaller(self) -> Self:
        return replace(self, count=4)

    def outcomes(self, task: Task) -> Iterator[Outcome]:
        with _WORKERS[self.workers]() as workers:
            pool = workers.pool(_nothing)
            try:
                together = _milliseconds(pool, self.count)
                pool.batch_seconds, start = 0.0, time.process_time()
                alone = _milliseconds(pool, self.count)
                caller = (time.process_time() - start) / self.count
            finally:
                pool.close(at_once=False)
        yield Outcome.timed(caller, measured={"ms alone": alone, "ms in batches": together})


def _nothing(unit: int) -> int:
    return unit


def _milliseconds(pool: Pool, units: int) -> float:
    """Wall-clock time of a unit."""
    moments = [time.perf_counter() for _ in completed_in(pool, range(units), Deadline())]
    return 1000 * (moments[-1] - moments[0]) / max(units - 1, 1)


def _here() -> AbstractContextManager[Workers]:
    return nullcontext(Workers())


def _two_processes() -> AbstractContextManager[Workers]:
    return nullcontext(Workers(2))


@contextmanager
def _local_cluster() -> Iterator[Workers]:
    from distributed import LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, protocol="tcp") as local:
        yield Workers(cluster=local.scheduler_address)


_WORKERS = {"here": _here, "processes": _two_processes, "dask": _local_cluster}

METHODS: dict[str, Method] = {
    "label-by-one": Labelling("one worker", 1),
    "label-by-two": Labelling("two workers", 2),
    "hand-out-here": Handing("this process", "here"),
    "hand-out-processes": Handing("two processes", "processes"),
    "hand-out-dask": Handing("two workers of a Dask cluster", "dask"),
}
LABELS = Spec(
    "labels",
    "PRISE labels a minute, with one worker and with two",
    tuple(
        Panel(SETS[name].unsolved(), 1, ("label-by-one", "label-by-two"), (), baseline="label-by-one")
        for name in ("SEL-20-50", "VC-20-50", "CFLP-30-30-50")
    ),
    view="speed",
    note="Wall-clock seconds from the first label to the last.",
)
HANDING = Spec(
    "hand-out",
    "What it costs to hand out a unit of work",
    (Panel(Made("units-of-nothing", tiny_problem, tiny_problem), 1, tuple(n for n in METHODS if "hand" in n), ()),),
    view="speed",
    note="Seconds are those of the caller's processor for a unit that travels alone.",
)
SPECS = (LABELS, HANDING)
