"""The model as it is trained: batches, shapes, and its losses."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the extra [learn] is not installed")

import neurprise as nr  # noqa: E402
from neurprise.errors import InputError  # noqa: E402
from neurprise.networks.scoring import ModelConfig  # noqa: E402
from neurprise.networks.view import encode  # noqa: E402
from neurprise.training.model import ScenarioScorer  # noqa: E402
from neurprise.training.neurprise import LOSSES, get_loss, swkl  # noqa: E402


def small_model(graph, **changes):
    torch.manual_seed(0)
    config = ModelConfig("selection", graph.num_features, hidden=16, embedding=16, attention_heads=4, **changes)
    return ScenarioScorer(config).eval()


@pytest.mark.parametrize("fusion", ["pooled", "early"])
def test_a_batch_scores_each_instance_as_if_alone(fusion):
    """Instances of different size do not influence each other."""
    graphs = [encode(nr.make_vertex_cover(n, 4, n), "cv") for n in (4, 7)]
    model = small_model(graphs[0], fusion=fusion)
    together = model(graphs)
    for row, graph in zip(together, graphs, strict=True):
        assert torch.allclose(row, model([graph])[0], atol=1e-5)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [({"fusion": "middle"}, "fusion must be"), ({"embedding": 10}, "multiple"), ({"hidden": 0}, "hidden must be")],
)
def test_impossible_shapes_are_refused(change, sentence):
    """A configuration is checked before a tensor is made."""
    with pytest.raises(InputError, match=sentence):
        ModelConfig("selection", 8, **change)


def test_swkl_is_the_papers_formula():
    """KL between softmax(log(1 + g) / tau) and softmax(z)."""
    gains, logits = np.array([200.0, 7.0, 0.0]), np.array([1.0, -1.0, 0.5])
    target = np.exp(np.log1p(gains) / 5)
    target /= target.sum()
    predicted = np.exp(logits) / np.exp(logits).sum()
    expected = float((target * np.log(target / predicted)).sum())
    got = swkl(torch.tensor(logits)[None], torch.tensor(gains)[None])
    assert float(got) == pytest.approx(expected)


@pytest.mark.parametrize("name", LOSSES)
def test_every_loss_prefers_the_right_order(name):
    """Logits in the order of the gains cost less than logits in the opposite order."""
    gains = torch.tensor([[100.0, 5.0, 0.0, 0.0]])
    good, bad = torch.tensor([[2.0, 1.0, -1.0, -1.0]]), torch.tensor([[-1.0, -1.0, 1.0, 2.0]])
    loss = get_loss(name)
    assert loss(good, gains) < loss(bad, gains)


def test_unknown_losses_are_refused():
    """The sentence lists the known ones."""
    with pytest.raises(InputError, match="loss must be one of swkl"):
        get_loss("hinge")
