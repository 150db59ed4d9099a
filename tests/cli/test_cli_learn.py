"""`neurprise label` and `neurprise train`: arguments arrive, answers are printed."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from neurprise.cli import main
from neurprise.cli.label import read_size
from neurprise.errors import InputError

SMALL = ["--family", "selection", "--size", "6", "--scenarios", "5", "--budget", "2", "--seed", "1"]


def test_labels_are_counted_and_described(tmp_path, capsys):
    """The JSON object says what the directory holds."""
    assert main(["label", str(tmp_path / "labels"), *SMALL, "--count", "2", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["count"], data["family"], data["scenarios"], data["budget"]) == (2, "selection", 5, 2)


def test_labelling_again_goes_on(tmp_path, capsys):
    """The same command with a larger count adds what is missing."""
    for count in ("1", "3"):
        assert main(["label", str(tmp_path / "labels"), *SMALL, "--count", count]) == 0
    assert "3 labelled selection instances" in capsys.readouterr().out


@pytest.mark.parametrize(("text", "size"), [("20", (20,)), ("30x40", (30, 40)), ("30X40", (30, 40))])
def test_sizes_are_numbers_joined_by_x(text, size):
    """As many as the family's generator asks for; facility location has facilities and customers."""
    assert read_size(text) == size


@pytest.mark.parametrize("text", ["x", "-3", "3x", "two"])
def test_other_sizes_are_refused(text):
    """The sentence shows what a size looks like."""
    with pytest.raises(InputError, match="30x40"):
        read_size(text)


def test_labels_of_an_unknown_family_are_refused(tmp_path, capsys):
    """Exit code 2 and one sentence."""
    argv = ["label", str(tmp_path / "labels"), "--family", "knapsack", *SMALL[2:], "--count", "1"]
    assert main(argv) == 2
    assert "knapsack" in capsys.readouterr().err


def test_training_prints_losses_and_its_checkpoint_reduces(tmp_path, capsys):
    """Labels, training and the learned reducer work together from the command line."""
    pytest.importorskip("torch", reason="training needs PyTorch")
    labels, model, problem = (str(tmp_path / name) for name in ("labels", "model", "sel.npz"))
    assert main(["label", labels, *SMALL, "--count", "20"]) == 0
    capsys.readouterr()
    assert main(["train", labels, "-o", model, "--epochs", "1", "--batch-size", "8", "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert (summary["epochs"], summary["output"]) == (1, model)
    command = f"neurprise train {labels} -o {model} --epochs 1 --batch-size 8"
    assert f"- Command: `{command}`" in (tmp_path / "model" / "card.md").read_text()
    assert main(["make", "selection", "--items", "6", "--scenarios", "5", "-o", problem]) == 0
    capsys.readouterr()
    assert main(["reduce", problem, "--method", "neurprise", "--checkpoint", model, "--budget", "2", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["indices"]) == 2


def test_samples_training_and_the_surrogate_work_together(tmp_path, capsys):
    """`label --method neur2ro`, `train` and `solve --surrogate neur2ro --checkpoint` from the command line."""
    pytest.importorskip("torch", reason="training needs PyTorch")
    samples, model, problem = (str(tmp_path / name) for name in ("samples", "model", "sel.npz"))
    sizes = ["--family", "selection", "--size", "6", "--scenarios", "5", "--decisions", "4", "--count", "20"]
    assert main(["label", samples, "--method", "neur2ro", *sizes, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["decisions"] == 4
    assert main(["train", samples, "-o", model, "--epochs", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["epochs"] == 1
    assert main(["make", "selection", "--items", "6", "--scenarios", "5", "-o", problem]) == 0
    capsys.readouterr()
    assert main(["solve", problem, "--surrogate", "neur2ro", "--checkpoint", model, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["reducer"] == "neur2ro"
    assert report["lower_bound"] <= report["worst_case"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--method", "neur2ro", "--budget", "3"], "--budget goes with --method neurprise"),
        (["--decisions", "3"], "--decisions goes with --method neur2ro"),
    ],
)
def test_options_of_the_other_method_are_refused(tmp_path, capsys, options, sentence):
    """Rather than ignored."""
    argv = ["label", str(tmp_path / "new"), *SMALL[:6], "--count", "1", *options]
    assert main(argv) == 2
    assert sentence in capsys.readouterr().err


def test_training_options_of_the_other_method_are_refused(tmp_path, capsys):
    """Samples of Neur2RO know no graph encoding."""
    argv = ["label", str(tmp_path / "samples"), "--method", "neur2ro", *SMALL[:6], "--count", "1"]
    assert main(argv) == 0
    assert main(["train", str(tmp_path / "samples"), "-o", str(tmp_path / "model"), "--encoding", "cv"]) == 2
    assert "--encoding is for NeurPRISE" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--surrogate", "neur2ro", "--reducer", "prise", "--budget", "2"], "two different methods"),
        (["--surrogate", "oracle"], "--surrogate: must be one of neur2ro"),
        (["--surrogate", "neur2ro", "--verify", "highs"], "--verify is for exact and reduced searches"),
        (["--surrogate", "neur2ro", "--start", "plan.json"], "--start is for exact and reduced searches"),
        (["--surrogate", "neur2ro", "--engine-option", "mip_rel_gap=0"], "--engine-option is for exact and reduced"),
        (["--surrogate", "neur2ro", "--jobs", "2"], "--jobs is for exact and reduced searches"),
    ],
)
def test_a_surrogate_goes_alone_and_by_its_name(tmp_path, capsys, options, sentence):
    """Exit code 2 and one sentence."""
    problem = str(tmp_path / "sel.npz")
    assert main(["make", "selection", "--items", "6", "--scenarios", "5", "-o", problem]) == 0
    assert main(["solve", problem, *options]) == 2
    assert sentence in capsys.readouterr().err


def test_training_without_pytorch_says_what_to_install(tmp_path):
    """Exit code 2; labels and choosing scenarios do without."""
    code = "import sys; sys.modules['torch'] = None; from neurprise.cli import main; sys.exit(main(sys.argv[1:]))"
    argv = [sys.executable, "-c", code, "train", str(tmp_path), "-o", str(tmp_path / "model")]
    result = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert "pip install 'neurprise[learn]'" in result.stderr


def test_training_without_labels_is_refused(tmp_path, capsys):
    """Exit code 2 and a sentence that names the remedy."""
    pytest.importorskip("torch", reason="training needs PyTorch")
    assert main(["train", str(tmp_path), "-o", str(tmp_path / "model")]) == 2
    assert "neurprise label" in capsys.readouterr().err


def test_interrupted_labelling_says_what_is_kept(tmp_path, capsys, monkeypatch):
    """Ctrl-C before the third label: two are kept, and the same command goes on."""
    from neurprise.training import labels

    make, argv = labels.label_instance, ["label", str(tmp_path / "labels"), *SMALL, "--count", "4"]

    def interrupted(config, index):
        if index == 2:
            raise KeyboardInterrupt
        return make(config, index)

    monkeypatch.setattr(labels, "label_instance", interrupted)
    assert main(argv) == 130
    assert "interrupted; 2 of 4 labels are kept" in capsys.readouterr().err
    monkeypatch.undo()
    assert main(argv) == 0


def test_a_time_limit_on_labelling_says_what_is_kept(tmp_path, capsys):
    """Exit code 1: not all labels are there; the same command goes on."""
    argv = ["label", str(tmp_path / "labels"), *SMALL, "--count", "100000", "--time-limit", "1"]
    assert main(argv) == 1
    kept = len((tmp_path / "labels" / "labels.jsonl").read_bytes().splitlines())
    assert f"the time limit of 1 s has passed; {kept} of 100,000 labels" in capsys.readouterr().err


def test_interrupted_before_the_first_label_says_so(tmp_path, capsys, monkeypatch):
    """Nothing is kept, and nothing else is claimed."""
    monkeypatch.setattr("neurprise.training.labels.label", _interrupt)
    assert main(["label", str(tmp_path / "labels"), *SMALL, "--count", "4"]) == 130
    assert "interrupted; 0 of 4 labels are kept" in capsys.readouterr().err


def test_interrupted_training_says_how_many_epochs_are_kept(tmp_path, capsys, monkeypatch):
    """Ctrl-C in the second epoch: the first is kept."""
    pytest.importorskip("torch", reason="training needs PyTorch")
    from neurprise.training import loop

    labels, model = str(tmp_path / "labels"), str(tmp_path / "model")
    assert main(["label", labels, *SMALL, "--count", "20"]) == 0
    monkeypatch.setattr(loop, "_show", lambda number, record, progress: None if number < 1 else _interrupt())
    assert main(["train", labels, "-o", model, "--epochs", "3", "--batch-size", "8"]) == 130
    assert f"interrupted; epochs kept in {model}: 1;" in capsys.readouterr().err


def _interrupt(*_, **__):
    raise KeyboardInterrupt
