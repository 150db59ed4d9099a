"""The network inside a mixed-integer model computes what the network computes."""

from dataclasses import replace

import numpy as np
import pytest

from neurprise.solvers import EngineModel, Limits, get_engine
from neurprise.surrogates.main_problem import Extension, add_network, largest_excess
from tests.instances import FAMILIES
from tests.surrogates.networks import described, random_decision, random_network


def first_stage_model(problem):
    """The first stage alone, without costs."""
    first = problem.first_stage
    zeros = np.zeros(len(first.costs))
    return EngineModel(zeros, first.matrix, first.row_lower, first.row_upper, first.lower, first.upper, first.integer)


def with_network(problem, network):
    """The first stage with the network of every scenario, and the columns of its values."""
    extension = Extension(first_stage_model(problem))
    scenarios = np.arange(problem.num_scenarios)
    values = add_network(extension, network, scenarios, np.arange(problem.num_first_stage))
    return extension.model(), values


def at(model, x):
    """The model with its first columns fixed to x."""
    lower, upper = model.lower.copy(), model.upper.copy()
    lower[: len(x)] = upper[: len(x)] = x
    return replace(model, lower=lower, upper=upper)


@pytest.mark.parametrize("engine", ["highs", "scip"])
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("seed", range(3))
def test_the_model_equals_the_network_at_every_decision(engine, family, seed):
    """The smallest and the largest value that the rows allow at x are both the network's own, to 1e-5."""
    pytest.importorskip({"highs": "highspy", "scip": "pyscipopt"}[engine])
    problem = FAMILIES[family](seed)
    network = random_network(problem, seed).folded(described(problem))
    model, columns = with_network(problem, network)
    x = random_decision(problem, seed)
    expected = network.values(x)
    for scenario, column in enumerate(columns):
        for sign in (1.0, -1.0):
            costs = np.zeros(len(model.costs))
            costs[column] = sign
            result = get_engine(engine).solve(at(replace(model, costs=costs), x), Limits())
            assert sign * result.objective == pytest.approx(expected[scenario], abs=1e-5)


@pytest.mark.parametrize("family", ["selection", "vertex-cover"])
@pytest.mark.parametrize("seed", range(3))
def test_the_model_finds_the_decision_of_smallest_value(family, seed):
    """Over all decisions, by listing them."""
    problem = FAMILIES[family](seed)
    network = random_network(problem, seed).folded(described(problem))
    model, columns = with_network(problem, network)
    costs = np.zeros(len(model.costs))
    costs[columns[0]] = 1.0
    result = get_engine("highs").solve(replace(model, costs=costs), Limits())
    n = problem.num_first_stage
    everything = (np.arange(2**n)[:, None] >> np.arange(n) & 1).astype(float)
    feasible = [x for x in everything if problem.first_stage.violation(x) <= 1e-9]
    assert result.objective == pytest.approx(min(network.values(x)[0] for x in feasible), abs=1e-5)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("seed", range(5))
def test_bounds_hold_for_every_decision(family, seed):
    """A bound that is too tight would cut off decisions without anyone noticing."""
    problem = FAMILIES[family](seed)
    network = random_network(problem, seed).folded(described(problem))
    excess = largest_excess(network, np.arange(problem.num_scenarios))
    for draw in range(20):
        x = random_decision(problem, draw)
        first, values = network.first(x), network.values(x)
        assert (first >= network.first_range[:, 0] - 1e-9).all()
        assert (first <= network.first_range[:, 1] + 1e-9).all()
        assert (values[:, None] - values <= excess + 1e-9).all()
