"""Values that others have published, for files of others."""

import numpy as np
import pytest

import neurprise as nr


@pytest.mark.parametrize(
    ("name", "objective", "published"),
    [
        ("farmer", "expected", -108390.0),
        ("farmer", "wasserstein:0.01", -108353.558),
        ("LandS", "expected", 397.751333),
        ("baa99", "expected", -238.778298),
        ("pgp2", "expected", 447.324356),
        ("drslp_5_5_5_5", "expected", 16.3),
        ("sslp_5_25_15_BB", "expected", -102.6674),
        ("sslp_5_25_15_CC", "expected", -211.8528),
    ],
)
def test_published_expectations_and_balls(shared_data, name, objective, published):
    """Value and bound; probabilities of six digits that sum to 1.000005 are divided by their sum here."""
    folder = shared_data / "smps" / name
    report = nr.solve(nr.read(next(folder.glob("*.cor"))), objective=objective, gap=1e-6)
    assert report.status is nr.Status.OPTIMAL
    assert report.value == pytest.approx(published, rel=1e-5)


def facility_location(path, num_scenarios, seed):
    """An instance of Ramirez-Pico, Ljubic and Moreno; they read opening costs and capacities in this order."""
    words = path.read_text().split()
    sites, customers = int(words[0]), int(words[1])
    numbers = np.array(words[2:], dtype=float)
    costs, capacities = numbers[: 2 * sites].reshape(sites, 2).T
    rows = numbers[2 * sites :].reshape(customers, sites + 1)
    demands, unit_costs = rows[:, 0], (rows[:, 1:] / rows[:, :1]).T
    drawn = (np.random.default_rng(seed).random((customers, num_scenarios)) * demands[:, None]).T
    received = np.tile(np.eye(customers), sites)
    sent = -np.kron(np.eye(sites), np.ones(customers))
    return nr.TwoStageProblem.from_matrices(
        c=costs, A=capacities[None], d=[demands.sum()], G=np.vstack([received, sent]), h=np.zeros(customers + sites),
        E=np.vstack([np.zeros((customers, sites)), np.diag(capacities)]),
        M=np.vstack([-np.eye(customers), np.zeros((sites, customers))]), xi=drawn, b=unit_costs.ravel(),
        x_integer=True, y_integer=False, x_upper=1.0,
    )  # fmt: skip


def test_the_published_optimum_of_a_facility_location_under_cvar(shared_data):
    """cap41 with 100 scenarios, seed 1: by the strengthened relaxation and a handful of reduced problems."""
    problem = facility_location(shared_data / "flcvar" / "cap41.txt", 100, 1)
    report = nr.solve(problem, objective="cvar:0.9")
    assert report.status is nr.Status.OPTIMAL
    assert report.value == pytest.approx(643401.317969, rel=1e-6)
    assert report.num_solves < 60
