"""What is left of a time limit, and what it does not count."""

import time

import pytest

from neurprise.clock import CompileClock, Deadline, compiling


class Time:
    """A clock that is set by hand."""

    now = 100.0

    def pass_by(self, seconds):
        self.now += seconds


@pytest.fixture
def wall(monkeypatch):
    wall = Time()
    monkeypatch.setattr(time, "perf_counter", lambda: wall.now)
    return wall


def test_a_deadline_counts_from_its_creation(wall):
    """Elapsed and remaining seconds add up to the limit."""
    deadline = Deadline(10)
    wall.pass_by(4)
    assert (deadline.elapsed, deadline.remaining, deadline.passed) == (4, 6, False)
    wall.pass_by(7)
    assert (deadline.remaining, deadline.passed, deadline.overdue) == (0, True, 1)


def test_compiling_does_not_count(wall):
    """Neither while it goes on nor afterwards, also for a part of the time."""
    deadline = Deadline(10)
    half = deadline.part(0.5)
    with compiling:
        wall.pass_by(20)
        assert deadline.elapsed == 0
    wall.pass_by(3)
    assert (deadline.elapsed, half.remaining) == (3, 2)


def test_compiling_before_the_start_does_not_count_twice(wall):
    """A deadline made in the middle of it starts at zero and goes on when it ends."""
    with compiling:
        wall.pass_by(5)
        deadline = Deadline(10)
        wall.pass_by(5)
    wall.pass_by(1)
    assert deadline.elapsed == 1


def test_seconds_of_several_at_once_count_once(wall):
    """A function compiles those that it calls, and threads may wait for one another."""
    clock = CompileClock()
    with clock:
        wall.pass_by(1)
        with clock:
            wall.pass_by(2)
        wall.pass_by(1)
    wall.pass_by(10)
    assert clock.seconds == 4


def test_an_end_without_a_start_is_forgiven(wall):
    """An interrupt may come between the two."""
    clock = CompileClock()
    clock.__exit__(None, None, None)
    with clock:
        wall.pass_by(2)
    assert clock.seconds == 2
