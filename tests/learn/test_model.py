"""The model: equivariant scores, all variants, bounded memory; and its losses."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the extra [learn] is not installed")

import neurprise as nr  # noqa: E402
from neurprise.errors import InputError  # noqa: E402
from neurprise.learn import model as model_module  # noqa: E402
from neurprise.learn.encodings import encode  # noqa: E402
from neurprise.learn.losses import LOSSES, get_loss, swkl  # noqa: E402
from neurprise.learn.model import ModelConfig, ScenarioScorer  # noqa: E402


def small_model(graph, **changes):
    torch.manual_seed(0)
    config = ModelConfig("selection", graph.num_features, hidden=16, embedding=16, attention_heads=4, **changes)
    return ScenarioScorer(config).eval()


@pytest.fixture
def problem():
    return nr.make_selection(5, 6, 3)


VARIANTS = [("gnn", fusion) for fusion in ("pooled", "late", "early", "crossed")] + [("deepsets", "pooled")]


@pytest.mark.parametrize(("encoder", "fusion"), VARIANTS)
@pytest.mark.parametrize("encoding", ["cv", "ps", "sv"])
def test_permuting_scenarios_permutes_scores(problem, fusion, encoder, encoding):
    """No variant knows the order in which scenarios are listed."""
    order = [3, 0, 5, 1, 4, 2]
    graph, permuted = encode(problem, encoding), encode(problem.restrict(order), encoding)
    model = small_model(graph, fusion=fusion, encoder=encoder, encoding=encoding)
    assert torch.allclose(model.scores(graph)[order], model.scores(permuted), atol=1e-5)


@pytest.mark.parametrize("fusion", ["pooled", "crossed"])
@pytest.mark.parametrize("encoding", ["cv", "ps", "sv"])
def test_permuting_items_leaves_scores_unchanged(problem, encoding, fusion):
    """Items have no order either."""
    order = [4, 2, 0, 1, 3]
    renamed = nr.Selection(problem.first_stage.costs[order], problem.scenario_costs[:, order], problem.num_select)
    graph = encode(problem, encoding)
    model = small_model(graph, encoding=encoding, fusion=fusion)
    assert torch.allclose(model.scores(graph), model.scores(encode(renamed, encoding)), atol=1e-5)


@pytest.mark.parametrize("fusion", ["pooled", "crossed"])
def test_encoding_in_chunks_changes_nothing(problem, monkeypatch, fusion):
    """Thousands of scenarios are encoded a few at a time."""
    graph = encode(problem, "cv")
    model = small_model(graph, fusion=fusion)
    together = model.scores(graph)
    monkeypatch.setattr(model_module, "NODES_AT_ONCE", 2 * graph.num_nodes)
    assert torch.allclose(together, model.scores(graph), atol=1e-5)


@pytest.mark.parametrize("fusion", ["pooled", "crossed"])
def test_a_batch_scores_each_instance_as_if_alone(fusion):
    """Instances of different size do not influence each other."""
    graphs = [encode(nr.make_vertex_cover(n, 4, n), "cv") for n in (4, 7)]
    model = small_model(graphs[0], fusion=fusion)
    together = model(graphs)
    for row, graph in zip(together, graphs, strict=True):
        assert torch.allclose(row, model.scores(graph), atol=1e-5)


def test_one_scenario_gets_one_score():
    """The smallest scenario set."""
    graph = encode(nr.make_selection(3, 1, 0), "cv")
    assert small_model(graph).scores(graph).shape == (1,)


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
