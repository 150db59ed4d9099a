"""The compiled vertex-cover oracle: branch-and-bound against the table over all subsets, and the clique rows."""

import itertools

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given, settings
from hypothesis import strategies as st

import neurprise as nr
from neurprise import compiled as room
from neurprise.clock import Deadline
from neurprise.problems.vertex_cover import oracle as cover_oracle
from neurprise.problems.vertex_cover.formulation import clique_cover
from neurprise.problems.vertex_cover.independent_sets import (
    NO_LIMIT,
    cover_costs,
    maximal_independent_sets,
)
from neurprise.recourse.engine import PartialEvaluationError
from neurprise.recourse.evaluator import Evaluator


@st.composite
def graphs(draw, most_nodes=9):
    """Number of nodes and edges, shape (E, 2)."""
    n = draw(st.integers(1, most_nodes))
    pairs = list(itertools.combinations(range(n), 2))
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return n, np.array(chosen, dtype=np.int64).reshape(-1, 2)


def cheapest_cover_by_listing(nodes, edges, weights):
    """Try every subset of `nodes` (a bit set) as a cover of the edges inside it."""
    inside = [(i, j) for i, j in edges.tolist() if nodes >> i & nodes >> j & 1]
    subsets = (subset for subset in range(1 << len(weights)) if subset & ~nodes == 0)
    covers = (subset for subset in subsets if all(subset >> i & 1 or subset >> j & 1 for i, j in inside))
    return min(sum(weights[v] for v in range(len(weights)) if cover >> v & 1) for cover in covers)


def table_of(words, weights):
    """The cheapest cover of every subset, over memory that held something else."""
    sums, table = np.full((2, 1 << len(weights)), np.nan)
    cover_oracle.cover_table(words, weights, sums, table)
    return table


@given(graph=graphs(most_nodes=6), seed=st.integers(0, 1000))
def test_table_lists_the_cheapest_cover_of_every_subset(graph, seed):
    """Against trying all covers."""
    n, edges = graph
    weights = np.random.default_rng(seed).integers(0, 9, n).astype(float)
    table = table_of(cover_oracle.neighbour_words(n, edges), weights)
    for nodes in range(1 << n):
        assert table[nodes] == pytest.approx(cheapest_cover_by_listing(nodes, edges, weights))


@given(graph=graphs(), seed=st.integers(0, 1000))
def test_numpy_and_compiled_functions_answer_alike(graph, seed):
    """To the last bit, so that no answer depends on which of them was asked."""
    n, edges = graph
    rng = np.random.default_rng(seed)
    weights, left = rng.random((5, n)), rng.random(n) < 0.7
    words = cover_oracle.neighbour_words(n, edges)
    seen = []
    for seconds in (0.0, 1e9):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(room, "SECONDS_OF_NUMPY", seconds)
            for function in (maximal_independent_sets, cover_oracle.cheapest_listed, cover_oracle.cover_table):
                patch.setattr(function, "_call", function._first_call)
            sets = maximal_independent_sets(words, 1 << n)
            listed = cover_oracle.nodes_outside(sets, n)
            costs, cheapest = cover_oracle.cheapest_listed(listed, left, weights, 2 * len(listed))
            seen.append([sets, costs, cheapest, *(table_of(words, row) for row in weights)])
            assert len(maximal_independent_sets(words, len(sets) - 1)) == 0
    for one, other in zip(*seen, strict=True):
        assert one.tolist() == other.tolist()


@given(graph=graphs(), seed=st.integers(0, 1000))
def test_branch_and_bound_agrees_with_the_table(graph, seed):
    """On every subset of nodes, for whole and fractional weights, zeros included."""
    n, edges = graph
    rng = np.random.default_rng(seed)
    weights = np.vstack([rng.integers(0, 5, n), rng.random(n), np.zeros(n)])
    words = cover_oracle.neighbour_words(n, edges)
    tables = [table_of(words, row) for row in weights]
    subsets = rng.integers(0, 1 << n, 20)
    for table, row in zip(tables, weights, strict=True):
        left = subsets[:, None] >> np.arange(n) & 1
        assert cover_oracle.CoverOracle(n, edges).costs_of_subsets(left, row) == pytest.approx(table[subsets])
    for nodes in subsets:
        costs = cover_costs(np.array([nodes], dtype=np.uint64), words.reshape(-1, 1), weights, NO_LIMIT)
        assert costs == pytest.approx([table[nodes] for table in tables])


@pytest.mark.parametrize("count", [2, 63, 64, 65, 127, 128])
def test_all_bits_of_all_words_are_used(count):
    """A cycle of nodes of weight 1 needs every second one; the top bit is no sign, and the next word goes on."""
    nodes = np.arange(count)
    oracle = cover_oracle.CoverOracle(count, np.column_stack([nodes, (nodes + 1) % count]))
    costs, covers = oracle.solved(np.ones(count, dtype=bool), np.ones((1, count)))
    assert costs.tolist() == [(count + 1) // 2]
    assert np.maximum(covers[0], np.roll(covers[0], 1)).all()


@settings(max_examples=20)
@given(seed=st.integers(0, 1000), count=st.integers(65, 80))
def test_an_engine_agrees_on_graphs_of_more_than_one_word(seed, count):
    """Cheapest covers of what any decision leaves: branch-and-bound against mixed-integer programs of another kind."""
    rng = np.random.default_rng(seed)
    pairs = rng.integers(0, count, (2 * count, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    problem = nr.VertexCover(rng.random(count), rng.integers(0, 20, (2, count)) / 4, pairs)
    x = (rng.random(count) < rng.choice([0.0, 0.3])).astype(float)
    costs = [_by_engine(problem.edges, x, later) for later in problem.scenario_costs]
    assert problem.oracle.recourse_costs(x) == pytest.approx(costs)
    for scenario, cost in enumerate(costs):
        whole = problem.oracle.recourse_decision(x, scenario)
        assert (whole >= x).all()
        assert whole[problem.edges].any(axis=1).all()
        assert (whole - x) @ problem.scenario_costs[scenario] == pytest.approx(cost)


def _by_engine(edges, x, weights):
    """y_i + y_j >= 1 - x_i - x_j for every edge, by scipy's own solver."""
    rows = np.zeros((len(edges), len(x)))
    rows[np.arange(len(edges)), edges[:, 0]] = rows[np.arange(len(edges)), edges[:, 1]] = 1
    needed = scipy.optimize.LinearConstraint(rows, 1 - rows @ x, np.inf)
    bounds = scipy.optimize.Bounds(0, 1)
    return scipy.optimize.milp(weights, integrality=np.ones(len(x)), bounds=bounds, constraints=needed).fun


def test_what_takes_too_long_is_left_to_the_engine(monkeypatch):
    """The oracle gives up, the evaluation has every cost all the same."""
    problem = nr.make_vertex_cover(70, 4, seed=0)
    expected = nr.evaluate(problem, np.zeros(70)).recourse_costs
    monkeypatch.setattr(cover_oracle, "MAX_BRANCHINGS", 10)
    assert np.isnan(problem.oracle.recourse_costs(np.zeros(70))).all()
    assert problem.oracle.recourse_decision(np.zeros(70), 0) is None
    assert nr.evaluate(problem, np.zeros(70)).recourse_costs == pytest.approx(expected)


def test_large_graphs_are_evaluated_in_parts_under_a_limit():
    """Time is looked at after every few scenarios, and what is known by then is kept."""
    problem = nr.make_vertex_cover(90, 40, seed=0)
    assert problem.oracle.scenarios_at_once == 10
    with pytest.raises(PartialEvaluationError) as stopped:
        Evaluator(problem).evaluate(np.zeros(90), Deadline(0.0))
    assert np.isfinite(stopped.value.costs).sum() == 10


def test_chains_of_odd_cycles_do_not_explode():
    """Twelve rings of five, joined one to the next: 36 nodes, found among few thousand sets, not among millions."""
    rings = np.arange(60).reshape(12, 5)
    edges = np.vstack(
        [*(np.column_stack([ring, np.roll(ring, 1)]) for ring in rings), [[r[2], r[2] + 3] for r in rings[:-1]]]
    )
    oracle = cover_oracle.CoverOracle(60, edges)
    assert oracle.costs(np.ones(60, dtype=bool), np.ones((1, 60))).tolist() == [36.0]


@given(graph=graphs())
def test_maximal_independent_sets_are_all_found_once(graph):
    """Independent, not extendable, none twice: against trying every subset."""
    n, edges = graph
    words = [int(word) for word in cover_oracle.neighbour_words(n, edges)]

    def blocked(nodes):
        around = 0
        for v in range(n):
            if nodes >> v & 1:
                around |= words[v]
        return around

    wanted = [u for u in range(1 << n) if blocked(u) & u == 0 and blocked(u) | u == (1 << n) - 1]
    found = maximal_independent_sets(np.array(words, dtype=np.uint64), 1 << n)
    assert sorted(found.tolist()) == wanted
    assert len(maximal_independent_sets(np.array(words, dtype=np.uint64), len(wanted) - 1)) == 0


@given(graph=graphs(), seed=st.integers(0, 1000))
def test_listed_covers_and_branch_and_bound_agree(graph, seed):
    """The two ways of the oracle: equal costs, and covers that cover at that cost."""
    n, edges = graph
    rng = np.random.default_rng(seed)
    weights = np.vstack([rng.integers(0, 5, n), rng.random(n), np.zeros(n)])
    left = rng.random(n) < 0.7
    listing, branching = cover_oracle.CoverOracle(n, edges), cover_oracle.CoverOracle(n, edges)
    branching.__dict__["_covers"] = None
    costs = branching.costs(left, weights)
    assert listing.costs(left, weights) == pytest.approx(costs)
    for oracle in (listing, branching):
        found, covers = oracle.solved(left, weights)
        assert found == pytest.approx(costs)
        assert (covers * left * weights).sum(axis=1) == pytest.approx(costs)
        assert all((covers[:, i] + covers[:, j] >= 1).all() for i, j in edges)


def test_prices_are_computed_a_few_scenarios_at_a_time(monkeypatch):
    """Any number of scenarios in bounded memory."""
    oracle = cover_oracle.CoverOracle(3, np.array([[0, 1], [1, 2]]))
    weights, everything = np.arange(21.0).reshape(7, 3), np.ones(3, dtype=bool)
    together = oracle.costs(everything, weights)
    monkeypatch.setattr(cover_oracle, "_PRICES_AT_ONCE", 4)
    assert oracle.costs(everything, weights).tolist() == together.tolist()
    assert oracle.solved(everything, weights[:0])[1].shape == (0, 3)


def test_a_graph_with_too_many_covers_is_not_listed():
    """20 disjoint edges have 2^20 minimal covers; the answer comes from branch-and-bound."""
    oracle = cover_oracle.CoverOracle(40, np.arange(40).reshape(20, 2))
    assert oracle._covers is None
    assert oracle.costs(np.ones(40, dtype=bool), np.ones((1, 40))).tolist() == [20.0]


def test_subset_sums_add_the_weights_of_each_bit_set():
    """Entry 5 is nodes 0 and 2."""
    sums = np.full(8, np.nan)
    cover_oracle.subset_sums(np.array([1.0, 2.0, 4.0]), sums)
    assert sums.tolist() == [0, 1, 2, 3, 4, 5, 6, 7]


@given(graph=graphs())
@settings(max_examples=40)
def test_cliques_contain_every_edge_and_only_edges(graph):
    """Every edge lies in a clique, and every pair in a clique is an edge."""
    n, edges = graph
    wanted = {(int(min(pair)), int(max(pair))) for pair in edges.tolist()}
    cliques = clique_cover(n, np.array(sorted(wanted), dtype=np.int64).reshape(-1, 2))
    covered = {pair for clique in cliques for pair in itertools.combinations(sorted(clique), 2)}
    assert covered == wanted
