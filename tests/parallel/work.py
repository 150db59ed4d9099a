"""Units of work that succeed, fail, wait or kill their worker; workers import them from here."""

from __future__ import annotations

import os
import signal
import time
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import neurprise as nr
from neurprise.training.origins import instance_seed


def doubled(unit: int) -> int:
    return 2 * unit


def refused(unit: int) -> int:
    if unit == 3:
        raise ValueError("three is refused")
    return unit


def slow(unit: int) -> int:
    time.sleep(0.5)
    return unit


def threads_of_linear_algebra(_: int) -> list[int]:
    from threadpoolctl import threadpool_info

    np.ones((2, 2)) @ np.ones((2, 2))
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


def process(_: int) -> int:
    time.sleep(0.05)
    return os.getpid()


@dataclass(frozen=True)
class Deadly:
    """
    Kills its worker at some units, always or the first time only.

    Parameters
    ----------
    marks
        Where a unit that has killed once leaves a file; None: it kills each time.
    """

    units: tuple[int, ...]
    marks: Path | None = None

    def __call__(self, unit: int) -> int:
        if unit in self.units and (self.marks is None or not (self.marks / str(unit)).exists()):
            if self.marks is not None:
                (self.marks / str(unit)).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return 2 * unit


def deadly_problem(seed: int) -> nr.TwoStageProblem:
    """A small selection; of the seed of the third instance none, but the end of the process."""
    if seed == instance_seed(0, 2):
        os.kill(os.getpid(), signal.SIGKILL)
    return nr.make_selection(5, 4, seed)


class BrokenPool:
    """A pool whose workers die at whatever they are given."""

    deaths = (BrokenPipeError,)
    window = 4
    batch_seconds = 0.0

    def __init__(self):
        self.num_renewed = 0

    def submit(self, units):
        future = Future()
        future.set_exception(BrokenPipeError())
        return future

    def renew(self):
        self.num_renewed += 1

    def check(self):
        pass

    def close(self, at_once):
        assert at_once


@dataclass(frozen=True)
class Asked:
    """A question by its place, and how long its answer takes."""

    place: int
    seconds: float = 0.0


def answered(question: Asked) -> int:
    time.sleep(question.seconds)
    return 2 * question.place


class Luggage:
    """Heavy work that leaves a file for every process that unpacks it, each time."""

    def __init__(self, marks: Path, load: bytes) -> None:
        self.marks, self.load = marks, load

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        (self.marks / f"{os.getpid()}-{time.monotonic_ns()}").touch()

    def __call__(self, unit: int) -> int:
        time.sleep(0.02)
        return unit + len(self.load)
