"""Every method works on problems that come from files, whatever it is that scenarios change."""

from pathlib import Path

import pytest

import neurprise as nr
from neurprise.io import read

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
#: name -> what scenarios change
SMALL = {
    "farmer": "technology",
    "LandS": "right-hand sides",
    "drslp_5_5_5_5": "right-hand sides of integer recourse",
    "drdcap_233_10_20": "recourse matrix and costs",
}


def small_problem(shared_data, name):
    """A published instance with at most six of its scenarios."""
    problem = read(shared_data / "smps" / name / f"{name}.cor")
    return problem.restrict(range(min(6, problem.num_scenarios)))


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("method", ["random", "kmeans", "maxsum", "singlevalue", "ccg", "prise"])
def test_reducers_prove_a_bound_on_published_instances(shared_data, name, method):
    """lower bound <= optimum <= worst case, with two scenarios kept."""
    problem = small_problem(shared_data, name)
    report = nr.solve(problem, reducer=method, budget=2)
    refined = nr.solve(problem, reducer=method, budget=2, refine=True)
    assert refined.status is nr.Status.OPTIMAL
    tolerance = 2e-4 * abs(refined.worst_case)
    assert report.lower_bound <= refined.worst_case + tolerance
    assert refined.lower_bound <= report.worst_case + tolerance


@pytest.mark.parametrize("name", SMALL)
def test_sor_says_where_it_does_not_apply(shared_data, name):
    """It needs a recourse region that no scenario changes; all four instances change theirs."""
    with pytest.raises(nr.NotApplicableError):
        nr.reducers.SOR().reduce(small_problem(shared_data, name), 2)


@pytest.mark.parametrize("method", ["kmeans", "maxsum", "ccg", "prise"])
def test_reducers_work_on_a_plan(method):
    """The restaurant, ten of its days."""
    problem = read(EXAMPLES / "restaurant" / "plan.toml").restrict(range(10))
    report = nr.solve(problem, reducer=method, budget=3)
    assert report.lower_bound <= report.worst_case + 1e-6
