"""Training: deterministic, resumable, and its result is a checkpoint that NeurPRISE loads."""

import json

import pytest

torch = pytest.importorskip("torch", reason="the extra [learn] is not installed")

import neurprise as nr  # noqa: E402
from neurprise.errors import InputError  # noqa: E402
from neurprise.training.labels import label  # noqa: E402
from neurprise.training.neurprise import LOSSES, train  # noqa: E402
from neurprise.training.options import TrainingOptions  # noqa: E402

QUICK = {"hidden": 16, "batch_size": 4, "micro_batch": 2, "regret_instances": 1, "encoding": "ps"}


@pytest.fixture(scope="module")
def labels(tmp_path_factory):
    folder = tmp_path_factory.mktemp("labels")
    label(folder, family="selection", size=5, scenarios=4, count=20, budget=3)
    return folder


def weights(folder):
    return (folder / "weights.safetensors").read_bytes()


def test_the_same_seed_gives_the_same_weights(labels, tmp_path):
    """Bytes, not only numbers."""
    options = TrainingOptions(max_epochs=2, dropout=0.1, **QUICK)
    for name in ("one", "two"):
        train(labels, tmp_path / name, options)
    assert weights(tmp_path / "one") == weights(tmp_path / "two")
    train(labels, tmp_path / "other", TrainingOptions(max_epochs=2, dropout=0.1, seed=1, **QUICK))
    assert weights(tmp_path / "one") != weights(tmp_path / "other")


def test_an_interrupted_run_resumes_to_the_same_weights(labels, tmp_path, monkeypatch):
    """A kill between epochs changes nothing."""
    from neurprise.training import loop

    options = TrainingOptions(max_epochs=3, **QUICK)
    train(labels, tmp_path / "whole", options)

    def killed(number, *_):
        if number == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(loop, "_show", killed)
    with pytest.raises(KeyboardInterrupt):
        train(labels, tmp_path / "cut", options)
    monkeypatch.undo()
    assert train(labels, tmp_path / "cut", options).epochs == 3
    assert weights(tmp_path / "cut") == weights(tmp_path / "whole")


def test_training_lowers_the_loss_and_reports_regret(labels, tmp_path):
    """A few epochs on a tiny set already fit it better than the first."""
    summary = train(labels, tmp_path / "run", TrainingOptions(max_epochs=8, learning_rate=3e-3, **QUICK))
    history = json.loads((tmp_path / "run" / "training" / "progress.json").read_text())["history"]
    assert history[-1]["train_loss"] < history[0]["train_loss"]
    assert summary.validation_regret >= 0
    assert (tmp_path / "run" / "card.md").read_text().startswith("# selection")


def test_early_stopping_ends_a_run(labels, tmp_path):
    """With a hopeless learning rate the validation loss soon stops falling."""
    summary = train(labels, tmp_path / "run", TrainingOptions(max_epochs=50, patience=2, learning_rate=0.5, **QUICK))
    assert summary.epochs < 50
    assert summary.epochs - summary.best_epoch == 2


def test_a_trained_checkpoint_reduces_problems_of_its_family(labels, tmp_path):
    """`NeurPRISE(path)` ranks scenarios of any number with the new weights."""
    train(labels, tmp_path / "run", TrainingOptions(max_epochs=1, **QUICK))
    reducer = nr.reducers.NeurPRISE(tmp_path / "run")
    reduction = reducer.reduce(nr.make_selection(7, 30, 0), 4)
    assert len(set(reduction.indices)) == 4


@pytest.mark.parametrize("loss", LOSSES)
def test_every_loss_trains(labels, tmp_path, loss):
    """One epoch of each of the paper's ablation."""
    assert train(labels, tmp_path / "run", TrainingOptions(max_epochs=1, loss=loss, **QUICK)).best_epoch == 1


def test_another_run_needs_another_output(labels, tmp_path):
    """A resumed run must be the same run."""
    train(labels, tmp_path / "run", TrainingOptions(max_epochs=1, **QUICK))
    with pytest.raises(InputError, match="other options or labels"):
        train(labels, tmp_path / "run", TrainingOptions(max_epochs=1, loss="bce", **QUICK))


def test_a_finished_run_goes_on_when_it_is_given_more_epochs(labels, tmp_path):
    """Two epochs and then four give what four give at once; a falling learning rate depends on their number."""
    train(labels, tmp_path / "whole", TrainingOptions(max_epochs=4, **QUICK))
    train(labels, tmp_path / "longer", TrainingOptions(max_epochs=2, patience=3, **QUICK))
    train(labels, tmp_path / "longer", TrainingOptions(max_epochs=4, **QUICK))
    for part in ("weights.safetensors", "config.json"):
        assert (tmp_path / "whole" / part).read_bytes() == (tmp_path / "longer" / part).read_bytes()
    train(labels, tmp_path / "falling", TrainingOptions(max_epochs=1, schedule="cosine", **QUICK))
    with pytest.raises(InputError, match="other options or labels"):
        train(labels, tmp_path / "falling", TrainingOptions(max_epochs=2, schedule="cosine", **QUICK))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [({"batch_size": 0}, "batch_size"), ({"learning_rate": 0}, "learning_rate"), ({"dropout": 1.0}, "dropout")],
)
def test_bad_options_are_refused(change, sentence):
    """Each sentence names the option."""
    with pytest.raises(InputError, match=sentence):
        TrainingOptions(**change)
