"""Training of surrogates: deterministic, resumable, and its result is a checkpoint that Neur2RO loads."""

import json

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the extra [learn] is not installed")

import neurprise as nr  # noqa: E402
from neurprise.errors import InputError  # noqa: E402
from neurprise.networks.view import knowledge_of  # noqa: E402
from neurprise.problems import family_names  # noqa: E402
from neurprise.surrogates.network import ValueNetwork  # noqa: E402
from neurprise.training.neur2ro import TrainableNetwork, train  # noqa: E402
from neurprise.training.options import SurrogateOptions  # noqa: E402
from neurprise.training.samples import sample  # noqa: E402
from tests.instances import FAMILIES  # noqa: E402
from tests.surrogates.networks import described, random_decision, random_network  # noqa: E402


@pytest.fixture(scope="module")
def samples(tmp_path_factory):
    folder = tmp_path_factory.mktemp("samples")
    sample(folder, family="selection", size=5, scenarios=4, count=20, decisions=8)
    return folder


def weights(folder):
    return (folder / "weights.safetensors").read_bytes()


@pytest.mark.parametrize("family", FAMILIES)
def test_numpy_computes_what_pytorch_computes(family):
    """Trained in one, used in the other."""
    problem = FAMILIES[family](1)
    config = random_network(problem, 0).config
    trained = TrainableNetwork(config)
    instance = described(problem)
    decisions = np.stack([random_decision(problem, seed) for seed in range(4)])
    arrays = instance.item_inputs, instance.shares_of(decisions), instance.scenario_items
    with torch.no_grad():
        expected = trained(*(torch.tensor(array[None], dtype=torch.float32) for array in arrays))[0].numpy()
    folded = ValueNetwork(config, trained.weights()).folded(instance)
    assert np.stack([folded.values(x) for x in decisions]) == pytest.approx(expected, abs=1e-5)


def test_the_same_seed_gives_the_same_weights(samples, tmp_path):
    """Bytes, not only numbers."""
    for name, seed in (("one", 0), ("two", 0), ("other", 1)):
        train(samples, tmp_path / name, SurrogateOptions(max_epochs=2, seed=seed))
    assert weights(tmp_path / "one") == weights(tmp_path / "two")
    assert weights(tmp_path / "one") != weights(tmp_path / "other")


def test_an_interrupted_run_resumes_to_the_same_weights(samples, tmp_path, monkeypatch):
    """A kill between epochs changes nothing."""
    from neurprise.training import loop

    options = SurrogateOptions(max_epochs=3)
    train(samples, tmp_path / "whole", options)

    def killed(number, *_):
        if number == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(loop, "_show", killed)
    with pytest.raises(KeyboardInterrupt):
        train(samples, tmp_path / "cut", options)
    monkeypatch.undo()
    assert train(samples, tmp_path / "cut", options).epochs == 3
    assert weights(tmp_path / "cut") == weights(tmp_path / "whole")


def test_training_lowers_the_loss_below_the_variance(samples, tmp_path):
    """A constant prediction would leave a loss of one."""
    summary = train(samples, tmp_path / "run", SurrogateOptions(max_epochs=30, learning_rate=1e-2, batch_size=4))
    history = json.loads((tmp_path / "run" / "training" / "progress.json").read_text())["history"]
    assert history[-1]["train_loss"] < history[0]["train_loss"]
    assert summary.validation_loss < 0.5
    assert (tmp_path / "run" / "card.md").read_text().startswith("# Neur2RO: selection")


def test_a_trained_checkpoint_solves_problems_of_its_family(samples, tmp_path):
    """Of any size and number of scenarios."""
    train(samples, tmp_path / "run", SurrogateOptions(max_epochs=1))
    problem = nr.make_selection(7, 9, 0)
    report = nr.surrogates.Neur2RO.load(tmp_path / "run").solve(problem)
    assert report.lower_bound <= nr.solve(problem).worst_case <= report.worst_case


def test_another_run_needs_another_output(samples, tmp_path):
    """A resumed run must be the same run."""
    train(samples, tmp_path / "run", SurrogateOptions(max_epochs=1))
    with pytest.raises(InputError, match="other options or labels"):
        train(samples, tmp_path / "run", SurrogateOptions(max_epochs=1, batch_size=3))


def test_too_few_instances_are_refused(tmp_path):
    """Instances 8, 18, ... are the validation set."""
    sample(tmp_path / "samples", family="selection", size=5, scenarios=4, count=5, decisions=4)
    with pytest.raises(InputError, match="no validation instance"):
        train(tmp_path / "samples", tmp_path / "run")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [({"batch_size": 0}, "batch_size"), ({"learning_rate": 0}, "learning_rate"), ({"schedule": "steps"}, "schedule")],
)
def test_bad_options_are_refused(change, sentence):
    """Each sentence names the option."""
    with pytest.raises(InputError, match=sentence):
        SurrogateOptions(**change)


def test_every_family_can_be_described_for_training():
    """Each tells surrogates about itself."""
    assert all(knowledge_of(FAMILIES[name](0)).describe for name in family_names())
