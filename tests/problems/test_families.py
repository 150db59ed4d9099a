"""Selection, vertex cover and facility location: what they accept, and their oracles against the paper's programs."""

import numpy as np
import pytest
from hypothesis import given

import neurprise as nr
from neurprise.errors import InputError
from neurprise.recourse.evaluator import Evaluator
from tests.extensive import PAPER
from tests.instances import FAMILIES, random_selection, random_vertex_cover, seeds


def decisions(problem, seed):
    """First-stage decisions of binary families: nothing, everything, and some."""
    n = problem.num_first_stage
    some = np.random.default_rng(seed).integers(0, 2, n).astype(float)
    return [np.zeros(n), np.ones(n), some]


@pytest.mark.parametrize("family", ["selection", "vertex-cover"])
@given(seed=seeds)
def test_oracles_agree_with_the_papers_program(family, seed):
    """Q(x, s) for x = 0, x = 1 and a random x; inf where too many items are taken."""
    problem = FAMILIES[family](seed)
    paper = PAPER[family](problem)
    for x in decisions(problem, seed):
        expected = [paper.recourse_cost(x, s) for s in range(problem.num_scenarios)]
        assert problem.oracle.recourse_costs(x) == pytest.approx(expected)


@pytest.mark.parametrize("family", ["selection", "vertex-cover"])
@given(seed=seeds)
def test_oracle_decisions_are_feasible_and_cost_what_the_oracle_says(family, seed):
    """y satisfies the package's own recourse rows and attains Q(x, s)."""
    problem = FAMILIES[family](seed)
    recourse = problem.recourse
    for x in decisions(problem, seed):
        costs = problem.oracle.recourse_costs(x)
        for s in np.flatnonzero(np.isfinite(costs)):
            y, block = problem.oracle.recourse_decision(x, int(s)), problem.scenario(int(s))
            rows = recourse.technology @ x + recourse.matrix @ y
            assert (rows >= block.row_lower - 1e-9).all()
            assert (rows <= block.row_upper + 1e-9).all()
            assert block.costs @ y + block.x_costs @ x == pytest.approx(costs[s])


@given(seed=seeds)
def test_facility_location_recourse_agrees_with_the_papers_program(seed):
    """Full capacity, half of it, none: transport costs, or inf where demand cannot be served."""
    problem = FAMILIES["facility-location"](seed)
    paper = PAPER["facility-location"](problem)
    m = len(problem.opening_costs)
    evaluator = Evaluator(problem)
    for share in (1.0, 0.5, 0.0):
        x = np.concatenate([np.ones(m), share * problem.max_capacities])
        expected = [paper.recourse_cost(x, s) for s in range(problem.num_scenarios)]
        assert evaluator.evaluate(x).recourse_costs == pytest.approx(expected)


@pytest.mark.parametrize("family", ["selection", "vertex-cover"])
@given(seed=seeds)
def test_single_scenario_shortcuts_agree_with_the_papers_program(family, seed):
    """V({s}) without a program, and a decision that attains it."""
    problem = FAMILIES[family](seed)
    paper = PAPER[family](problem)
    expected = [paper.value([s]) for s in range(problem.num_scenarios)]
    assert problem.single_scenarios.values() == pytest.approx(expected)
    for s, x in enumerate(problem.single_scenarios.decisions(range(problem.num_scenarios))):
        assert problem.first_stage.costs @ x + problem.oracle.recourse_costs(x)[s] == pytest.approx(expected[s])


def test_vertex_cover_takes_first_stage_rewards():
    """A node that pays to be taken now is taken, needed or not."""
    problem = nr.VertexCover([-5, 3, 4], [[2, 2, 2], [1, 9, 9]], [[1, 2]])
    paper = PAPER["vertex-cover"](problem)
    assert problem.single_scenarios.values() == pytest.approx([paper.value([0]), paper.value([1])])
    assert nr.solve(problem).worst_case == pytest.approx(paper.value())


def test_large_graphs_go_to_the_engine():
    """Beyond 128 nodes branch-and-bound steps aside, and the answer stays the same."""
    rng = np.random.default_rng(0)
    path = np.column_stack([np.arange(129), np.arange(1, 130)])
    problem = nr.VertexCover(np.full(130, 5), rng.integers(1, 9, (2, 130)), path)
    assert problem.oracle is None
    assert problem.single_scenarios is None
    paper = PAPER["vertex-cover"](problem)
    expected = [paper.recourse_cost(np.zeros(130), s) for s in range(2)]
    assert nr.evaluate(problem, np.zeros(130)).recourse_costs == pytest.approx(expected)


def test_with_scenarios_keeps_the_rest():
    """Same items, graph or sites under other scenarios."""
    selection, cover = random_selection(1), random_vertex_cover(1)
    location = nr.make_facility_location(4, 3, 2, 0)
    assert selection.with_scenarios(selection.scenario_costs + 1).num_select == selection.num_select
    assert cover.with_scenarios(cover.scenario_costs + 1).edges.tolist() == cover.edges.tolist()
    more = location.with_scenarios(np.vstack([location.demands, location.demands]))
    assert more.num_scenarios == 4
    assert more.opening_costs.tolist() == location.opening_costs.tolist()


@pytest.mark.parametrize(
    "arguments, words",
    [
        (([1, np.nan], [[1, 2]], 1), "first_stage_costs must be finite"),
        (([1, 2], [[1, np.nan]], 1), "scenario_costs must be finite"),
        (([1, 2], [[1, 2, 3]], 1), r"scenario_costs must have shape \(any, 2\), got \(1, 3\)"),
        (([1, 2], [1, 2], 1), "scenario_costs must have shape"),
        (([1, 2], np.zeros((0, 2)), 1), "at least one row"),
        (([1, 2], [[1, 2]], 3), "num_select must be a whole number between 0 and 2, got 3"),
        (([1, 2], [[1, 2]], -1), "num_select must be"),
        (([1, 2], [[1, 2]], 1.5), "num_select must be"),
        ((["a", 2], [[1, 2]], 1), "first_stage_costs must be numbers"),
    ],
)
def test_bad_selections_are_refused(arguments, words):
    """nan, wrong shapes, no scenarios, impossible counts."""
    with pytest.raises(InputError, match=words):
        nr.Selection(*arguments)


@pytest.mark.parametrize(
    "costs, later, edges, words",
    [
        ([1, 2], [[1, 2]], [[0, 2]], "edges must join nodes 0 to 1, got node 2; nodes are numbered from 0"),
        ([1, 2], [[1, 2]], [[-1, 0]], "got node -1"),
        ([1, 2], [[1, 2]], [[1, 1]], r"got the loop \(1, 1\); remove it"),
        ([1, 2], [[1, 2]], [0, 1], "whole numbers of shape"),
        ([1, 2], [[1, 2]], [[0, 1, 1]], "whole numbers of shape"),
        ([1, 2], [[1, 2]], [[0.0, 1.0]], "whole numbers of shape"),
        ([1, 2], [[1, -2]], [[0, 1]], "scenario_costs must be zero or positive, got -2"),
        ([1, 2], [[1, np.inf]], [[0, 1]], "scenario_costs must be finite"),
        ([1, 2], np.zeros((0, 2)), [[0, 1]], "at least one row"),
    ],
)
def test_bad_vertex_covers_are_refused(costs, later, edges, words):
    """Edges out of range, self loops, negative costs."""
    with pytest.raises(InputError, match=words):
        nr.VertexCover(costs, later, edges)


def test_repeated_edges_count_once():
    """(1, 0) is (0, 1)."""
    assert nr.VertexCover([1, 2], [[1, 2]], [[0, 1], [1, 0], [0, 1]]).edges.tolist() == [[0, 1]]


@pytest.mark.parametrize(
    "place, value, words",
    [
        (0, [1], "capacity_costs must be of shape"),
        (1, [1, np.nan], "capacity_costs must be finite"),
        (2, [5, -1], "max_capacities must be zero or positive, got -1"),
        (3, [[1, 2]], r"transport_costs must have shape \(2, any\)"),
        (4, [[1, -2]], "demands must be zero or positive, got -2"),
        (4, [[1]], r"demands must have shape \(any, 2\)"),
        (4, np.zeros((0, 2)), "at least one row"),
        (4, [[1, np.nan]], "demands must be finite"),
    ],
)
def test_bad_facility_locations_are_refused(place, value, words):
    """Wrong shapes, nan, negative capacities and demands."""
    arguments = [[1, 1], [1, 1], [5, 5], [[1, 2], [3, 4]], [[1, 2]]]
    arguments[place] = value
    with pytest.raises(InputError, match=words):
        nr.FacilityLocation(*arguments)


def test_no_customers_cost_nothing_later():
    """A recourse without variables is feasible and free."""
    problem = nr.FacilityLocation([1, 1], [1, 1], [5, 5], np.zeros((2, 0)), np.zeros((3, 0)))
    assert nr.evaluate(problem, np.zeros(4)).recourse_costs.tolist() == [0, 0, 0]
