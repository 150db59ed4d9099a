"""linopy: one model with a scenario dimension equals one model per scenario, and comes back in its own coordinates."""

import itertools

import numpy as np
import pytest

import neurprise as nr

linopy = pytest.importorskip("linopy", reason="linopy is not installed")
pd = pytest.importorskip("pandas")
xr = pytest.importorskip("xarray")

PLANTS = pd.Index(["coal, old", "gas-1"], name="plant")
HOURS = pd.date_range("2030-01-01", periods=2, freq="h", name="hour")
SCENARIOS = pd.Index(["wet year", "dry year", "cold"], name="scenario")
DEMAND = xr.DataArray([[4.0, 7.0], [5.0, 9.0], [9.0, 3.0]], coords=[SCENARIOS, HOURS])
FUEL = xr.DataArray([[1.0, 3.0], [1.0, 4.0], [2.0, 3.0]], coords=[SCENARIOS, PLANTS])


def power(scenario=None, weights=None, axis="scenario"):
    """
    Build plants now, run them later, buy what is missing at 20.

    Parameters
    ----------
    scenario
        Only this one, without the dimension; None: all.
    weights
        Factors on the scenarios' costs in the objective.
    """
    demand, fuel = (
        d.rename(scenario=axis) if scenario is None else d.sel(scenario=scenario, drop=True) for d in (DEMAND, FUEL)
    )
    later = [SCENARIOS.rename(axis)] if scenario is None else []
    model = linopy.Model()
    size = model.add_variables(0, 8, coords=[PLANTS], name="size", integer=True)
    run = model.add_variables(lower=0, coords=[PLANTS, *later, HOURS], name="run")
    buy = model.add_variables(lower=0, coords=[*later, HOURS], name="buy")
    model.add_constraints(size.sum() <= 12, name="site")
    model.add_constraints(run <= size, name="capacity")
    model.add_constraints(run.sum("plant") + buy == demand, name="balance")
    costs = (run * fuel).sum(["plant", "hour"]) + 20 * buy.sum("hour")
    if weights is not None:
        costs = costs * xr.DataArray(weights, coords=[SCENARIOS.rename(axis)])
    model.add_objective((size * xr.DataArray([5.0, 4.0], coords=[PLANTS])).sum() + costs.sum())
    return model


def plain(problem):
    """The problem without the models that it came from."""
    return nr.TwoStageProblem(**problem.general_form())


@pytest.mark.parametrize("weights", [None, [0.3, 0.2, 0.5], [1 / 3, 1 / 3, 1 / 3]])
def test_a_dimension_says_the_same_as_one_model_per_scenario(weights):
    """Weights in the objective are undone, to the last bit where all scenarios cost the same."""
    whole = nr.from_linopy(power(weights=weights), probabilities=weights)
    apart = nr.from_models({name: power(name) for name in SCENARIOS}, first_stage=["size"], probabilities=weights)
    assert whole.x_names == ("size[coal, old]", "size[gas-1]")
    assert set(whole.changes) == set(apart.changes)
    assert all(len(whole.changes[kind].positions) == len(apart.changes[kind].positions) for kind in apart.changes)
    for ours, theirs in zip(whole.scenario_data, apart.scenario_data, strict=True):
        assert ours == pytest.approx(theirs, rel=1e-15)
    if weights is None:
        assert plain(whole) == plain(apart)


def test_the_answer_is_that_of_all_sizes_tried():
    """The worst scenario of every pair of whole sizes, by the merit order."""
    costs = {}
    for sizes in itertools.product(range(9), repeat=2):
        if sum(sizes) <= 12:
            costs[sizes] = 5 * sizes[0] + 4 * sizes[1] + max(_run(sizes, name) for name in SCENARIOS)
    assert nr.solve(nr.from_linopy(power())).worst_case == pytest.approx(min(costs.values()))


def _run(sizes, name):
    fuel, total = FUEL.sel(scenario=name).values, 0.0
    for demand in DEMAND.sel(scenario=name).values:
        for plant in np.argsort(fuel):
            used = min(sizes[plant], demand)
            total, demand = total + used * fuel[plant], demand - used
        total += 20 * demand
    return total


def test_the_solution_comes_back_in_the_models_coordinates():
    """Every variable has values; the objective is the one of the model, and scenarios that were left out are nan."""
    weights = [0.25, 0.25, 0.5]
    problem = nr.from_linopy(power(weights=weights), probabilities=weights)
    report = nr.solve(problem)
    model = problem.load(report.x)
    assert model.solution["size"].sel(plant="gas-1") == report.decision["size[gas-1]"]
    balance = model.solution["run"].sum("plant") + model.solution["buy"]
    xr.testing.assert_allclose(balance.transpose("scenario", "hour"), DEMAND, check_dim_order=False)
    costs = nr.evaluate(problem, report.x).recourse_costs
    assert model.objective.value == pytest.approx([5, 4] @ report.x + weights @ costs)
    few = problem.restrict([2]).load(report.x).solution
    assert few["buy"].sel(scenario="wet year").isnull().all()
    assert few["buy"].sel(scenario="cold").notnull().all()


def test_the_dimension_can_have_any_name():
    """A misspelled one is answered with those that are there."""
    assert nr.from_linopy(power(axis="weather"), "weather").scenario_names == tuple(SCENARIOS)
    with pytest.raises(nr.InputError, match=r"dimension 'wether' \(did you mean 'weather'\?\)"):
        nr.from_linopy(power(axis="weather"), "wether")


def test_first_stage_can_be_a_part_of_what_has_no_dimension():
    """What is not named is decided later, by each scenario for itself, and has no value in common."""
    model = power()
    problem = nr.from_linopy(model, first_stage=[model.variables["size"].sel(plant=["gas-1"])])
    assert problem.x_names == ("size[gas-1]",)
    solution = problem.load(nr.solve(problem).x).solution
    assert solution["size"].isnull().values.tolist() == [True, False]
    with pytest.raises(nr.InputError, match=r"'run.coal, old,2030-01-01 00:00:00.' has a value for every scenario"):
        nr.from_linopy(model, first_stage=["run"])


def test_masked_members_and_rows_of_one_scenario_are_kept_apart():
    """A masked variable does not exist; a row that one scenario has is free in the others."""
    model = power()
    model.add_constraints(model.variables["buy"].sel(scenario="cold") <= 1, name="no market")
    problem = nr.from_linopy(model)
    assert "no market[2030-01-01 00:00:00]" in problem.y_row_names
    costs = nr.evaluate(problem, [2, 3]).recourse_costs
    assert np.isfinite(costs).tolist() == [True, True, False]


def aggregate(model):
    total = model.add_variables(name="total")
    model.add_constraints(total >= model.variables["buy"].sum(), name="adds up")


def masked_in_one(model):
    present = xr.DataArray([True, False, True], coords=[SCENARIOS])
    model.add_variables(lower=0, coords=[SCENARIOS], name="spare", mask=present)


def quadratic(model):
    model.objective = model.objective.expression + (model.variables["size"] * model.variables["size"]).sum()


def semicontinuous(model):
    model.add_variables(lower=1, upper=4, name="block", semi_continuous=True)


def ordered_set(model):
    model.add_sos_constraints(model.variables["size"], sos_type=1, sos_dim="plant")


def indicator(model):
    switch = model.add_variables(name="switch", binary=True)
    model.add_indicator_constraints(switch, 1, 1 * model.variables["size"], "<=", 3, name="if")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            aggregate,
            r"'adds up' has variables of several scenarios \('wet year' and 'dry year'\); give it the scenario",
        ),
        (masked_in_one, "scenario 'dry year' has no variable 'spare', which other scenarios have"),
        (quadratic, "the objective is quadratic"),
        (semicontinuous, "'block' is semi-continuous"),
        (ordered_set, "'size' is a special ordered set"),
        (indicator, "'if' is an indicator constraint"),
    ],
)
def test_what_is_no_two_stage_model_is_refused_by_its_name(change, sentence):
    """With the row or the variable."""
    model = power()
    change(model)
    with pytest.raises(nr.InputError, match=sentence):
        nr.from_linopy(model)


def test_weights_that_were_not_given_are_warned_of():
    """The costs of three scenarios in the ratio of 1 to 2 to 5."""
    model = power(weights=[0.125, 0.25, 0.625])
    model.objective = (model.variables["buy"] * xr.DataArray([0.1, 0.2, 0.5], coords=[SCENARIOS])).sum() * 20
    with pytest.warns(nr.InputWarning, match=r"seems to weigh the scenarios \(1 : 2 : 5\); .* pass probabilities"):
        nr.from_linopy(model)


def test_a_weight_of_zero_hides_a_cost():
    """Nothing can undo it."""
    with pytest.raises(nr.InputError, match="gives scenario 'dry year' the weight 0"):
        nr.from_linopy(power(weights=[0.5, 0, 0.5]), probabilities=[0.5, 0, 0.5])
