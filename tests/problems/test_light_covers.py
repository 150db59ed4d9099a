"""Light covers: they cover, they weigh little, and the edges of the case do not matter."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neurprise as nr
from neurprise.problems.vertex_cover.light_covers import LightCoverOracle
from neurprise.problems.vertex_cover.oracle import CoverOracle


@given(n=st.integers(1, 12), density=st.floats(0, 1), seed=st.integers(0, 1000))
def test_what_is_left_is_covered_and_no_node_is_needless(n, density, seed):
    """On any part of any graph; weights whole, fractional, zero."""
    rng = np.random.default_rng(seed)
    edges = np.argwhere(np.triu(rng.random((n, n)) < density, 1))
    left = rng.random(n) < 0.8
    weights = np.vstack([rng.integers(0, 5, n), rng.random(n), np.zeros(n)])
    oracle = LightCoverOracle(n, edges)
    _, covers = oracle.solved(left, weights)
    assert (covers[:, ~left] == 1).all()
    covers *= left
    inside = [(i, j) for i, j in edges.tolist() if left[i] and left[j]]
    assert all((covers[:, i] + covers[:, j] >= 1).all() for i, j in inside)
    for v in range(n):
        others = [covers[:, j if i == v else i] for i, j in inside if v in (i, j)]
        assert not (covers[:, v] * np.prod(others, axis=0)).any()
    assert oracle.costs(left, weights) == pytest.approx((covers * weights).sum(axis=1))
    assert (CoverOracle(n, edges).costs(left, weights) <= oracle.costs(left, weights) + 1e-9).all()


def test_random_graphs_are_covered_within_a_few_percent():
    """Against the exact oracle, on average over scenarios; measured: 2.2 %."""
    problem = nr.make_vertex_cover(50, 100, 1)
    everywhere = np.ones(50, dtype=bool)
    light = LightCoverOracle(50, problem.edges).costs(everywhere, problem.scenario_costs)
    cheapest = CoverOracle(50, problem.edges).costs(everywhere, problem.scenario_costs)
    assert (light / cheapest).mean() < 1.04


def test_a_graph_without_edges_needs_no_cover():
    """Nothing to cover, nothing taken."""
    edges = np.zeros((0, 2), dtype=np.int64)
    assert LightCoverOracle(3, edges).costs(np.ones(3, dtype=bool), np.ones((2, 3))).tolist() == [0, 0]


@pytest.mark.parametrize("scenarios", [1, 7])
def test_the_shipped_network_chooses_on_graphs_beyond_the_exact_oracle(scenarios):
    """65 nodes and more, rewards among the first-stage costs included."""
    drawn = nr.make_vertex_cover(70, scenarios, 3)
    costs = drawn.first_stage_costs.copy()
    costs[:3] = [-5, 0, -1]
    problem = nr.VertexCover(costs, drawn.scenario_costs, drawn.edges)
    scores = nr.reducers.NeurPRISE().scores(problem)
    assert scores.shape == (scenarios,)
    assert np.isfinite(scores).all()
