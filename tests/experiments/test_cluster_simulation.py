"""The simulated cluster against cases that can be computed by hand."""

import pytest

from experiments.measurements.cluster import makespan


def test_one_core_takes_the_sum():
    """And the caller's overhead once: later units wait at the worker already."""
    assert makespan([1.0, 2.0, 3.0], cores=1, overhead=0.5, start=10.0) == pytest.approx(10 + 0.5 + 6)


def test_equal_units_on_enough_cores_take_one_round():
    """Without overhead."""
    assert makespan([2.0] * 8, cores=8, overhead=0.0, start=0.0) == pytest.approx(2.0)


def test_a_long_unit_at_the_end_is_waited_for():
    """Eight short ones and a long one on two cores."""
    assert makespan([1.0] * 8 + [10.0], cores=2, overhead=0.0, start=0.0) == pytest.approx(14.0)


def test_batches_spare_the_caller():
    """The same with batches of at most 64 units: sixteen messages at the least, and fewer units in each at the end."""
    alone = makespan([0.001] * 1000, cores=2, overhead=0.01, start=0.0)
    together = makespan([0.001] * 1000, cores=2, overhead=0.01, start=0.0, batch_seconds=0.5)
    assert alone == pytest.approx(10.001)
    assert 16 * 0.01 < together < 1.0


def test_the_caller_bounds_the_rate():
    """However many cores: a thousand units at ten milliseconds each."""
    assert makespan([0.001] * 1000, cores=1000, overhead=0.01, start=0.0) == pytest.approx(10.001)
