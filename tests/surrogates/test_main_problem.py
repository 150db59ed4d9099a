"""The main problem against a list of all decisions."""

import math

import numpy as np
import pytest

import neurprise as nr
from neurprise.clock import Deadline
from neurprise.search.extensive_form import ExtensiveForm
from neurprise.solvers import EngineStatus, Limits, get_engine
from neurprise.surrogates.main_problem import Branch, MainProblem
from tests.instances import FAMILIES
from tests.surrogates.networks import described, random_network


def main_problem(problem, network, scenarios, engine="highs"):
    """Every branch starts without a decision, so that the engine has to solve the ones that matter."""
    main = MainProblem(ExtensiveForm(problem), get_engine(engine), network)
    for s in scenarios:
        main.add(s, Branch(-math.inf, None, 0))
    return main


def cost_by_listing(problem, network, scenarios):
    """The smallest c'x + Q(x, s) over all x, where s is the network's worst of the scenarios."""
    n, best = problem.num_first_stage, math.inf
    for number in range(2**n):
        x = (number >> np.arange(n) & 1).astype(float)
        if problem.first_stage.violation(x) > 1e-9:
            continue
        worst = scenarios[int(np.argmax(network.values(x)[scenarios]))]
        best = min(best, problem.first_stage.costs @ x + nr.evaluate(problem, x).recourse_costs[worst])
    return best


@pytest.mark.parametrize("engine", ["highs", "scip"])
@pytest.mark.parametrize("family", ["selection", "vertex-cover"])
@pytest.mark.parametrize("seed", range(4))
def test_the_main_problem_is_solved_to_its_optimum(engine, family, seed):
    """The network decides which scenario counts, the true recourse what it costs."""
    pytest.importorskip({"highs": "highspy", "scip": "pyscipopt"}[engine])
    problem = FAMILIES[family](seed)
    network = random_network(problem, seed).folded(described(problem))
    scenarios = list(range(min(3, problem.num_scenarios)))
    status, x = main_problem(problem, network, scenarios, engine).solve(Limits(), Deadline())
    assert status is EngineStatus.OPTIMAL
    worst = scenarios[int(np.argmax(network.values(x)[scenarios]))]
    found = problem.first_stage.costs @ x + nr.evaluate(problem, x).recourse_costs[worst]
    assert found == pytest.approx(cost_by_listing(problem, network, scenarios))


def test_every_decision_has_recourse_in_required_scenarios():
    """A scenario of large demand that the network thinks harmless still gets its capacity."""
    demands = [[10.0, 10.0], [200.0, 150.0]]
    problem = nr.FacilityLocation([100, 100], [10, 10], [300, 300], [[1, 2], [2, 1]], demands)
    network = random_network(problem, 0).folded(described(problem))
    main = main_problem(problem, network, [0])
    assert main.require_recourse(1, Branch(-math.inf, None, 0))
    assert not main.require_recourse(1, Branch(-math.inf, None, 0))
    _, x = main.solve(Limits(), Deadline())
    assert np.isfinite(nr.evaluate(problem, x).worst_case)


def test_a_main_problem_without_a_decision_says_so():
    """Demand above all capacity leaves every branch empty."""
    problem = nr.FacilityLocation([100.0], [10.0], [50.0], [[1.0]], [[60.0], [70.0]])
    network = random_network(problem, 0).folded(described(problem))
    assert main_problem(problem, network, [0, 1]).solve(Limits(), Deadline()) == (EngineStatus.INFEASIBLE, None)
