"""Training data of surrogates: true costs of feasible decisions, the same bytes however they are made."""

import json

import numpy as np
import pytest

import neurprise as nr
from neurprise.errors import FormatError, InputError
from neurprise.problems import Family, get_family, unregister
from neurprise.training.labels import LabelConfig
from neurprise.training.origins import with_family
from neurprise.training.samples import read_samples, sample, sample_instance
from tests.instances import FAMILIES

SMALL = {"family": "selection", "size": 6, "scenarios": 4, "decisions": 6}


@pytest.mark.parametrize("family", FAMILIES)
def test_samples_hold_true_costs_of_feasible_decisions(tmp_path, family):
    """`evaluate` says the same, and refuses no decision."""
    samples = sample(tmp_path, **{**SMALL, "family": family}, count=3)
    for one in samples.samples:
        problem = samples.config.problem(one.index)
        assert 1 <= len(one.decisions) <= 6
        for x, costs in zip(one.decisions, one.costs, strict=True):
            assert costs == pytest.approx(nr.evaluate(problem, x).recourse_costs)


def test_decisions_are_good_and_bad(tmp_path):
    """Both the neighbourhood of the optimum and decisions far from it are covered."""
    config = sample(tmp_path, family="selection", size=12, scenarios=10, decisions=24, count=1).config
    for index in range(5):
        problem, found = config.problem(index), sample_instance(config, index)
        totals = found.decisions @ problem.first_stage_costs + found.costs.max(axis=1)
        optimum = nr.solve(problem).worst_case
        assert totals.min() <= 1.1 * optimum
        assert totals.max() >= 1.3 * optimum


def test_instances_are_those_of_a_label_set(tmp_path):
    """The split by instance number then holds for both methods."""
    samples = sample(tmp_path, **SMALL, count=1)
    twin = LabelConfig("selection", (6,), 4).problem(0)
    assert np.array_equal(samples.config.problem(0).scenario_costs, twin.scenario_costs)


def test_the_file_does_not_depend_on_jobs_or_interruptions(tmp_path):
    """A run cut in the middle of a line goes on to the same bytes."""
    sample(tmp_path / "whole", **SMALL, count=4)
    sample(tmp_path / "cut", **SMALL, count=2)
    path = tmp_path / "cut" / "samples.jsonl"
    path.write_bytes(path.read_bytes()[:-20])
    assert len(read_samples(tmp_path / "cut")) == 1
    sample(tmp_path / "cut", **SMALL, count=4, jobs=2)
    assert path.read_bytes() == (tmp_path / "whole" / "samples.jsonl").read_bytes()


def test_a_directory_holds_one_kind_of_sample(tmp_path):
    """Another configuration, and labels of another method, need another directory."""
    sample(tmp_path, **SMALL, count=1)
    with pytest.raises(InputError, match="choose another directory"):
        sample(tmp_path, **{**SMALL, "scenarios": 5}, count=1)
    from neurprise.training.labels import read_labels

    with pytest.raises(FormatError, match="not a label configuration"):
        read_labels(tmp_path)


@pytest.mark.parametrize(
    "line",
    [b"{}\n", b"nonsense\n", b'{"index": 3, "decisions": [[0]], "costs": [[1]]}\n'],
    ids=["empty", "text", "other"],
)
def test_a_foreign_line_is_refused(tmp_path, line):
    """The sentence counts lines."""
    sample(tmp_path, **SMALL, count=1)
    (tmp_path / "samples.jsonl").write_bytes(line)
    with pytest.raises(FormatError, match=r"line 1 of samples\.jsonl"):
        read_samples(tmp_path)


def test_a_damaged_configuration_is_refused(tmp_path):
    """It names the file."""
    sample(tmp_path, **SMALL, count=1)
    config = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps({**config, "colour": "blue"}))
    with pytest.raises(FormatError, match=r"config\.json"):
        read_samples(tmp_path)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [({"family": "knapsack"}, "family must be one of"), ({"decisions": 1}, "decisions"), ({"size": 0}, "size")],
)
def test_bad_options_are_refused_before_anything_is_written(tmp_path, change, sentence):
    """Nothing is left behind by a refused call."""
    with pytest.raises(InputError, match=sentence):
        sample(tmp_path / "new", **{**SMALL, **change}, count=1)
    assert not (tmp_path / "new").exists()


def test_a_worker_learns_the_family_of_its_parent():
    """Workers do not know families that the parent process registered."""
    family = get_family("selection")
    own = Family("own-selection", type("Own", (nr.Selection,), {"family": "own-selection"}), family.make)
    try:
        assert with_family(own, lambda index: get_family("own-selection").name.encode(), 0) == b"own-selection"
    finally:
        unregister("own-selection")
