"""Cuts tighten the relaxation and never change V(R)."""

import numpy as np
import pytest

import neurprise as nr
from neurprise.clock import Deadline
from neurprise.recourse.evaluator import Evaluator
from neurprise.search.cuts import SeparatedCuts
from neurprise.search.extensive_form import ExtensiveForm
from neurprise.solvers import Limits, get_engine


@pytest.fixture
def plant():
    return nr.make_facility_location(8, 8, 6, 3)


def relaxed_value(model):
    engine = get_engine("highs")
    return engine.solve(type(model)(**{**vars(model), "integer": np.zeros_like(model.integer)}), Limits()).objective


def test_cuts_raise_the_relaxation_but_not_the_optimum(plant):
    """The relaxation of the tightened model is higher, its integer optimum the same."""
    engine, form = get_engine("highs"), ExtensiveForm(plant)
    plain = form.model([0, 1, 2])
    tight = SeparatedCuts(form, engine, plant.separator).tightened([0, 1, 2], Deadline())
    assert relaxed_value(tight) > relaxed_value(plain) + 1
    assert engine.solve(tight, Limits()).objective == pytest.approx(engine.solve(plain, Limits()).objective, rel=1e-9)


def test_cuts_of_one_reduced_problem_serve_the_next(plant):
    """What was found for a scenario comes back whenever the scenario does."""
    pool = SeparatedCuts(ExtensiveForm(plant), get_engine("highs"), plant.separator)
    first = pool.tightened([0, 1], Deadline())
    again = pool.tightened([1, 0], Deadline())
    assert again.matrix.shape[0] >= first.matrix.shape[0]


def test_every_recourse_satisfies_the_cuts(plant):
    """Rows found at a fractional point hold for an optimal recourse of any decision."""
    everything_open = np.concatenate([np.ones(8), plant.max_capacities])
    fractional = np.concatenate([np.full(8, 0.1), plant.max_capacities])
    y = Evaluator(plant).decision(everything_open, 2)
    rows = plant.separator.violated_rows(fractional, y, 2)
    assert rows is not None
    assert (rows.technology @ everything_open + rows.matrix @ y >= rows.lower - 1e-6).all()
