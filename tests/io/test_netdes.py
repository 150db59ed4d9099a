"""Network design as mpi-sppy stores it: costs, capacities and demands all differ by scenario."""

import pytest

import neurprise as nr
from experiments.instances.network_design import network_design, read_network
from tests.io.expected_value import expected_value


@pytest.fixture(scope="module")
def problem(shared_data):
    """Ten nodes, ten scenarios."""
    return network_design(read_network(shared_data / "netdes" / "network-10-10-L-01.dat"))


def test_expected_value_is_the_published_one(problem):
    """88557.3, with mpi-sppy's probabilities."""
    assert expected_value(problem, gap=1e-4) == pytest.approx(88557.3, rel=1e-4)


def test_worst_case_is_the_independent_one(problem):
    """90538, from one extensive form."""
    assert nr.solve(problem).worst_case == pytest.approx(90538, rel=1e-4)
