"""Checkpoints: what is shipped works, what is broken or foreign is refused with a sentence."""

import json
import shutil

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the extra [learn] is not installed")

import neurprise as nr  # noqa: E402
from experiments.classes import generator  # noqa: E402
from neurprise.cli import main  # noqa: E402
from neurprise.errors import CheckpointError  # noqa: E402
from neurprise.networks.checkpoints import SCORERS, SHIPPED  # noqa: E402
from neurprise.networks.scoring import ModelConfig  # noqa: E402
from neurprise.networks.view import encode  # noqa: E402
from neurprise.training.model import ScenarioScorer  # noqa: E402

PROBLEMS = {
    "selection": lambda: nr.make_selection(6, 8, 0),
    "vertex-cover": lambda: nr.make_vertex_cover(6, 8, 0),
    "facility-location": lambda: nr.make_facility_location(5, 4, 8, 0),
}


@pytest.fixture
def folder(tmp_path):
    """A small valid checkpoint for selection."""
    graph = encode(nr.make_selection(4, 3, 0), "cv")
    model = ScenarioScorer(ModelConfig("selection", graph.num_features, hidden=16, embedding=16))
    SCORERS.save(model.config, model.weights(), tmp_path / "model")
    return tmp_path / "model"


def test_saving_and_loading_keeps_every_score(folder):
    """A round trip changes no bit."""
    graph = encode(nr.make_selection(4, 3, 0), "cv")
    first, second = SCORERS.load(folder), SCORERS.load(str(folder))
    assert first.scores(graph).tolist() == second.scores(graph).tolist()


@pytest.mark.parametrize("family", PROBLEMS)
def test_a_checkpoint_is_shipped_for_every_family(family):
    """`NeurPRISE()` picks by the problem's family; its scores are finite and equivariant."""
    problem, reducer = PROBLEMS[family](), nr.reducers.NeurPRISE()
    scores = reducer.scores(problem)
    order = [5, 2, 7, 0, 1, 6, 4, 3]
    assert np.allclose(scores[order], reducer.scores(problem.restrict(order)), atol=1e-4)
    assert len(reducer.reduce(problem, 3).indices) == 3


@pytest.mark.parametrize("family", PROBLEMS)
def test_one_scenario_and_equal_scenarios_are_scored(family):
    """Where nothing varies there is nothing to scale by; scores stay finite, and equal for equal scenarios."""
    problem, reducer = PROBLEMS[family](), nr.reducers.NeurPRISE()
    assert reducer.reduce(problem.restrict([3]), 2).indices == (0,)
    table = problem.demands if family == "facility-location" else problem.scenario_costs
    scores = reducer.scores(problem.with_scenarios(np.repeat(table[:1], 3, axis=0)))
    assert np.isfinite(scores).all()
    assert np.ptp(scores[1:]) < 1e-4  # of equal demands the first counts as the largest


def test_facility_location_keeps_the_largest_total_demand_first():
    """Capacity for it suffices for every scenario, so any budget leaves recourse everywhere."""
    problem = nr.make_facility_location(6, 5, 8, 4)
    reduction = nr.reducers.NeurPRISE().reduce(problem, 1)
    assert reduction.indices == (int(problem.demands.sum(axis=1).argmax()),)
    assert np.isfinite(nr.solve(problem, reducer="neurprise", budget=1).worst_case)


def test_each_shipped_checkpoint_has_a_card():
    """Data, seed and results travel with the weights."""
    for name in SCORERS.shipped_names():
        assert "Labels:" in (SHIPPED / name / "card.md").read_text()


def test_a_problem_of_no_family_is_scored_by_the_universal_checkpoint():
    """Of two scenarios the more expensive one comes first, in any order."""
    problem = nr.TwoStageProblem.from_matrices(
        [1.0], None, None, [[1]], [1], [[1]], None, None, [[0.1], [0.9]], x_integer=True, y_integer=False
    )
    assert nr.reducers.NeurPRISE().reduce(problem, 1).indices == (1,)
    assert nr.reducers.NeurPRISE("universal").reduce(problem.restrict([1, 0]), 1).indices == (0,)


@pytest.mark.parametrize("family", PROBLEMS)
def test_the_universal_checkpoint_scores_families_too(family):
    """By name; without one, the family's own is taken."""
    problem = PROBLEMS[family]()
    chosen = nr.solve(problem, nr.reducers.NeurPRISE("universal"), budget=3)
    assert len(chosen.scenarios) == 3
    assert chosen.lower_bound <= nr.solve(problem).worst_case <= chosen.worst_case


def test_a_checkpoint_of_another_family_is_refused(folder):
    """Scores of a foreign family would mean nothing."""
    with pytest.raises(CheckpointError, match="was trained on 'selection'"):
        nr.reducers.NeurPRISE(folder).reduce(nr.make_vertex_cover(5, 3, 0), 1)


def test_an_unknown_name_lists_the_shipped_ones():
    """Neither a shipped name nor a directory."""
    with pytest.raises(CheckpointError, match="no checkpoint 'no-such-model'"):
        nr.reducers.NeurPRISE("no-such-model").reduce(nr.make_selection(4, 3, 0), 1)


def test_corrupt_weights_are_refused(folder):
    """A truncated file."""
    path = folder / "weights.safetensors"
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(CheckpointError, match=r"no valid weights\.safetensors"):
        SCORERS.load(folder)


def test_weights_of_another_shape_are_refused(folder):
    """Configuration and weights must fit."""
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "hidden": 32}))
    with pytest.raises(CheckpointError, match="must have shape"):
        SCORERS.load(folder)


def test_weights_that_are_not_finite_are_refused(folder):
    """A diverged training run is no model."""
    from safetensors.torch import load_file, save_file

    tensors = load_file(folder / "weights.safetensors")
    tensors["encoder.layers.0.eps"] = torch.tensor([float("nan")])
    save_file(tensors, folder / "weights.safetensors")
    with pytest.raises(CheckpointError, match="must be 32-bit numbers"):
        SCORERS.load(folder)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": "other"}', '{"format": "neurprise-checkpoint-1"}'])
def test_a_foreign_configuration_is_refused(folder, text):
    """Anything that is not a configuration of this package."""
    (folder / "config.json").write_text(text)
    with pytest.raises(CheckpointError, match=r"no valid config\.json"):
        SCORERS.load(folder)


def test_an_empty_directory_is_refused(tmp_path):
    """No configuration, no checkpoint."""
    shutil.rmtree(tmp_path / "empty", ignore_errors=True)
    (tmp_path / "empty").mkdir()
    with pytest.raises(CheckpointError, match=r"config\.json"):
        SCORERS.load(tmp_path / "empty")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 3e38, -3e38, 1e4])
def test_weights_out_of_range_are_refused(folder, value):
    """Scores would overflow, and an order of infinities means nothing."""
    change_weights(folder, lambda weights: weights["decoder.query.weight"].__setitem__((0, 0), value))
    with pytest.raises(CheckpointError, match=r"'decoder\.query\.weight' must be 32-bit numbers below 10000"):
        SCORERS.load(folder)


def test_weights_that_overflow_together_are_refused_when_scores_do(folder):
    """Each in range, their products not."""
    change_weights(folder, lambda weights: [array.fill(9e3) for array in weights.values()])
    reducer = nr.reducers.NeurPRISE(folder)
    with pytest.raises(CheckpointError, match="leave the range of 32-bit numbers"):
        reducer.reduce(nr.make_selection(4, 3, 0), 2)


@pytest.mark.parametrize("kind", ["float64", "float16", "int32", "bool"])
def test_weights_of_another_type_are_refused(folder, kind):
    """Also those that numpy would convert silently."""
    change_weights(folder, lambda weights: weights.update({k: v.astype(kind) for k, v in weights.items()}))
    with pytest.raises(CheckpointError, match="must be 32-bit numbers"):
        SCORERS.load(folder)


def change_weights(folder, change):
    """Apply `change` to a dict of the stored arrays."""
    from safetensors.numpy import load_file, save_file

    weights = {name: array.copy() for name, array in load_file(folder / "weights.safetensors").items()}
    change(weights)
    save_file(weights, folder / "weights.safetensors")


@pytest.mark.parametrize("value", [None, "16", 16.0, True, [16], {}, 0, -1, 10**400, 1e400, float("nan")])
@pytest.mark.parametrize("name", ["hidden", "attention_layers", "scoring_heads", "head_width", "num_features"])
def test_sizes_that_are_no_whole_numbers_are_refused(folder, name, value):
    """Nulls and strings for numbers come from hand-edited files."""
    change_config(folder, **{name: value})
    with pytest.raises(CheckpointError, match=rf"no valid config\.json \({name} must be a whole number between 1 and"):
        SCORERS.load(folder)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"family": None}, "family must be a name, got None"),
        ({"encoding": 7}, "encoding must be one of cv, ps, sv, lp, got 7"),
        ({"encoder": ["gnn"]}, "encoder must be one of"),
        ({"dropout": "0.1"}, "dropout must be a number, got '0.1'"),
        ({"dropout": None}, "dropout must be a number, got None"),
        ({"dropout": 1.5}, "dropout must be at least 0 and below 1, got 1.5"),
        ({"colour": "blue"}, "'colour' is unknown"),
    ],
)
def test_other_entries_are_checked_too(folder, change, words):
    """Each sentence names the entry and the value."""
    change_config(folder, **change)
    with pytest.raises(CheckpointError) as refusal:
        SCORERS.load(folder)
    assert words in str(refusal.value)


def change_config(folder, **entries):
    """Replace entries of config.json."""
    path = folder / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **entries}))


@pytest.mark.parametrize("raw", [b"\xff\xfe\x00", b"[" * 100_000, b'{"format": ' * 50_000, b"null"])
def test_a_configuration_that_is_no_json_object_is_refused(folder, raw):
    """Bytes that are not text, and brackets without end."""
    (folder / "config.json").write_bytes(raw)
    with pytest.raises(CheckpointError, match=r"no valid config\.json"):
        SCORERS.load(folder)


def test_a_broken_checkpoint_is_bad_input_on_the_command_line(folder, tmp_path, capsys):
    """Exit code 2 and one sentence."""
    change_config(folder, hidden=None)
    nr.make_selection(4, 3, 0).write(tmp_path / "sel.npz")
    argv = ["reduce", str(tmp_path / "sel.npz"), "--method", "neurprise", "--budget", "2", "--checkpoint", str(folder)]
    assert main(argv) == 2
    assert "hidden must be a whole number" in capsys.readouterr().err


@pytest.mark.parametrize("seconds", [0.0, 0.2])
def test_the_universal_checkpoint_keeps_time_limits(seconds):
    """However little time there is, scenarios are chosen, and what is said about the answer is true."""
    problem = generator("inventory_network:draw")(3)
    table = problem.scenario_data[np.random.default_rng(0).integers(20, size=1500)]
    many = problem.with_scenarios(table * np.random.default_rng(1).uniform(0.7, 1.3, (1500, 1)))
    report = nr.solve(many, "neurprise", budget=3, time_limit=seconds)
    assert len(report.scenarios) == 3
    assert report.lower_bound <= nr.solve(many).worst_case + 1e-6 <= report.worst_case + 2e-6
