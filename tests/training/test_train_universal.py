"""One network for several classes of problems: trained together, scored without PyTorch, tuned to a user's problems."""

import json

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the extra [learn] is not installed")

import neurprise as nr  # noqa: E402
from experiments.classes import generator  # noqa: E402
from neurprise.cli import main  # noqa: E402
from neurprise.networks.checkpoints import SCORERS  # noqa: E402
from neurprise.networks.scoring import ANY_FAMILY  # noqa: E402
from neurprise.networks.view import encode  # noqa: E402
from neurprise.training.dataset import FILE, Examples, examples, stored_features, trace_shares  # noqa: E402  # noqa: E402
from neurprise.training.labels import Label, label_problems, read_labels  # noqa: E402
from neurprise.training.model import ScenarioScorer, load_weights  # noqa: E402
from neurprise.training.neurprise import train  # noqa: E402
from neurprise.training.options import TrainingOptions  # noqa: E402

TINY = {"hidden": 16, "embedding": 16, "attention_heads": 4, "max_epochs": 1, "regret_instances": 2}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Labels of two families and sizes, 10 instances each."""
    root = tmp_path_factory.mktemp("labels")
    for name, problem in (("sel", nr.make_selection(5, 12, 0)), ("cover", nr.make_vertex_cover(5, 12, 0))):
        label_problems([problem], root / name, scenarios=4 if name == "sel" else 6, count=10, budget=2)
    return [root / "sel", root / "cover"]


@pytest.fixture(scope="module")
def trained(folders, tmp_path_factory):
    """A network that saw both."""
    output = tmp_path_factory.mktemp("model") / "both"
    train(folders, output, TrainingOptions(**TINY))
    return output


def test_several_label_sets_train_one_network_for_any_problem(folders, trained):
    """The card names both sets."""
    config = SCORERS.load(trained).config
    assert (config.family, config.encoding) == (ANY_FAMILY, "lp")
    assert (trained / "card.md").read_text().count("- Labels: 10 instances of 1 stored problem,") == 2


def test_the_network_scores_a_problem_of_no_family(trained):
    """Also within a search, which then gets the relaxation's bound."""
    problem = generator("lot_sizing:draw")(0).restrict(range(5))
    reducer = nr.reducers.NeurPRISE(trained)
    report = nr.solve(problem, reducer, budget=2)
    assert report.scenarios[:2] == reducer.reduce(problem, 2).indices
    exact = nr.solve(problem)
    assert report.lower_bound <= exact.worst_case + 1e-6 <= report.worst_case + 2e-6


def test_scores_without_pytorch_are_those_of_the_trained_network(trained):
    """Name for name, the same numbers."""
    graph = encode(nr.make_selection(5, 7, 1), "lp")
    model = ScenarioScorer(SCORERS.load(trained).config)
    load_weights(model, trained)
    model.eval()
    with torch.no_grad():
        expected = model([graph])[0].numpy()
    assert np.allclose(SCORERS.load(trained).scores(graph), expected, atol=1e-5)


def test_tuning_begins_with_the_weights_of_a_checkpoint(folders, trained, tmp_path):
    """At a learning rate of almost zero nothing moves."""
    options = TrainingOptions(**TINY, start=str(trained), learning_rate=1e-12, weight_decay=0.0)
    train(folders[0], tmp_path / "mine", options)
    before, after = SCORERS.weights(trained), SCORERS.weights(tmp_path / "mine")
    assert all(np.allclose(before[name], after[name], atol=1e-6) for name in before)


def test_the_command_line_tunes_a_checkpoint(folders, trained, tmp_path, capsys):
    """`neurprise train DIR --from CHECKPOINT`."""
    argv = ["train", str(folders[0]), "-o", str(tmp_path / "mine"), "--from", str(trained), "--epochs", "1", "--json"]
    assert main([*argv, "--regret-instances", "0"]) == 0
    assert json.loads(capsys.readouterr().out)["epochs"] == 1
    assert f"--from {trained}" in (tmp_path / "mine" / "card.md").read_text()


def test_linear_programs_of_a_label_set_are_solved_once(folders):
    """What is stored beside the labels is read the next time, and made anew where it is gone."""
    labels = read_labels(folders[0])
    first = stored_features(folders[0], labels.config, 10)
    (folders[0] / FILE).unlink()
    again = stored_features(folders[0], labels.config, 10)
    stored = (folders[0] / FILE).stat().st_mtime_ns
    third = stored_features(folders[0], labels.config, 10)
    assert all(np.array_equal(a, b) and np.array_equal(a, c) for a, b, c in zip(first, again, third, strict=True))
    assert (folders[0] / FILE).stat().st_mtime_ns == stored


def test_examples_of_sets_are_joined_in_order(folders):
    """Each keeps its source, its number and its scenarios."""
    parts = [examples(read_labels(folder), "train", "lp") for folder in folders]
    both = Examples.joined(parts)
    assert len(both) == 16
    assert [len(shares) for shares in both.traces] == [4] * 8 + [6] * 8
    assert both.sources[0].folder != both.sources[-1].folder


def test_shares_come_from_both_traces_and_sum_to_one():
    """A scenario that both hold first counts most; one that none holds counts nothing."""
    shares = trace_shares(Label(0, (2, 1), (5.0, 1.0), 6.0, 6.0, (2, 0), 4))
    assert shares.sum() == pytest.approx(1.0)
    assert shares.argmax() == 2
    assert shares[3] == 0
    assert shares[0] == pytest.approx(shares[1])
