"""The learned reducer's graph and network take every problem that a file or a model brings."""

import numpy as np
import pytest

import neurprise as nr

torch = pytest.importorskip("torch", reason="untrained networks come from PyTorch")

from neurprise.networks.scoring import ModelConfig  # noqa: E402
from neurprise.networks.view import encode  # noqa: E402
from neurprise.training.model import ScenarioScorer  # noqa: E402

INSTANCES = [
    "LandS", "baa99", "dcap332_200", "drdcap_233_10_20", "drslp_5_5_5_5", "farmer", "pgp2", "sizes3", "sizes5",
    "smkp_1", "sslp_15_45_5", "sslp_5_25_15_BB", "sslp_5_25_15_BC", "sslp_5_25_15_CC",
]  # fmt: skip


@pytest.mark.parametrize("name", INSTANCES)
def test_every_published_instance_can_be_scored(shared_data, name):
    """One finite score per scenario, whatever is uncertain: costs, right-hand sides, matrices."""
    problem = nr.read(shared_data / "smps" / name / f"{name}.cor")
    problem = problem.restrict(range(min(5, problem.num_scenarios)))
    graph = encode(problem, "cv")
    torch.manual_seed(0)
    scorer = ScenarioScorer(ModelConfig("generic", graph.num_features, hidden=8, embedding=8))
    scores = scorer.scorer().scores(graph)
    assert scores.shape == (problem.num_scenarios,)
    assert np.isfinite(scores).all()


def test_a_problem_of_no_family_is_ranked_by_the_universal_network(shared_data):
    """No network was trained on models like this one, and none is asked for."""
    report = nr.solve(nr.read(shared_data / "smps" / "farmer" / "farmer.cor"), "neurprise", 2)
    assert report.status in ("reduced", "optimal")
    assert len(report.scenarios) == 2
