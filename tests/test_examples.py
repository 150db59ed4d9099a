"""Every example runs, and shows what it promises."""

from pathlib import Path

import numpy as np
import pytest

import neurprise as nr
from examples import facility_location_study, own_family, own_reducer, smps_file
from examples.restaurant import frontier, make_demand, restaurant
from neurprise.problems import register

REAL_DEMAND = Path(__file__).resolve().parents[2] / "shared" / "data" / "real" / "yaz_demand.csv"


def test_the_study_ends_with_a_proof(capsys):
    """A smaller study than the default; every method has its rows."""
    report = facility_location_study.main(num_facilities=6, num_customers=4, num_scenarios=8, budgets=(1, 2))
    printed = capsys.readouterr().out
    assert report.status is nr.Status.OPTIMAL
    assert all(f"\n{method} " in printed for method in facility_location_study.METHODS)


def test_the_restaurant_prepares_for_its_worst_day(capsys):
    """The robust plan's worst day is cheaper than the average plan's."""
    report = restaurant.main()
    robust, average = map(float, capsys.readouterr().out.split("worst day")[1].split()[:2])
    assert robust == pytest.approx(report.worst_case, abs=0.05)
    assert robust < average


def test_the_restaurants_table_is_the_drawn_one():
    """demand.csv is what make_demand.py draws."""
    table = np.loadtxt(Path(restaurant.__file__).with_name("demand.csv"), delimiter=",", skiprows=1)
    assert np.array_equal(table, make_demand.draw())


@pytest.mark.skipif(not REAL_DEMAND.is_file(), reason="the real demand (../shared/data/real) is not here")
def test_the_restaurant_plans_for_765_real_days():
    """The same plan with another table."""
    report = restaurant.main(REAL_DEMAND)
    assert report.status is nr.Status.OPTIMAL
    assert report.worst_case == pytest.approx(1076.3, rel=1e-4)


def test_the_restaurants_frontier_is_proved_and_drawn(capsys, tmp_path):
    """Guarantee and mean of the plan with the shipped days; the picture is a file."""
    pytest.importorskip("matplotlib").use("Agg")
    found = frontier.main(points=3, picture=tmp_path / "frontier.svg")
    assert found.status is nr.Status.OPTIMAL
    assert found.points[0].worst_case == pytest.approx(793.4)
    assert capsys.readouterr().out.splitlines()[2].startswith("Giving up")
    assert (tmp_path / "frontier.svg").stat().st_size > 1000


@pytest.mark.skipif(not REAL_DEMAND.is_file(), reason="the real demand (../shared/data/real) is not here")
def test_the_best_guarantee_of_765_real_days_has_a_price(capsys):
    """Ends of the frontier: the best worst day, and the best mean."""
    found = frontier.main(REAL_DEMAND, points=2)
    assert found.points[0].worst_case == pytest.approx(1076.3, rel=1e-4)
    assert found.points[-1].value == pytest.approx(521.929, rel=1e-4)


def test_the_smps_file_is_solved(capsys):
    """Three demands times two prices of malt."""
    assert smps_file.main().worst_case == pytest.approx(580)
    assert capsys.readouterr().out.startswith("6 scenarios, 3 decisions now, 2 later")


def test_the_pyomo_model_comes_back_with_its_values(capsys):
    """A maximisation: the profit in the worst year is what the model says."""
    pytest.importorskip("pyomo", reason="Pyomo is not installed")
    from examples import pyomo_model

    assert pyomo_model.main().worst_case == pytest.approx(945)
    assert "rye    sold   5.5" in capsys.readouterr().out


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::UserWarning")
def test_the_network_gets_capacities_for_its_worst_week(capsys):
    """PyPSA's own optimum is the mean of its plan over our scenarios; the worst week of ours is cheaper."""
    pytest.importorskip("pypsa", reason="PyPSA is not installed")
    from examples import pypsa_capacities

    network = pypsa_capacities.build_network()
    network.optimize(solver_name="highs", log_to_console=False)
    solution, objective = network.model.solution, network.objective
    problem = nr.from_linopy(network)
    assert problem == nr.from_linopy(network.optimize.create_model(), probabilities=[1 / 12] * 12)
    chosen = {name: pypsa_capacities.capacity_in(solution, name) for name in problem.first_stage_names}
    costs = problem.first_stage.costs @ list(chosen.values()) + nr.evaluate(problem, chosen).recourse_costs
    assert costs.mean() == pytest.approx(objective)
    report = pypsa_capacities.main()
    assert report.status is nr.Status.OPTIMAL
    assert report.worst_case < costs.max() - 1000
    printed = capsys.readouterr().out
    assert f"gas in the network: {report.decision['Generator-p_nom[gas]']:.1f} MW" in printed


def test_the_commitment_comes_back_in_coordinates(capsys):
    """Thirty days; what runs is what the report says, and SCIP agrees."""
    pytest.importorskip("linopy", reason="linopy is not installed")
    pytest.importorskip("pyscipopt", reason="SCIP is not installed")
    from examples import unit_commitment

    report = unit_commitment.main()
    assert (report.status, report.num_scenarios) == (nr.Status.OPTIMAL, 30)
    hours = sum(report.decision[f"on[coal,{hour}]"] for hour in range(24))
    assert f"hours on: {{'coal': {hours:.0f}" in capsys.readouterr().out
    model = unit_commitment.build_model(unit_commitment.net_load(6))
    assert nr.solve(nr.from_linopy(model, probabilities=[1 / 6] * 6), verify="scip").verification.agrees


def test_the_own_reducer_keeps_the_contract():
    """check_reducer runs inside; here it also beats chance."""
    regrets = own_reducer.main()
    assert regrets["average-regret"] <= regrets["random"]


def test_the_own_family_keeps_the_contract_and_comes_back_from_a_file(capsys):
    """check_family runs inside: the oracle agrees with an engine."""
    assert own_family.main().status is nr.Status.OPTIMAL
    assert "a file gives back a Fleet, equal to the one written: True" in capsys.readouterr().out


def test_the_own_family_is_labelled_and_learned(tmp_path):
    """Its network chooses for fleets of other sizes, and refuses other families."""
    pytest.importorskip("torch", reason="training needs PyTorch")
    register(own_family.FLEET)
    reducer = own_family.learn(tmp_path, count=20, epochs=1)
    assert len(reducer.reduce(own_family.make_fleet(6, 9, seed=3), 4).indices) == 4
    with pytest.raises(nr.CheckpointError, match="was trained on 'fleet', the problem is 'selection'"):
        reducer.reduce(nr.make_selection(4, 3, 0), 2)
