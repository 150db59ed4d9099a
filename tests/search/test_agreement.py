"""The package's exact methods against the paper's deterministic equivalent, as tests.extensive writes it."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import neurprise as nr
from neurprise.errors import InfeasibleProblemError
from neurprise.recourse.evaluator import Evaluator
from neurprise.search.ccg import ColumnAndConstraintGeneration
from neurprise.search.extensive_form import Master
from neurprise.search.session import SearchSession
from neurprise.solvers import EngineStatus, Limits, get_engine
from tests.instances import KINDS, instance, seeds


def equals(value):
    """To 1e-6, relative or absolute."""
    return pytest.approx(value, rel=1e-6, abs=1e-6)


def exact_search(problem, engine):
    """Column-and-constraint generation until the gap is closed completely."""
    return ColumnAndConstraintGeneration(SearchSession(problem, engine), gap=0.0).run()


@pytest.mark.parametrize("kind", KINDS)
@given(seed=seeds)
def test_column_and_constraint_generation_equals_the_extensive_form(engine, kind, seed):
    """Value, bound and decision; infeasible problems are recognised."""
    problem, paper = instance(kind, seed)
    expected = paper.value()
    if expected == math.inf:
        with pytest.raises(InfeasibleProblemError):
            exact_search(problem, engine)
        return
    search = exact_search(problem, engine)
    assert search.status == "optimal"
    assert search.worst_case == equals(expected)
    assert search.lower_bound == equals(expected)
    assert nr.evaluate(problem, search.x).worst_case == equals(expected)


@pytest.mark.parametrize("kind", KINDS)
@given(seed=seeds, data=st.data())
@settings(max_examples=8)
def test_master_equals_the_extensive_form_on_any_subset(engine, kind, seed, data):
    """V(R) for a random R, in a random order."""
    problem, paper = instance(kind, seed)
    chosen = data.draw(st.lists(st.integers(0, problem.num_scenarios - 1), min_size=1, unique=True))
    expected = paper.value(chosen)
    result = Master(Evaluator(problem, engine), engine).solve(chosen, Limits())
    assert result.status is (EngineStatus.INFEASIBLE if expected == math.inf else EngineStatus.OPTIMAL)
    assert result.value == equals(expected)
    assert result.bound == equals(expected)


@pytest.mark.parametrize("kind", KINDS)
@given(seed=seeds)
@settings(max_examples=10)
def test_fewer_scenarios_cost_less_and_decisions_cost_more(kind, seed):
    """V(R) <= V(R') <= V(all) <= Z(x) for R within R' and x optimal for R."""
    problem, paper = instance(kind, seed)
    order = np.random.default_rng(seed).permutation(problem.num_scenarios).tolist()
    master = Master(Evaluator(problem), get_engine("highs"))
    results = [master.solve(order[:k], Limits()) for k in range(1, len(order) + 1)]
    values = [result.value for result in results]
    slack = 1e-6 * max(1.0, abs(values[0]))
    assert all(smaller <= larger + slack for smaller, larger in itertools.pairwise(values))
    assert values[-1] == equals(paper.value())
    for result in results:
        if result.x is not None:
            assert values[-1] <= nr.evaluate(problem, result.x).worst_case + slack


@pytest.mark.parametrize("kind", KINDS)
@given(seed=seeds)
@settings(max_examples=10)
def test_recourse_costs_equal_the_papers(kind, seed):
    """Q(x, s) at the optimal x, scenario by scenario."""
    problem, paper = instance(kind, seed)
    if paper.value() == math.inf:
        return
    x = nr.solve(problem, gap=0.0).x
    expected = [paper.recourse_cost(x, s) for s in range(problem.num_scenarios)]
    assert nr.evaluate(problem, x).recourse_costs == pytest.approx(expected, rel=1e-6, abs=1e-5)
