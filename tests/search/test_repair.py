"""Repair: what a decision opened stays open, and more is opened until every scenario has a recourse."""

import math

import numpy as np
import pytest

import neurprise as nr
from experiments.instances.network_design import drawn_network, network_design
from neurprise.search.repair import Repair, is_repairable
from neurprise.search.session import SearchSession


@pytest.fixture
def session():
    return SearchSession(network_design(drawn_network(8, 12, 2, 3)))


def test_a_decision_without_recourse_is_repaired(session):
    """Nothing is built: no flow arrives anywhere. Repaired, something is, and every demand is met."""
    nothing = np.zeros(session.problem.num_first_stage)
    place = session.pool.add(nothing, session.deadline, enough=math.inf)
    assert session.worst_case == math.inf
    Repair(session).run(place)
    assert math.isfinite(session.worst_case)
    best, worst_case = session.pool.best()
    assert nr.evaluate(session.problem, session.pool.member(best)).worst_case == pytest.approx(worst_case)


def test_what_is_open_stays_open(session):
    """Repaired decisions have every arc of the one they came from."""
    begun = nr.solve(session.problem.restrict([0]), gap=0.0).x
    before = len(session.pool)
    Repair(session).run(session.pool.add(begun, session.deadline, enough=math.inf))
    for place in range(before, len(session.pool)):
        assert (session.pool.member(place) >= begun - 1e-6).all()


def test_a_repair_proves_nothing(session):
    """Bounds come from masters alone."""
    Repair(session).run(session.pool.add(np.zeros(session.problem.num_first_stage), session.deadline, enough=math.inf))
    assert session.lower_bound == -math.inf


def test_a_decision_that_lacks_nothing_stays_alone(session):
    """With everything built, the only better decisions build less, which no repair tries."""
    everything = np.ones(session.problem.num_first_stage)
    place = session.pool.add(everything, session.deadline, enough=math.inf)
    Repair(session).run(place)
    assert len(session.pool) == 1


def test_families_and_linear_decisions_need_no_repair():
    """Families find decisions themselves, and linear ones have nothing to keep."""
    assert not is_repairable(SearchSession(nr.make_vertex_cover(6, 4, 0)))
    linear = nr.TwoStageProblem.from_matrices(
        c=[1.0], A=None, d=None, G=[[1.0]], h=[0.0], E=[[1.0]], M=[[-1.0]], xi=[[3.0], [4.0]], b=[2.0],
        x_integer=False, y_integer=False,
    )  # fmt: skip
    assert not is_repairable(SearchSession(linear))
