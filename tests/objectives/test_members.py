"""Objectives by themselves: values, worst probabilities, names, and what they refuse."""

import itertools

import numpy as np
import pytest

import neurprise as nr
from neurprise.objectives import get_objective, objective_names
from neurprise.testing import check_objective, small_problems

MEMBERS = [
    "worst",
    "expected",
    "cvar",
    "cvar:0",
    "cvar:0.5",
    "cvar:0.9:0.25",
    "total-variation:0",
    "total-variation:0.3",
    "total-variation:1",
    "wasserstein:0",
    "wasserstein:3.5",
    "wasserstein:0.7:1",
    "regret",
    "regret:cvar:0.5",
    "relative-regret:expected",
]


def with_probabilities():
    """Problems whose scenarios are not equally likely, one of them impossible."""
    problems = small_problems()
    weights = np.array([0.3, 0.0, 0.25, 0.15, 0.1, 0.2])
    return {
        label: problem.with_scenarios(problem.scenario_data, probabilities=shares / shares.sum())
        for label, problem in problems.items()
        for shares in [weights[: problem.num_scenarios]]
    }


def value(objective, costs, probabilities=None):
    """The value of these costs under one uncertain number per scenario, the cost itself."""
    return get_objective(objective).envelope(one_number(costs, probabilities)).value(np.asarray(costs, dtype=float))


def one_number(costs, probabilities=None):
    """A problem of nothing but a price that differs between scenarios."""
    return nr.TwoStageProblem.from_matrices(
        c=[0.0], A=None, d=None, G=[[1.0]], h=[1.0], E=[[0.0]], M=None, xi=None, b=np.reshape(costs, (-1, 1)),
        x_integer=False, y_integer=False, x_upper=1.0, probabilities=probabilities,
    )  # fmt: skip


@pytest.mark.parametrize("name", MEMBERS)
def test_every_member_keeps_the_contract(name):
    """With equal probabilities, and with others of which one is zero."""
    check_objective(get_objective(name))
    check_objective(get_objective(name), with_probabilities())


@pytest.mark.parametrize("name", MEMBERS)
def test_a_name_makes_the_same_objective_again(name):
    """Reports carry names, and names are all that JSON knows."""
    objective = get_objective(name)
    assert get_objective(objective.name) == objective
    assert get_objective(objective) is objective


def test_values_by_hand():
    """Four equally likely costs, and what each member makes of them."""
    costs = [4.0, 1.0, 2.0, 3.0]
    assert value("worst", costs) == 4
    assert value("expected", costs) == 2.5
    assert value("cvar:0.5", costs) == 3.5
    assert value("cvar:0.6", costs) == pytest.approx((0.25 * 4 + 0.15 * 3) / 0.4)
    assert value("cvar:0.5:0.5", costs) == pytest.approx(3.0)
    assert value("total-variation:0.25", costs) == pytest.approx(2.5 + 0.25 * 3)
    assert value("wasserstein:0.75:1", costs) == pytest.approx(3.25)
    assert value("wasserstein:0.25", costs) == pytest.approx(2.75)  # a quarter of the mass goes one unit far


def test_means_order_the_members():
    """expected <= CVaR(a) <= CVaR(b) <= worst, and balls grow from the expectation to the worst case."""
    rng = np.random.default_rng(3)
    for _ in range(200):
        size = int(rng.integers(1, 9))
        costs, p = rng.normal(scale=10 ** rng.uniform(-6, 6), size=size), rng.dirichlet(np.ones(size))
        chain = ["expected", "cvar:0.3", "cvar:0.7", "cvar:0.999999", "worst"]
        balls = ["expected", "total-variation:0.2", "total-variation:0.6", "worst"]
        transports = ["expected", "wasserstein:0.5", "wasserstein:2", "worst"]
        noise = 1e-9 * np.abs(costs).max()
        for names in (chain, balls, transports):
            values = [value(name, costs, p) for name in names]
            assert all(low <= high + noise for low, high in itertools.pairwise(values)), (names, values)
        for same in (("cvar:0", "expected"), ("total-variation:0", "expected"), ("total-variation:1", "worst")):
            assert value(same[0], costs, p) == pytest.approx(value(same[1], costs, p), abs=noise)


def test_a_scenario_that_cannot_happen_does_not_count():
    """Zero times infinity is zero where no probability vector gives the scenario any weight."""
    costs, p = [1.0, np.inf, 3.0], [0.5, 0.0, 0.5]
    table = one_number([1.0, 2.0, 3.0], p)
    weighed = {name: get_objective(name).envelope(table).value(np.array(costs)) for name in ("expected", "cvar:0.5")}
    assert weighed == {"expected": 2.0, "cvar:0.5": 3.0}
    for name in ("worst", "total-variation:0.01", "wasserstein:0.01"):
        assert get_objective(name).envelope(table).value(np.array(costs)) == np.inf


def test_distances_may_be_given():
    """A matrix takes the place of the scenarios' own numbers."""
    far = nr.objectives.Wasserstein(0.5, distances=[[0, 10], [10, 0]])
    near = nr.objectives.Wasserstein(0.5, distances=[[0, 1], [1, 0]])
    problem, costs = one_number([0.0, 1.0]), np.array([0.0, 1.0])
    assert far.envelope(problem).value(costs) == pytest.approx(0.55)
    assert near.envelope(problem).value(costs) == pytest.approx(1.0)
    assert far != near


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("cvra:0.9", "did you mean 'cvar'"),
        ("cvar:1", "level must be below 1"),
        ("cvar:0.9:2", "weight must be between 0 and 1"),
        ("cvar:x", "takes numbers behind it"),
        ("cvar:1:2:3", "takes 0 to 2 numbers"),
        ("worst:1", "takes 0 numbers"),
        ("total-variation", "takes 1 number "),
        ("total-variation:1.5", "radius must be between 0 and 1"),
        ("wasserstein:-1", "radius must be zero or positive"),
        ("regret:regret", "a regret itself"),
        (0.9, "must be a name such as"),
    ],
)
def test_wrong_names_are_refused(given, words):
    """With what would be right."""
    with pytest.raises(nr.InputError, match=words):
        get_objective(given)


def test_wrong_distances_are_refused():
    """Not square, not of these scenarios, or negative."""
    with pytest.raises(nr.InputError, match="square matrix"):
        nr.objectives.Wasserstein(1, distances=[[0.0, 1.0]])
    with pytest.raises(nr.InputError, match="a distance has no sign"):
        nr.objectives.Wasserstein(1, distances=[[0.0, -1.0], [1.0, 0.0]])
    with pytest.raises(nr.InputError, match="each of 3 scenarios"):
        nr.objectives.Wasserstein(1, distances=np.zeros((2, 2))).envelope(one_number([1.0, 2.0, 3.0]))


def test_the_registry_lists_every_member():
    """For help texts."""
    assert {name.partition(":")[0] for name in MEMBERS} == set(objective_names())
