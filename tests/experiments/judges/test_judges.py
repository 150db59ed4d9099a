"""The judges of random problems: right on problems whose answer is known by hand, and agreeing with each other."""

import math
from fractions import Fraction

import numpy as np
import pytest

pytest.importorskip("pyscipopt", reason="SCIP judges")
pytest.importorskip("gurobipy", reason="Gurobi judges")

from experiments.judges.oracles import Judge, engines
from experiments.judges.oracles.branching import exact_integer_minimum
from experiments.judges.oracles.large import LargeJudge
from experiments.judges.oracles.program import Program, whole_program
from experiments.judges.oracles.rational import exact_minimum, falls_without_limit
from experiments.judges.oracles.truth import UndecidedError, truth_of, truth_of_case
from experiments.judges.random_problems import ORDINARY, Case, draw_case
from experiments.judges.random_problems.draft import Draft

INF = math.inf


def program(costs, matrix, row_lower, row_upper, lower=0.0, upper=INF, integer=False):
    """A program whose bounds and integrality are the same for all columns unless given one by one."""
    count = len(costs)
    vectors = [np.broadcast_to(side, count).astype(float) for side in (lower, upper)]
    rows = np.asarray(matrix, float).reshape(-1, count)
    limits = [np.asarray(side, float) for side in (row_lower, row_upper)]
    return Program(np.asarray(costs, float), rows, *limits, *vectors, np.broadcast_to(integer, count).astype(bool))


def test_a_vertex_is_found_exactly():
    """x + 3y >= 1 and 3x + y >= 1 cross at (1/4, 1/4); no float is that sum of thirds."""
    found = exact_minimum(program([1, 1], [[1, 3], [3, 1]], [1, 1], [INF, INF]))
    assert found.value == Fraction(1, 2)
    assert found.point == (Fraction(1, 4), Fraction(1, 4))


@pytest.mark.parametrize(
    "given, value",
    [
        pytest.param(program([1], [[1]], [-INF], [-1]), INF, id="infeasible"),
        pytest.param(program([-1], [[1]], [2], [INF]), -INF, id="unbounded"),
        pytest.param(program([1], [[1]], [-3], [INF], lower=-INF), -3, id="free variable"),
        pytest.param(program([-2], np.zeros((0, 1)), [], [], upper=2.5), -5, id="no rows"),
        pytest.param(program([1, 1], [[1, 1]], [2], [2], upper=[1, INF]), 2, id="equation"),
        pytest.param(program([1, -1], [[1, -1], [1, -1]], [0, 0], [0, 0], upper=3), 0, id="the same row twice"),
        pytest.param(program([1], [[0]], [1], [INF]), INF, id="an empty row that cannot hold"),
        pytest.param(program([-1], [[1]], [-INF], [2], lower=-INF, upper=-1), 1, id="bounded above only"),
    ],
)
def test_linear_programs_at_the_edges(given, value):
    """Each way a program can be special, with the answer known by hand."""
    assert exact_minimum(given).value == value


def test_directions_decide_unboundedness_of_integers():
    """y0 + 2 y1 = 13 with y0 free falls for ever along (-2, 1), although no box shows it at its corner."""
    falling = program([1, 0], [[1, 2]], [13], [13], lower=[-INF, 0], integer=True)
    assert falls_without_limit(falling)
    assert not falls_without_limit(program([1, 0], [[1, 2]], [13], [13], lower=0, integer=True))


def test_branching_finds_the_integer_optimum():
    """Of 3x + 5y >= 7 with costs 3 and 5 the relaxation pays 7, whole numbers 8."""
    given = program([3, 5], [[3, 5]], [7], [INF], integer=True)
    assert exact_minimum(given).value == 7
    assert exact_integer_minimum(given) == 8
    assert engines.gurobi(given).value == pytest.approx(8)
    assert engines.scip(given).value == pytest.approx(8)


@pytest.mark.parametrize("first", [0, 40, 80])
def test_brute_force_and_both_engines_agree(first):
    """On every random problem that can be listed and does not fall without limit."""
    compared = 0
    for seed in range(first, first + 40):
        judge = Judge(draw_case(seed, ORDINARY).statement)
        if judge.lists_decisions and judge.value() > -INF:
            written_out = whole_program(judge.statement, range(judge.statement.num_scenarios))
            for engine in (engines.gurobi, engines.scip):
                assert engine(written_out).value == pytest.approx(judge.value(), rel=1e-6, abs=1e-6), seed
            compared += 1
    assert compared > 10


@pytest.mark.parametrize("seed", range(0, 56, 4))
def test_the_value_is_the_best_worst_case(seed):
    """V <= Z(x) for any decision, and V({s}) <= V(all)."""
    case = draw_case(seed, ORDINARY)
    judge = Judge(case.statement)
    if case.decision is not None:
        assert judge.value() <= judge.worst_case(case.decision) + 1e-6
    assert all(judge.value([s]) <= judge.value() + 1e-6 for s in range(case.statement.num_scenarios))


class TestOneRuleForTolerances:
    """A claim is right near the true value, or where less than the tolerance decides."""

    @pytest.fixture
    def question(self):
        """5, but 3 where all limits are relaxed."""
        truth = truth_of(draw_case(0, ORDINARY).statement)
        return truth, lambda judge: 5.0 if judge is truth.judge else 3.0

    def test_near_the_value(self, question):
        truth, value = question
        assert truth.is_value(5.000001, value)
        assert not truth.hinges

    @pytest.mark.parametrize("claim, right", [(2.9, False), (3.0, True), (4.0, True), (7.0, True), (7.1, False)])
    def test_as_far_as_relaxed_limits_change_the_value(self, question, claim, right):
        truth, value = question
        assert truth.is_value(claim, value) is right
        assert truth.hinges is right

    def test_a_value_that_relaxed_limits_do_not_change_is_sharp(self, question):
        truth, value = question
        assert truth.is_sharp(lambda judge: 5.0)
        assert not truth.is_sharp(value)

    def test_what_the_judges_do_not_know_is_undecided(self, question):
        truth, _ = question
        with pytest.raises(UndecidedError):
            truth.is_value(5.0, lambda judge: math.nan)


def test_the_judge_of_larger_problems_agrees_with_brute_force():
    """SCIP's one model and prices by Gurobi, on problems that can be listed."""
    for seed in (0, 15, 30, 45):
        case = draw_case(seed, ORDINARY)
        small, large = Judge(case.statement), LargeJudge(case.statement, 0.0)
        assert large.value() == pytest.approx(small.value())
        if case.decision is not None:
            assert large.recourse_costs(case.decision) == pytest.approx(small.recourse_costs(case.decision))


@pytest.mark.parametrize("demand, value", [(3.0, 3.0), (6.0, 4.0 + 2e9)])
def test_penalties_do_not_blur_what_a_larger_problem_is_worth(demand, value):
    """One of y at most 4 serves the demand at 1, the other at 1e9; a tolerance of 1e-9 would be a whole unit."""
    dear = shortage_statement(demand, 1e9)
    judge = LargeJudge(dear, 0.0, shortage_statement(demand, 1e4))
    assert judge.value() == pytest.approx(value, rel=1e-8)
    assert judge.recourse_cost(np.zeros(1), 0) == pytest.approx(value, rel=1e-8)
    assert truth_of_case(Case(0, "by hand", dear.problem(), dear, None, exact=True)).judge.value() == value


def shortage_statement(demand, price):
    """x does nothing; y_0 <= 4 at cost 1 and y_1 at the price of shortage serve the demand."""
    draft = Draft(1)
    draft.x(0.0)
    draft.row({}, {draft.y(1.0, 4.0): 1.0, draft.shortage(price): 1.0}, low=demand)
    return draft.statement()
