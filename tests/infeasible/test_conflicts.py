"""Why nothing is feasible: rows and bounds by name, judged by scipy's solver on the rules named and no others."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import Bounds, LinearConstraint, milp

import neurprise as nr
from neurprise.infeasible.search import Minimum
from tests.instances import from_letters, random_letters


def kept_together(problem, rules, x=None):
    """Whether some point keeps these rules and the whole numbers: by name, by another solver."""
    labels = sorted({rule.scenario for rule in rules if rule.scenario is not None})
    blocks = [problem.scenario(problem.scenario_index(label)) for label in labels]
    n, m = problem.num_first_stage, problem.num_recourse
    size = n + m * len(labels)
    lower, upper, constraints = np.full(size, -np.inf), np.full(size, np.inf), []
    if x is not None:
        lower[:n] = upper[:n] = x
    for rule in rules:
        block = None if rule.scenario is None else labels.index(rule.scenario)
        if rule.kind == "row":
            constraints.append(_row(problem, rule, block, blocks, size))
            continue
        names = problem.first_stage_names if block is None else problem.recourse_names
        column = names.index(rule.name) + (0 if block is None else n + m * block)
        side = lower if rule.kind == "lower bound" else upper
        side[column] = rule.lower if rule.kind == "lower bound" else rule.upper
    if (lower > upper).any():
        return False
    integer = np.concatenate([problem.first_stage.integer, np.tile(problem.recourse.integer, len(labels))])
    result = milp(np.zeros(size), constraints=constraints, bounds=Bounds(lower, upper), integrality=integer)
    assert result.status in (0, 2), result.message
    return result.status == 0


def _row(problem, rule, block, blocks, size):
    entries, n, m = np.zeros(size), problem.num_first_stage, problem.num_recourse
    if block is None:
        k = problem.first_stage_row_names.index(rule.name)
        entries[:n] = problem.first_stage.matrix.toarray()[k]
        return LinearConstraint(entries, problem.first_stage.row_lower[k], problem.first_stage.row_upper[k])
    k = problem.recourse_row_names.index(rule.name)
    entries[:n] = problem.recourse.technology.toarray()[k]
    entries[n + m * block : n + m * (block + 1)] = problem.recourse.matrix.toarray()[k]
    return LinearConstraint(entries, blocks[block].row_lower[k], blocks[block].row_upper[k])


def check(problem, conflict, x=None):
    """The rules conflict, and where that is claimed no rule can be left out."""
    assert not kept_together(problem, conflict.rules, x)
    assert conflict.irreducible
    for k in range(len(conflict.rules)):
        assert kept_together(problem, conflict.rules[:k] + conflict.rules[k + 1 :], x)


@settings(max_examples=40)
@given(seed=st.integers(0, 10**6))
def test_the_rules_conflict_and_none_can_be_left_out(seed):
    """Mixed-integer problems in which no decision serves every scenario."""
    problem = from_letters(random_letters(seed, complete=False))
    try:
        nr.solve(problem)
    except nr.InfeasibleProblemError as error:
        check(problem, error.conflict)


def test_such_problems_are_among_those_drawn(engine):
    """The test above is about something, and every engine explains it."""
    found = 0
    for seed in range(25):
        problem = from_letters(random_letters(seed, complete=False))
        try:
            nr.solve(problem, solver=engine.name)
        except nr.InfeasibleProblemError as error:
            check(problem, error.conflict)
            found += 1
    assert found >= 3


@settings(max_examples=40)
@given(seed=st.integers(0, 10**6))
def test_a_decision_without_recourse_is_explained_scenario_by_scenario(seed):
    """With x given, the rows say what it leaves to the recourse; where there is recourse, there is no conflict."""
    problem = from_letters(random_letters(seed, complete=False))
    x = _some_decision(problem, seed)
    if x is None:
        return
    for s, cost in enumerate(nr.evaluate(problem, x).recourse_costs):
        conflict = nr.why_infeasible(problem, x, s)
        if np.isfinite(cost):
            assert conflict is None
        else:
            check(problem, conflict, x)
            assert conflict.scenarios == (s,)


def _some_decision(problem, seed):
    first, rng = problem.first_stage, np.random.default_rng(seed)
    for _ in range(50):
        x = np.floor(rng.random(problem.num_first_stage) * (first.upper + 1))
        if first.violation(x) == 0:
            return x
    return None


@pytest.fixture
def depots():
    """Two depots of ten units each; tuesday asks for thirty."""
    return nr.FacilityLocation([5, 5], [1, 1], [10, 10], [[1, 2], [2, 1]], [[5, 5], [15, 15], [9, 3]]).with_labels(
        scenario_names=["monday", "tuesday", "friday"]
    )


def test_the_sentence_names_the_scenario_and_the_rules(depots, engine):
    """Read by somebody who knows the model and nothing about this package."""
    with pytest.raises(nr.InfeasibleProblemError) as caught:
        nr.solve(depots, solver=engine.name)
    sentence = str(caught.value)
    assert "no first-stage decision is feasible for scenario 'tuesday' alone" in sentence
    assert "row 'demand[0]' >= 15 in scenario 'tuesday'" in sentence
    assert "cannot be kept together; relax a constraint" in sentence
    assert caught.value.scenarios == (1,)


def test_a_decision_without_recourse_names_what_it_lacks(depots):
    """One open depot cannot serve friday."""
    conflict = nr.why_infeasible(depots, {"open[0]": 1, "open[1]": 0, "capacity[0]": 10, "capacity[1]": 0}, "friday")
    assert "row 'supply[0]' >= -10 in scenario 'friday'" in str(conflict)
    assert "what the decision leaves to the recourse" in str(conflict)
    assert conflict.to_dict()["rules"][0]["scenario"] == "friday"


def test_scenarios_that_only_conflict_together_are_named_together():
    """x >= 2 in one scenario and x <= 1 in the other: each alone can be served."""
    problem = nr.TwoStageProblem.from_matrices(
        [1.0], None, None, [[0.0], [0.0]], [0.0, 0.0], [[1.0], [-1.0]], np.eye(2),
        [[-2.0, 5.0], [5.0, 1.0], [0.0, 5.0]], [1.0], x_integer=False, y_integer=False, x_upper=5.0, y_upper=1.0,
    )  # fmt: skip
    with pytest.raises(nr.InfeasibleProblemError, match="scenarios 0, 1 together") as caught:
        nr.solve(problem)
    check(problem, caught.value.conflict)
    assert len(caught.value.conflict.rules) == 2


def test_a_reducer_need_not_name_the_scenarios_that_leave_no_decision(depots):
    """One of the user's own may only know that there is none; the conflict is found among all scenarios."""

    class Doubtful:
        name = "doubtful"

        def reduce(self, problem, budget, seed=0):
            raise nr.InfeasibleProblemError("nothing can be decided.")

    with pytest.raises(nr.InfeasibleProblemError, match="scenario 'tuesday' alone: row"):
        nr.solve(depots, Doubtful(), 1)


def test_a_first_stage_that_contradicts_itself_blames_no_scenario():
    """x1 + x2 >= 3 of two binaries."""
    problem = nr.TwoStageProblem.from_matrices(
        [1, 1], [[1, 1]], [3], [[1]], [0], [[0, 0]], None, None, [[1], [2]],
        x_integer=True, y_integer=False, x_upper=1, x_names=["car", "van"], x_row_names=["fleet"],
    )  # fmt: skip
    with pytest.raises(nr.InfeasibleProblemError, match="the first stage alone") as caught:
        nr.solve(problem)
    assert [str(rule) for rule in caught.value.conflict.rules] == ["row 'fleet' >= 3", "'car' <= 1", "'van' <= 1"]
    assert caught.value.scenarios == ()


def test_many_rows_are_thinned_out_before_they_are_tried():
    """Forty customers, of whom all demands count, and one site that could never be built."""
    demands = np.full((3, 40), 10.0)
    demands[2] = 20.0
    problem = nr.FacilityLocation([1, 1], [1, 1], [300, 300], np.ones((2, 40)), demands)
    with pytest.raises(nr.InfeasibleProblemError) as caught:
        nr.solve(problem)
    check(problem, caught.value.conflict)
    assert "(40 like it)" in str(caught.value)
    assert caught.value.scenarios == (2,)


def test_no_time_no_explanation_but_still_a_sentence(depots):
    """The scenarios are named in any case."""
    assert nr.why_infeasible(depots, [1, 0, 10, 0], "friday", time_limit=0) is None


@pytest.mark.parametrize("seed", range(10))
def test_the_smallest_part_is_the_one_that_brute_force_accepts(seed):
    """QuickXplain on conflicts that are given as sets: a part conflicts if it holds one of them."""
    rng = np.random.default_rng(seed)
    conflicts = [set(rng.choice(9, size=rng.integers(1, 5), replace=False).tolist()) for _ in range(3)]
    minimum = Minimum(lambda part: any(conflict <= set(part) for conflict in conflicts), range(9))
    assert minimum.search()
    smaller = itertools.combinations(minimum.smallest, len(minimum.smallest) - 1)
    assert any(conflict <= set(minimum.smallest) for conflict in conflicts)
    assert not any(conflict <= set(part) for part in smaller for conflict in conflicts)
