"""Scores without PyTorch: equal to the trained model's, equivariant, in bounded memory."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the extra [learn] is not installed")

import neurprise as nr  # noqa: E402
from neurprise.errors import CheckpointError  # noqa: E402
from neurprise.networks import scoring, scoring_kernels  # noqa: E402
from neurprise.networks.scoring import ModelConfig  # noqa: E402
from neurprise.networks.view import encode  # noqa: E402
from neurprise.training.model import ScenarioScorer  # noqa: E402

VARIANTS = [("gnn", fusion) for fusion in ("pooled", "late", "early")] + [("deepsets", "pooled")]


def small_model(graph, **changes):
    torch.manual_seed(0)
    config = ModelConfig("selection", graph.num_features, hidden=16, embedding=16, attention_heads=4, **changes)
    model = ScenarioScorer(config).eval()
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if "eps" in name or "norm" in name:
                weight += 0.3 * torch.randn_like(weight)  # values that a forgotten term would betray
    return model


@pytest.fixture
def problem():
    return nr.make_selection(5, 6, 3)


@pytest.mark.parametrize(("encoder", "fusion"), VARIANTS)
@pytest.mark.parametrize("num_layers", [2, 3])
@pytest.mark.parametrize("encoding", ["cv", "ps", "sv"])
def test_scores_equal_the_trained_models(problem, encoder, fusion, num_layers, encoding):
    """Every variant, weight for weight."""
    graph = encode(problem, encoding)
    model = small_model(graph, encoder=encoder, fusion=fusion, num_layers=num_layers, encoding=encoding)
    with torch.no_grad():
        expected = model([graph])[0].numpy()
    assert model.scorer().scores(graph) == pytest.approx(expected, rel=1e-4, abs=1e-5)


FAMILIES = {
    "dense graph": lambda: nr.make_vertex_cover(9, 7, 1),
    "sparse graph": lambda: nr.VertexCover(np.ones(30), np.arange(60.0).reshape(2, 30), [[0, 1], [4, 29]]),
    "graph without edges": lambda: nr.VertexCover([3, 2], [[1, 5], [4, 4], [2, 2]], []),
    "transport costs on edges": lambda: nr.make_facility_location(4, 3, 5, 0),
    "one scenario": lambda: nr.make_vertex_cover(6, 1, 0),
    "more scenarios than a vector holds": lambda: nr.make_selection(4, 77, 0),
}


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("encoding", ["cv", "ps", "sv"])
def test_scores_equal_the_trained_models_on_every_kind_of_graph(name, encoding):
    """Messages summed by a matrix product or edge by edge, with weights that scenarios share or change."""
    graph = encode(FAMILIES[name](), encoding)
    model = small_model(graph, encoding=encoding)
    with torch.no_grad():
        expected = model([graph])[0].numpy()
    assert model.scorer().scores(graph) == pytest.approx(expected, rel=1e-4, abs=1e-5)


@pytest.mark.parametrize(("encoder", "fusion"), VARIANTS)
@pytest.mark.parametrize("encoding", ["cv", "ps", "sv"])
def test_permuting_scenarios_permutes_scores(problem, fusion, encoder, encoding):
    """No variant knows the order in which scenarios are listed."""
    order = [3, 0, 5, 1, 4, 2]
    graph, permuted = encode(problem, encoding), encode(problem.restrict(order), encoding)
    scorer = small_model(graph, fusion=fusion, encoder=encoder, encoding=encoding).scorer()
    assert scorer.scores(permuted) == pytest.approx(scorer.scores(graph)[order], abs=1e-5)


@pytest.mark.parametrize("fusion", ["pooled", "early"])
@pytest.mark.parametrize("encoding", ["cv", "ps", "sv"])
def test_permuting_items_leaves_scores_unchanged(problem, encoding, fusion):
    """Items have no order either."""
    order = [4, 2, 0, 1, 3]
    renamed = nr.Selection(problem.first_stage.costs[order], problem.scenario_costs[:, order], problem.num_select)
    graph = encode(problem, encoding)
    scorer = small_model(graph, encoding=encoding, fusion=fusion).scorer()
    assert scorer.scores(encode(renamed, encoding)) == pytest.approx(scorer.scores(graph), abs=1e-5)


@pytest.mark.parametrize(("encoder", "fusion"), VARIANTS)
def test_scoring_in_chunks_changes_nothing(problem, monkeypatch, encoder, fusion):
    """Thousands of scenarios are encoded a few at a time."""
    graph = encode(problem, "cv")
    scorer = small_model(graph, encoder=encoder, fusion=fusion).scorer()
    together = scorer.scores(graph)
    monkeypatch.setattr(scoring, "NODES_AT_ONCE", 2 * graph.num_nodes)
    assert scorer.scores(graph) == pytest.approx(together, abs=1e-5)


def test_one_scenario_gets_one_score():
    """The smallest scenario set."""
    graph = encode(nr.make_selection(3, 1, 0), "cv")
    assert small_model(graph).scorer().scores(graph).shape == (1,)


def test_a_scorer_keeps_its_weights_while_training_goes_on(problem):
    """It holds copies."""
    graph = encode(problem, "cv")
    model = small_model(graph)
    scorer = model.scorer()
    before = scorer.scores(graph)
    with torch.no_grad():
        for weight in model.parameters():
            weight += 1.0
    assert scorer.scores(graph).tolist() == before.tolist()


@pytest.mark.parametrize("change", ["missing", "superfluous", "misshapen"])
def test_weights_that_do_not_fit_are_refused(problem, change):
    """The sentence names the array."""
    model = small_model(encode(problem, "cv"))
    weights = model.weights()
    if change == "superfluous":
        weights["encoder.extra"] = np.zeros(1, dtype=np.float32)
        name = "encoder.extra"
    else:
        name = "decoder.query.weight"
        query = weights.pop(name)
        if change == "misshapen":
            weights[name] = query.T.copy()
    with pytest.raises(CheckpointError, match=name):
        scoring.Scorer(model.config, weights)


@pytest.mark.parametrize("family", ["selection(6, 8, 0)", "vertex_cover(6, 8, 0)", "facility_location(5, 4, 8, 0)"])
def test_choosing_scenarios_needs_no_pytorch(family):
    """The shipped checkpoints work where torch cannot be imported."""
    code = (
        "import sys; sys.modules['torch'] = None; import neurprise as nr; "
        f"print(len(nr.reducers.NeurPRISE().reduce(nr.make_{family}, 3).indices))"
    )
    root = Path(__file__).parents[2]
    result = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=False)
    assert result.stdout.strip() == "3", result.stderr


@pytest.mark.parametrize("size", [1, 50, 500])
def test_attention_weighs_by_softmax(size):
    """The kernel's exponentials are its own: logits near, far apart, and more than are held at once."""
    rng = np.random.default_rng(size)
    projected = (rng.standard_normal((3 * 8, size)) * rng.choice([0.1, 30.0], size)).astype(np.float32)
    out = np.empty((size, 8), dtype=np.float32)
    scoring_kernels.attend(projected, 2, out)
    for head in range(2):
        queries, keys, values = projected.reshape(3, 2, 4, size)[:, head].astype(float)
        likeness = np.exp(queries.T @ keys - (queries.T @ keys).max(axis=1, keepdims=True))
        expected = likeness @ values.T / likeness.sum(axis=1, keepdims=True)
        assert out[:, 4 * head : 4 * head + 4] == pytest.approx(expected, rel=1e-3, abs=1e-3)
