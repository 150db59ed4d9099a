"""Limits are kept on large scenario sets, and what is known by then comes back."""

import math

import numpy as np
import pytest

import neurprise as nr
from neurprise.clock import Deadline
from neurprise.problems.vertex_cover.oracle import SingleVertexCovers, VertexCoverOracle
from neurprise.recourse import evaluator
from neurprise.recourse.blocks import Effort, integer_points
from neurprise.recourse.model import dominators
from neurprise.recourse.plan import Plan
from neurprise.report.tables import hindsight_costs, regrets
from neurprise.search.session import SearchSession
from neurprise.search.single_values import every_value, family_values
from neurprise.solvers import EngineSettings, EngineStatus, Limits
from neurprise.solvers.highs import Highs
from tests.instances import market_split
from tests.solvers.models import model


@pytest.fixture(scope="module")
def many():
    """Three thousand scenarios of a small selection."""
    return nr.make_selection(30, 3_000, 0)


def test_values_of_single_scenarios_stop_at_the_deadline(many):
    """The first thousand are answered, the rest unknown; with time all are."""
    values = family_values(SearchSession(many, deadline=Deadline(0.0)))
    assert np.isnan(values[1_000:]).all()
    assert values[:1_000].tolist() == many.single_scenarios.values()[:1_000].tolist()
    assert (
        family_values(SearchSession(many, deadline=Deadline(60.0))).tolist() == many.single_scenarios.values().tolist()
    )


@pytest.mark.parametrize("reducer", ["prise", "ccg", "singlevalue", "kmeans", "neurprise", "relaxation", "maxsum"])
def test_every_reducer_ends_when_no_time_is_left(many, reducer):
    """At least one scenario is kept, and the report claims nothing that was not proved."""
    report = nr.solve(many, reducer, 2, time_limit=0)
    assert report.status == "time limit"
    assert len(report.scenarios) >= 1
    assert report.lower_bound <= nr.solve(many).worst_case


def test_a_decision_checked_on_a_part_of_the_scenarios_says_so():
    """Linear recourse by the engine: the clock is read at every scenario."""
    rng = np.random.default_rng(0)
    problem = nr.TwoStageProblem.from_matrices(
        c=np.ones(20), A=None, d=None, G=np.hstack([np.eye(20), np.ones((20, 1))]), h=np.zeros(20), E=np.eye(20),
        M=-np.eye(20), xi=rng.uniform(0, 10, (50_000, 20)), b=[*rng.uniform(2, 5, 20), 20],
        x_integer=False, y_integer=False, x_upper=20,
    )  # fmt: skip
    report = nr.solve(problem, time_limit=0.3)
    assert report.status == "time limit"
    assert report.x is None or report.num_checked < problem.num_scenarios or math.isfinite(report.worst_case)


def test_a_first_master_that_takes_all_the_time_leaves_some_for_its_decision():
    """Evaluating it takes milliseconds, but nobody knows that before."""
    report = nr.solve(market_split(), time_limit=0.5)
    assert report.status == "time limit"
    assert report.num_checked == 2
    assert math.isfinite(report.worst_case)


def test_ctrl_c_in_the_relaxation_ends_the_search(monkeypatch):
    """It is not taken for the end of the relaxation alone."""
    problem = nr.TwoStageProblem.from_matrices(
        c=[3, 2], A=None, d=None, G=np.eye(2), h=[0, 0], E=np.eye(2), M=-np.eye(2), xi=[[2, 3], [4, 1]], b=[5, 4],
        x_integer=True, y_integer=True, x_upper=9, y_upper=9,
    )  # fmt: skip

    def interrupted(self, scenarios, limits):
        raise KeyboardInterrupt

    monkeypatch.setattr(SearchSession, "solve_reduced", interrupted)
    assert nr.solve(problem).status == "interrupted"
    assert nr.solve(problem, "relaxation", 1).status == "interrupted"


def test_a_dive_without_an_end_is_given_up_wherever_it_begins():
    """After two hundred nodes HiGHS goes along far bounds one by one; it then took three times its limit to return."""
    pytest.importorskip("pyscipopt")
    rows = [[1, -0.75, 3.5, 0], [-3, 5, 0, 0], [-0.25, 1, 3, 0], [-2.25, 0, 4, 5]]
    given = model(
        [0, 0, 0, 0], rows, [4.5, -3, 2.75, 11.749997], [4.5, math.inf, math.inf, 11.749997],
        lower=[-119438, -119439, -119437, -119437], upper=[119438, 119438, 119440, 119440],
    )  # fmt: skip
    found = Highs(EngineSettings(options={"presolve": "off"})).solve(given, Limits(time_limit=20.0))
    assert found.status is not EngineStatus.TIME_LIMIT


@pytest.mark.parametrize("num_nodes", [100, 140, 200])
@pytest.mark.parametrize("method", [(), ("prise", 2), ("relaxation", 2), ("neurprise", 2)])
def test_a_vertex_cover_without_time_takes_every_node(num_nodes, method):
    """That needs no search: its worst case is known, whatever engine would have been asked."""
    problem = nr.make_vertex_cover(num_nodes, 20, seed=0)
    report = nr.solve(problem, *method, time_limit=0.0)
    assert report.status == "time limit"
    assert report.lower_bound <= report.worst_case <= problem.first_stage_costs.sum()
    assert report.num_checked == 20


def test_a_general_problem_without_time_has_a_decision_where_one_is_evident():
    """Buying as much as possible now leaves nothing to buy later."""
    problem = nr.TwoStageProblem.from_matrices(
        c=[3, 2], A=None, d=None, G=np.eye(2), h=[0, 0], E=np.eye(2), M=-np.eye(2), xi=[[2, 3], [4, 1]] * 200,
        b=[5, 4], x_integer=True, y_integer=True, x_upper=9, y_upper=9,
    )  # fmt: skip
    report = nr.solve(problem, time_limit=0.0)
    assert report.status == "time limit"
    assert report.worst_case <= 9 * (3 + 2)


def test_listing_of_points_is_given_up_before_it_takes_long():
    """Few partial points survive the rows of a large graph, but each of them takes all these rows to find out."""
    effort = Effort(1_000_000)
    problem = nr.make_vertex_cover(200, 2, seed=0)
    rows = problem.recourse.matrix[200:].toarray()
    limits = problem.recourse.row_lower[200:], problem.recourse.row_upper[200:]
    assert integer_points(np.zeros(200), np.ones(200), rows, *limits, effort) is None
    assert not effort.suffices_for(1)


def test_the_universal_network_scores_the_promising_ones_of_many_scenarios(monkeypatch):
    """Attention grows with the square of their number; the others follow as the relaxation ranks them."""
    monkeypatch.setattr("neurprise.reducers.neurprise.MOST_SCORED", 300)
    asked = []
    scores_of = nr.reducers.NeurPRISE.scores_of

    def counting(self, problem, graph):
        asked.append(graph.num_scenarios)
        return scores_of(self, problem, graph)

    monkeypatch.setattr(nr.reducers.NeurPRISE, "scores_of", counting)
    many = nr.TwoStageProblem(**nr.make_selection(4, 1_000, 0).general_form())
    reduction = nr.reducers.NeurPRISE().reduce(many, 400)
    assert asked == [300]
    assert sorted(set(reduction.indices)) == sorted(reduction.indices)
    assert len(reduction.indices) == 400
    assert reduction.stopped_by is None
    assert nr.reducers.NeurPRISE().reduce(many, 5).scores is not None
    nr.solve(many, "neurprise", 5, time_limit=60)
    assert max(asked) == 300


def test_the_universal_network_ranks_by_dual_weights_where_time_is_over():
    """It was never told so little as is known by then."""
    many = nr.TwoStageProblem(**nr.make_selection(4, 1_000, 0).general_form())
    report = nr.solve(many, "neurprise", 5, time_limit=0.0)
    assert report.status == "time limit"
    assert len(report.scenarios) == 5


def test_the_universal_network_without_a_relaxation_did_not_run_out_of_time():
    """The relaxation falls without limit, so it has no decision to price: that is no reason to say "time limit"."""
    problem = nr.TwoStageProblem.from_matrices(
        c=[-1], A=None, d=None, G=[[1]], h=[0], E=[[0]], M=[[-1]], xi=[[1], [2]], b=[1], x_integer=True, y_integer=False
    )
    reduction = nr.reducers.NeurPRISE().reduce(problem, 1)
    assert reduction.stopped_by is None
    assert len(reduction.indices) == 1


def test_a_family_that_takes_its_time_is_asked_about_few_scenarios_at_once(monkeypatch):
    """So that limits and interrupts are heard between them, with a deadline or without."""
    problem = nr.make_vertex_cover(50, 250, seed=0)
    sizes = []
    values = SingleVertexCovers.values

    def counting(self):
        sizes.append(len(self.later))
        return values(self)

    monkeypatch.setattr(SingleVertexCovers, "values", counting)
    whole = family_values(SearchSession(problem))
    assert sizes == [100, 100, 50]
    assert whole.tolist() == problem.single_scenarios.values().tolist()


def test_an_interrupt_is_heard_between_the_parts_of_an_evaluation(monkeypatch):
    """Compiled code does not hear it."""
    problem = nr.make_vertex_cover(50, 250, seed=0)
    asked = []

    def interrupted(self, x, scenarios):
        asked.append(scenarios)
        raise KeyboardInterrupt

    monkeypatch.setattr(VertexCoverOracle, "recourse_costs", interrupted)
    with pytest.raises(KeyboardInterrupt):
        nr.evaluate(problem, np.ones(50))
    assert asked == [slice(0, 100)]


def test_costs_of_a_plan_stop_at_the_deadline(many):
    """What is not known by then is nan, and the recourse of such a scenario is still found when asked for."""
    x = np.zeros(30)
    plan = Plan(many, x)
    plan.evaluate_within(Deadline(0.0))
    costs = nr.evaluate(many, x).recourse_costs
    assert not plan.is_complete
    assert plan.recourse_costs[:1_000].tolist() == costs[:1_000].tolist()
    assert np.isnan(plan.recourse_costs[1_000:]).all()
    assert sum(plan.recourse(2_999).values()) == pytest.approx(many.num_select)


def test_regrets_stop_at_the_deadline(many):
    """They are known in the scenarios that were solved by then, and not made up in others."""
    plan = Plan(many, np.zeros(30))
    best = hindsight_costs(plan, Deadline(0.0))
    assert best[:1_000].tolist() == many.single_scenarios.values()[:1_000].tolist()
    regret = regrets(plan)
    assert (regret[:1_000] >= 0).all()
    assert np.isnan(regret[1_000:]).all()


def test_values_of_single_scenarios_stop_at_the_deadline_without_a_family_too():
    """A program for every scenario takes longest of all."""
    problem = nr.TwoStageProblem(**nr.make_selection(4, 5, 0).general_form())
    assert np.isnan(every_value(SearchSession(problem, deadline=Deadline(0.0)))).all()
    assert np.isfinite(every_value(SearchSession(problem, deadline=Deadline(60.0)))).all()


def test_relaxations_ask_only_once_which_scenarios_are_dominated(monkeypatch):
    """With a million scenarios that takes a good part of a second each time."""
    asked = []
    monkeypatch.setattr(evaluator, "dominators", lambda problem: asked.append(problem) or dominators(problem))
    rng = np.random.default_rng(0)
    problem = nr.TwoStageProblem.from_matrices(
        c=np.ones(6), A=None, d=None, G=np.ones((6, 6)) + np.eye(6), h=np.zeros(6), E=np.eye(6), M=-np.eye(6),
        xi=rng.integers(0, 10, (60, 6)), b=rng.integers(2, 5, 6), x_integer=True, y_integer=True, x_upper=20,
        y_upper=20,
    )  # fmt: skip
    nr.solve(problem)
    assert len(asked) == 1


def test_a_family_without_time_has_what_its_oracle_knows_at_once():
    """Every site open with all its capacity: the oracle ships in microseconds."""
    report = nr.solve(nr.make_facility_location(20, 20, 10, seed=0), time_limit=0.0)
    assert report.status == "time limit"
    assert report.num_checked == 10
    assert math.isfinite(report.worst_case)


def test_an_interrupt_after_the_relaxation_keeps_its_bound(monkeypatch):
    """The network's linear programs for every scenario are left out."""

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("neurprise.search.relaxation._single_values", interrupted)
    problem = nr.TwoStageProblem(**nr.make_selection(6, 40, 0).general_form())
    report = nr.solve(problem, "neurprise", 2)
    assert report.status == "interrupted"
    assert 0 < report.lower_bound <= nr.solve(problem).worst_case
