"""Implied rows: they tighten relaxations, and no decision costs more or less under any scenario."""

import math
from dataclasses import replace

import numpy as np
import pytest

import neurprise as nr
from experiments.judges.random_problems import draw_case
from experiments.judges.random_problems.decisions import draw_decision
from experiments.judges.random_problems.medium import draw_medium
from neurprise.problem.row_units import in_ordinary_rows
from neurprise.problem.stages import Changes
from neurprise.recourse.model import recourse_model
from neurprise.search.extensive_form import ExtensiveForm
from neurprise.solvers import Limits, get_engine
from neurprise.strengthening import further_rows, strengthened, without_strengthening

#: Seeds of problems on which an earlier draft was wrong: a whole y was rounded beside fractional switches, or a useful
#: bound was below a true one.
ONCE_WRONG = (135, 150, 369, 1102, 1740, 1766, 9897, 11198, 11278, 12264, 12373)


def sites(capacity_by_scenario, demands, *, y_integer=False):
    """Open sites (capacities, shape (S, I)), then ship to customers (demands, shape (S, J)) or pay 50 a unit."""
    num_sites, customers = capacity_by_scenario.shape[1], demands.shape[1]
    cells = num_sites * customers
    served = np.hstack([np.tile(np.eye(customers), num_sites), np.eye(customers)])
    loads = np.hstack([np.kron(np.eye(num_sites), -np.ones(customers)), np.zeros((num_sites, customers))])
    problem = nr.TwoStageProblem.from_matrices(
        c=np.full(num_sites, 30.0), A=None, d=None, G=np.vstack([served, loads]), h=np.zeros(customers + num_sites),
        E=np.vstack([np.zeros((customers, num_sites)), np.eye(num_sites)]),
        M=np.vstack([-np.eye(customers), np.zeros((num_sites, customers))]), xi=demands,
        b=np.append(np.linspace(1, 5, cells), np.full(customers, 50.0)), x_integer=True, y_integer=y_integer, x_upper=1,
    )  # fmt: skip
    form = problem.general_form()
    form["changes"] = {**problem.changes, "technology": Changes(np.arange(num_sites), capacity_by_scenario)}
    return nr.TwoStageProblem(**form)


def linear_value(problem):
    """The optimum of the linear relaxation of the extensive form."""
    model = ExtensiveForm(problem).model(range(problem.num_scenarios))
    return get_engine("highs").solve(replace(model, integer=np.zeros_like(model.integer)), Limits()).objective


def general(problem):
    """The same rows, without what a family knows of them."""
    return in_ordinary_rows(nr.TwoStageProblem(**problem.general_form()))


def recourse_cost(problem, x, scenario, engine):
    return engine.solve(recourse_model(problem, x, problem.scenario(scenario)), Limits()).objective


def refuse_other_costs(problem, decisions, engine):
    """Fail where an implied row changes what some decision costs under some scenario."""
    stronger = strengthened(problem)
    for x in decisions if stronger is not problem else ():
        for s in range(min(problem.num_scenarios, 3)):
            before, after = (recourse_cost(each, x, s, engine) for each in (problem, stronger))
            assert after == pytest.approx(before, rel=1e-6, abs=1e-6), (x, s)


def decisions_of(case, count):
    rng = np.random.default_rng(case.seed)
    found = [draw_decision(rng, case.statement) for _ in range(count)]
    return [x for x in found if x is not None and case.problem.first_stage.violation(x) <= 1e-6]


def test_aggregated_capacities_become_a_row_for_each_customer():
    """`sum_j y_ij <= capacity_i x_i` and demand D_j give `y_ij <= min(D_j, capacity_i) x_i`, scenario by scenario."""
    capacities, demands = np.array([[20.0, 30.0], [20.0, 4.0]]), np.array([[5.0, 8.0], [6.0, 0.0]])
    problem = sites(capacities, demands)
    stronger = strengthened(problem)
    for s in range(2):
        block, recourse = stronger.scenario(s), stronger.recourse
        shape = recourse.technology.shape
        rows = type(recourse.technology)(
            (block.technology, recourse.technology.indices, recourse.technology.indptr), shape
        ).toarray()[4:]
        for row, y, limit in zip(rows, recourse.matrix.toarray()[4:], block.row_upper[4:], strict=True):
            site, customer = divmod(int(np.flatnonzero(y)[0]), 2)
            if limit < math.inf:
                assert -row[site] == pytest.approx(min(demands[s, customer], capacities[s, site]), abs=1e-4)
    assert len(stronger.recourse.row_lower) == 8


def test_the_linear_gap_shrinks():
    """On facility location with ample capacities the relaxation is nearly as good as the problem itself."""
    rng = np.random.default_rng(1)
    problem = sites(rng.uniform(40, 90, (1, 6)).repeat(4, axis=0), np.round(rng.uniform(1, 12, (4, 8))))
    value = nr.solve(problem, gap=0.0).worst_case
    before, after = linear_value(problem), linear_value(strengthened(problem))
    assert before < after <= value + 1e-6
    assert value - after < 0.5 * (value - before)


def test_rows_that_are_there_already_are_not_added():
    """A second pass finds nothing new."""
    problem = sites(np.full((2, 3), 40.0), np.array([[5.0, 8.0], [6.0, 3.0]]))
    stronger = strengthened(problem)
    assert stronger is not problem
    assert strengthened(stronger) is stronger


@pytest.mark.parametrize(
    "problem",
    [nr.make_selection(6, 3, 0), nr.make_vertex_cover(6, 3, 0), nr.make_facility_location(3, 4, 3, 0)],
    ids=lambda problem: problem.family,
)
def test_families_are_left_alone(problem):
    """Their rows are tight, or they bring separators of their own."""
    assert strengthened(problem) is problem
    assert further_rows(problem) is None


@pytest.mark.parametrize("seed", [*range(40), *ONCE_WRONG])
def test_tiny_problems_of_any_kind_and_scale_keep_every_cost(seed):
    """Mixed signs, fractional bounds, infeasible scenarios, 1e-9 to 1e11, families by their rows alone; by SCIP."""
    case = draw_case(seed)
    refuse_other_costs(general(case.problem), decisions_of(case, 3), get_engine("scip"))


@pytest.mark.parametrize("seed", range(18))
def test_medium_problems_keep_every_cost(seed):
    """Lot sizing, assignment, set cover, unit commitment, network flow and fixed charges; by HiGHS."""
    case = draw_medium(seed)
    refuse_other_costs(general(case.problem), decisions_of(case, 2), get_engine("highs"))


@pytest.mark.parametrize("seed", range(6))
def test_solve_answers_the_same_with_and_without(seed):
    """And both find what listing every decision finds."""
    rng = np.random.default_rng(seed)
    problem = sites(rng.uniform(5, 30, (5, 4)), np.round(rng.uniform(0, 12, (5, 3))), y_integer=bool(seed % 2))
    listed = min(
        nr.evaluate(problem, np.array(x, dtype=float)).worst_case for x in np.ndindex(*(2,) * problem.num_first_stage)
    )
    with without_strengthening():
        plain = nr.solve(problem, gap=0.0)
    strong = nr.solve(problem, gap=0.0)
    assert plain.worst_case == pytest.approx(listed, rel=1e-6)
    assert strong.worst_case == pytest.approx(listed, rel=1e-6)
    assert strong.lower_bound <= listed + 1e-5 * abs(listed)


@pytest.mark.parametrize("objective", ["expected", "cvar:0.5"])
@pytest.mark.parametrize("seed", range(3))
def test_other_objectives_answer_the_same_with_and_without(seed, objective):
    """Rows that keep every recourse cost keep every objective of them."""
    rng = np.random.default_rng(seed)
    problem = sites(rng.uniform(5, 30, (5, 4)), np.round(rng.uniform(0, 12, (5, 3))))
    with without_strengthening():
        plain = nr.solve(problem, objective=objective, gap=0.0)
    strong = nr.solve(problem, objective=objective, gap=0.0)
    assert strong.value == pytest.approx(plain.value, rel=1e-6)
    assert strong.lower_bound == pytest.approx(strong.value, rel=1e-5)
