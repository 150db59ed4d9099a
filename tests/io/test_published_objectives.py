"""Values that others have published, for files of others."""

import pytest

import neurprise as nr
from experiments.instances.cvar_facilities import facility_location


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


def test_the_published_optimum_of_a_facility_location_under_cvar(shared_data):
    """cap41 with 100 scenarios, seed 1: by the strengthened relaxation and a handful of reduced problems."""
    problem = facility_location(shared_data / "flcvar" / "cap41.txt", 100, 1)
    report = nr.solve(problem, objective="cvar:0.9")
    assert report.status is nr.Status.OPTIMAL
    assert report.value == pytest.approx(643401.317969, rel=1e-6)
    assert report.num_solves < 60
