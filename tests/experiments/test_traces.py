"""Compression budget and gain statistics."""

import pytest

from experiments.views.traces import compression_budget, gains_are_nonincreasing, share_nonincreasing, stop_step
from neurprise.errors import InputError
from neurprise.reducers import Reduction

COUNTEREXAMPLE = Reduction((2, 0, 1), gains=(5.0, 1.0, 2.0), objective=8.0)


def test_compression_budget_is_the_first_value_within_one_percent():
    """99.5 of 100 is close enough, 98 is not."""
    assert compression_budget([90, 98, 99.5, 100], full_value=100) == 3


def test_a_trace_that_never_comes_close_has_no_compression_budget():
    """The paper counts it as not converged."""
    assert compression_budget([90, 98], full_value=100) is None


def test_negative_values_are_measured_by_their_size():
    """Profits: -101 falls short of -100 by 1 %."""
    assert compression_budget([-120, -101], full_value=-100) == 2


def test_gains_of_a_reduction_add_up_to_values():
    """The paper's counterexample has values 5, 6, 8."""
    assert compression_budget(COUNTEREXAMPLE, full_value=8) == 3
    assert compression_budget(COUNTEREXAMPLE, full_value=8, shortfall=0.25) == 2


def test_the_counterexample_is_not_submodular():
    """Its third gain exceeds its second."""
    assert not gains_are_nonincreasing(COUNTEREXAMPLE)
    assert gains_are_nonincreasing([5, 6, 6.5])
    assert share_nonincreasing([COUNTEREXAMPLE, [5, 6, 6.5]]) == 0.5


def test_a_negative_first_value_is_no_gain():
    """With profits the first value is below zero, and only later steps are compared."""
    assert gains_are_nonincreasing([-10, -6, -5])
    assert not gains_are_nonincreasing([-10, -9, -5])


def test_stop_step_ignores_engine_noise():
    """The last step that raised the value, here the second."""
    assert stop_step([5, 6, 6 + 1e-7]) == 2
    assert stop_step([5, 5, 5]) == 1
    assert stop_step(COUNTEREXAMPLE) == 3


def test_a_reduction_without_gains_cannot_be_diagnosed():
    """The sentence says what would work."""
    with pytest.raises(InputError, match="need gains"):
        stop_step(Reduction((0,)))


def test_an_empty_trace_is_refused():
    """There is no step to speak of."""
    with pytest.raises(InputError, match="at least one"):
        stop_step([])
    with pytest.raises(InputError, match="at least one"):
        share_nonincreasing([])
