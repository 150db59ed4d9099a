"""Features of any problem: independent of unit, order and offset."""

from dataclasses import replace

import numpy as np
import pytest

import neurprise as nr
from experiments.classes import CLASSES, generator
from neurprise.clock import Deadline
from neurprise.networks.universal import NO_RECOURSE, NUM_FEATURES, from_largest, ranks, universal_features
from neurprise.networks.view import encode
from neurprise.problem.stages import Changes
from neurprise.search.relaxation import relaxed_costs
from neurprise.solvers import get_engine

#: Problems with integers and without, with uncertain costs, limits and matrices.
SOME = ("covering:draw", "inventory_network:draw", "maintenance:draw", "families:selection")


def drawn(name, scenarios=12):
    """A problem of a class with few scenarios, as one of no family."""
    problem = generator(name)(5).restrict(range(scenarios))
    return nr.TwoStageProblem(**problem.general_form())


def features(problem, deadline=None):
    return universal_features(problem, relaxed_costs(problem, get_engine("highs"), deadline or Deadline()))


def in_other_units(problem, factor, shift):
    """The same problem with every cost multiplied, and a constant added to all."""
    form = problem.general_form()
    changes = dict(problem.changes)
    for kind in ("costs", "x_costs"):
        if kind in changes:
            changes[kind] = Changes(changes[kind].positions, changes[kind].values * factor)
    recourse = replace(
        form["recourse"], costs=problem.recourse.costs * factor, x_costs=problem.recourse.x_costs * factor
    )
    form |= {
        "first_stage": replace(form["first_stage"], costs=problem.first_stage.costs * factor),
        "recourse": recourse,
        "changes": changes,
        "offset": problem.offset * factor + shift,
    }
    return nr.TwoStageProblem(**form)


@pytest.mark.parametrize("name", SOME)
@pytest.mark.parametrize(("factor", "shift"), [(64.0, 0.0), (0.125, 0.0), (1.0, 1000.0)])
def test_units_and_constants_of_the_objective_do_not_matter(name, factor, shift):
    """Euros or cents, with or without the rent."""
    problem = drawn(name)
    assert np.allclose(features(problem), features(in_other_units(problem, factor, shift)), atol=1e-3)


@pytest.mark.parametrize("name", SOME)
def test_another_order_of_scenarios_permutes_the_features(name):
    """The position of a scenario does not matter; these data have no ties."""
    problem = drawn(name)
    order = np.random.default_rng(0).permutation(problem.num_scenarios)
    assert np.allclose(features(problem)[order], features(problem.restrict(order.tolist())), atol=1e-3)


@pytest.mark.parametrize("name", CLASSES)
def test_features_of_every_class_are_finite(name):
    """One scenario, equal scenarios, and many."""
    problem = generator(name)(2)
    equal = problem.with_scenarios(np.repeat(problem.scenario_data[:1], 3, axis=0))
    for part in (problem.restrict(range(6)), problem.restrict([4]), equal):
        found = features(part)
        assert found.shape == (part.num_scenarios, NUM_FEATURES)
        assert np.isfinite(found).all()
    assert np.ptp(found[:, 4:], axis=0).max() < 1e-5  # equal scenarios, equal numbers, whichever has the dual weight


def test_relaxed_values_bound_the_true_ones():
    """V({s}) of the relaxation is at most V({s}), and no decision is cheaper than it."""
    problem = drawn("covering:draw", 6)
    costs = relaxed_costs(problem, get_engine("highs"), Deadline())
    true = [nr.solve(problem.restrict([s])).worst_case for s in range(6)]
    assert (costs.singles <= np.array(true) + 1e-6).all()
    assert (costs.singles <= costs.totals.min(axis=0) + 1e-6).all()


def test_without_time_something_finite_is_told():
    """Whatever stops it, the scenarios can still be ranked."""
    assert np.isfinite(features(drawn("covering:draw"), Deadline(0.0))).all()


def test_distances_are_counted_from_the_largest_in_standard_deviations():
    """A scenario without recourse is worse than the worst; one that is not known is like the best."""
    assert from_largest(np.array([1.0, 3.0])).tolist() == [-2.0, 0.0]
    assert from_largest(np.array([1.0, 3.0, np.inf])).tolist() == [-2.0, 0.0, NO_RECOURSE]
    assert from_largest(np.full(3, 7.0)).tolist() == [0.0, 0.0, 0.0]
    assert from_largest(np.full(2, np.nan)).tolist() == [0.0, 0.0]


def test_those_who_tie_share_their_place():
    """Rounding errors of an engine do not part them."""
    assert ranks(np.array([5.0, 9.0, 5.0 + 1e-12])).tolist() == [1 / 2.5, 1.0, 1 / 2.5]


def test_the_graph_is_one_node_a_scenario():
    """The set network needs no more."""
    problem = drawn("production:draw", 4)
    graph = encode(problem, "lp")
    assert (graph.num_nodes, graph.num_edges, graph.num_scenarios) == (1, 0, 4)
    assert np.array_equal(graph.features()[:, 0], features(problem))
