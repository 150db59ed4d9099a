"""Scenario graphs: the paper's features, scaled per instance, with shared topology."""

import numpy as np
import pytest

import neurprise as nr
from neurprise.errors import InputError, NotApplicableError
from neurprise.networks.view import encode
from neurprise.problems.facility_location.learned import NUM_PLANS

OBJECTIVE, SCENARIO_COST, LIMIT, COSINE, DEGREE = 4, 5, 6, 7, 8


@pytest.fixture
def selection():
    return nr.Selection([10, 20, 30], [[5, 40, 15], [30, 10, 20]], 2)


@pytest.fixture
def path_cover():
    """The path 0 - 1 - 2."""
    return nr.VertexCover([10, 20, 30], [[5, 40, 15], [30, 10, 20]], [[0, 1], [1, 2]])


def test_selection_has_the_papers_nodes_and_eight_features(selection):
    """x, y, eta, the count row, one row per item, eta's row."""
    graph = encode(selection, "cv")
    assert graph.features().shape == (2, 3 + 3 + 1 + 1 + 3 + 1, 8)
    assert graph.nodes[:, :4].sum(axis=0).tolist() == [3, 3, 1, 5]


def test_costs_of_both_stages_share_one_scale(selection):
    """c and D are divided by their common largest value, 40."""
    features = encode(selection, "cv").features()
    assert features[0, :3, OBJECTIVE] == pytest.approx([0.25, 0.5, 0.75])
    assert features[1, 3:6, SCENARIO_COST] == pytest.approx([0.75, 0.25, 0.5])


def test_right_hand_sides_are_scaled_by_their_largest(selection):
    """p = 2 becomes 1, the item rows 1/2, eta's row 0."""
    assert encode(selection, "cv").features()[0, 7:, LIMIT] == pytest.approx([1, 0.5, 0.5, 0.5, 0])


def test_etas_row_carries_the_scenario_costs_on_its_edges(selection):
    """eta - d'y >= 0: the edges from y to the last node hold -d / 40."""
    graph = encode(selection, "cv")
    into_last = graph.edges[1] == graph.num_nodes - 1
    assert graph.edges[0][into_last].tolist() == [3, 4, 5, 6]
    assert graph.coefficients()[0][into_last] == pytest.approx([-0.125, -1, -0.375, 1])


def test_cosine_compares_each_row_with_the_scenario_objective(selection):
    """The first item's row is (1 on x_0, 1 on y_0); the objective is (c, d_s)."""
    objective = np.array([10, 20, 30, 5, 40, 15])
    expected = (10 + 5) / (np.sqrt(2) * np.linalg.norm(objective))
    assert encode(selection, "cv").features()[0, 8, COSINE] == pytest.approx(expected, rel=1e-5)


def test_vertex_cover_has_a_row_per_edge_and_degrees(path_cover):
    """The paper's edge rows, whatever rows the engine is given; nine features."""
    graph = encode(path_cover, "cv")
    assert graph.features().shape == (2, 3 + 3 + 1 + 2 + 3 + 1, 9)
    assert graph.nodes[:6, DEGREE] == pytest.approx([0.5, 1, 0.5] * 2)
    first_edge_row = graph.edges[0][graph.edges[1] == 7]
    assert first_edge_row.tolist() == [0, 1, 3, 4]


def test_compact_facility_location_joins_every_site_to_every_customer():
    """Six features per node, transport costs on the edges."""
    problem = nr.FacilityLocation([100, 200], [10, 20], [300, 600], [[1, 2, 4], [4, 2, 1]], [[50, 60, 100]])
    graph = encode(problem, "ps")
    assert graph.features().shape == (1, 5, 6)
    assert graph.num_edges == 12
    assert graph.features()[0, 2:, 5] == pytest.approx([0.5, 0.6, 1])
    assert graph.features()[0, :2, 2:5] == pytest.approx(np.array([[0.5, 0.5, 0.5], [1, 1, 1]]))


def test_sv_adds_the_costs_of_each_scenario_alone(path_cover):
    """V({s}), the costs of probing decisions, and the nodes that {s} alone would take now."""
    plain, graph = encode(path_cover, "ps"), encode(path_cover, "sv")
    values, decisions = (
        path_cover.single_scenarios.values(),
        path_cover.single_scenarios.decisions(range(path_cover.num_scenarios)),
    )
    columns = graph.features()[:, 0, plain.num_features : -1] * values.std() + values.mean()
    assert columns[:, 0] == pytest.approx(values, rel=1e-5)
    worst = int(values.argmax())
    costs = path_cover.first_stage.costs @ decisions[worst] + path_cover.oracle.recourse_costs(decisions[worst])
    assert columns[:, 1] == pytest.approx(costs, rel=1e-5)
    assert graph.features()[:, :, -1] == pytest.approx(decisions)


def test_facility_location_is_probed_by_growing_capacity_plans():
    """The relaxation bounds V({s}) from below; the first plan is free for the scenario it was made for."""
    problem = nr.make_facility_location(5, 4, 3, 0)
    graph = encode(problem, "sv")
    assert graph.num_features == 6 + 1 + NUM_PLANS + 1
    found = problem.learned.probes()
    worst = int(found.values.argmax())
    assert found.costs[worst, 0] == pytest.approx(found.values[worst])
    for s in range(3):
        assert found.values[s] <= nr.solve(problem.restrict([s])).worst_case + 1e-6


def test_any_problem_has_a_constraint_variable_graph():
    """Changed right-hand sides and rows bounded from above are encoded; features are finite."""
    problem = nr.TwoStageProblem.from_matrices(
        [1, 2], [[1, 1]], [1], [[1, 0], [0, 1]], [3, 4], [[1, 0], [0, 2]], [[1], [0]], [[0.5], [1.0]], [1, 1],
        x_integer=True, y_integer=False,
    )  # fmt: skip
    graph = encode(problem, "cv")
    features = graph.features()
    assert features.shape == (2, 2 + 2 + 1 + 3 + 1, 8)
    assert features[:, 6, LIMIT] == pytest.approx([2.5 / 4, 2.0 / 4])
    assert np.isfinite(features).all()


def test_changed_matrix_entries_reach_the_edges():
    """A scenario that changes a recourse coefficient changes that edge, in both directions."""
    problem = nr.TwoStageProblem.from_matrices(
        [1.0], None, None, [[1, 2], [3, 4]], [1, 1], [[5], [6]], None, None, [[1, 1], [2, 2]],
        x_integer=True, y_integer=False,
    )  # fmt: skip
    from dataclasses import replace

    from neurprise.problem.stages import Changes

    changed = {**problem.changes, "matrix": Changes(np.array([2]), np.array([[3.0], [-6.0]]))}
    graph = encode(replace(problem, changes=changed), "cv")
    row, y_first = 1 + 2 + 1 + 1, 1
    there = (graph.edges[0] == y_first) & (graph.edges[1] == row)
    back = (graph.edges[0] == row) & (graph.edges[1] == y_first)
    assert graph.coefficients()[:, there | back] == pytest.approx(np.array([[0.5, 0.5], [-1, -1]]))


def test_scaling_every_cost_leaves_the_graph_unchanged(selection):
    """Normalisation removes the magnitude of an instance."""
    larger = nr.Selection(7 * selection.first_stage.costs, 7 * selection.scenario_costs, 2)
    for a, b in ((encode(selection, e), encode(larger, e)) for e in ("cv", "ps")):
        assert a.features() == pytest.approx(b.features(), abs=1e-6)


def test_only_edges_of_one_weight_are_summed_by_a_matrix_product(path_cover):
    """A cover graph has an adjacency matrix; transport costs, scenario costs on edges and sparse graphs have none."""
    assert encode(path_cover, "ps").adjacency.tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    assert encode(path_cover, "cv").adjacency is None
    assert encode(nr.make_facility_location(3, 3, 2, 0), "ps").adjacency is None
    assert encode(nr.VertexCover([1, 1], [[1, 1]], []), "ps").adjacency is None


def test_unknown_encodings_are_refused(selection):
    """The sentence lists what there is; compact graphs exist for the families only."""
    with pytest.raises(InputError, match="encoding must be one of cv, ps, sv"):
        encode(selection, "tripartite")
    generic = nr.TwoStageProblem.from_matrices(
        [1.0], None, None, [[1]], [1], [[1]], None, None, [[1], [2]], x_integer=True, y_integer=False
    )
    with pytest.raises(NotApplicableError, match="use 'cv'"):
        encode(generic, "ps")
