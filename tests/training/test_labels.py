"""Labels: reproducible, resumable, checked when read."""

import json

import pytest

from neurprise.errors import FormatError, InputError
from neurprise.reducers.prise import PRISE
from neurprise.training.labels import LabelConfig, label, read_labels
from neurprise.training.origins import instance_seed

SMALL = {"family": "selection", "size": 6, "scenarios": 5, "budget": 4}


def lines(folder):
    return (folder / "labels.jsonl").read_bytes()


def test_a_label_is_the_prise_trace_of_its_instance(tmp_path):
    """Instances are drawn anew from their numbers; the stored trace is that of PRISE."""
    labels = label(tmp_path, count=3, seed=5, **SMALL)
    for stored in labels.labels:
        trace = PRISE().reduce(labels.config.problem(stored.index), 4)
        assert (stored.indices, stored.gains) == (trace.indices, trace.gains)


def test_the_optimum_is_never_below_the_value_of_the_trace(tmp_path):
    """V(R) <= V(all), and the exact search's trace reaches V(all)."""
    for stored in label(tmp_path, count=4, **SMALL).labels:
        assert stored.objective <= stored.optimum + 1e-6
        assert stored.ccg


def test_without_exact_no_optimum_is_stored(tmp_path):
    """The exact answer is optional."""
    stored = label(tmp_path, count=1, exact=False, **SMALL).labels[0]
    assert stored.optimum is None
    assert stored.ccg is None


def test_a_budget_of_zero_stores_optima_only(tmp_path):
    """Test sets need no PRISE trace."""
    stored = label(tmp_path, count=1, **{**SMALL, "budget": 0}).labels[0]
    assert stored.indices == ()
    assert stored.optimum > 0


def test_two_jobs_write_the_same_bytes_as_one(tmp_path):
    """The file does not depend on the number of processes."""
    label(tmp_path / "one", count=4, **SMALL)
    label(tmp_path / "two", count=4, jobs=2, **SMALL)
    assert lines(tmp_path / "one") == lines(tmp_path / "two")


def test_a_killed_run_resumes_with_nothing_lost_or_doubled(tmp_path):
    """What a kill leaves of the last line is cut off, and labelling goes on there."""
    label(tmp_path / "whole", count=4, **SMALL)
    label(tmp_path / "cut", count=3, **SMALL)
    path = tmp_path / "cut" / "labels.jsonl"
    path.write_bytes(path.read_bytes()[:-20])
    label(tmp_path / "cut", count=4, **SMALL)
    assert lines(tmp_path / "cut") == lines(tmp_path / "whole")


def test_reading_ignores_an_unfinished_last_line(tmp_path):
    """A directory can be read while it is being written."""
    label(tmp_path, count=2, **SMALL)
    with (tmp_path / "labels.jsonl").open("ab") as file:
        file.write(b'{"index": 2, "ind')
    assert len(read_labels(tmp_path)) == 2


def test_other_options_need_another_directory(tmp_path):
    """Labels of different instances never mix."""
    label(tmp_path, count=1, **SMALL)
    with pytest.raises(InputError, match="choose another directory"):
        label(tmp_path, count=1, **{**SMALL, "scenarios": 6})


@pytest.mark.parametrize("broken", ["not json", '{"index": 7}', json.dumps({"index": 0, "indices": [99]})])
def test_a_foreign_line_is_refused(tmp_path, broken):
    """A line that is no label of this directory is named by its number."""
    label(tmp_path, count=1, **SMALL)
    (tmp_path / "labels.jsonl").write_text(broken + "\n")
    with pytest.raises(FormatError, match="line 1"):
        read_labels(tmp_path)


def test_a_directory_without_labels_is_refused(tmp_path):
    """The sentence says how to make labels."""
    with pytest.raises(FormatError, match="neurprise label"):
        read_labels(tmp_path)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"family": "knapsack"}, "family must be"),
        ({"size": 0}, "size must be"),
        ({"size": (5, 5)}, "the size of 'selection' must be one number \\(num_items\\), got 5 x 5"),
        ({"count": 0}, "count must be"),
        ({"distribution": "cauchy"}, "distribution must be"),
    ],
)
def test_bad_options_are_refused_before_anything_is_written(tmp_path, change, sentence):
    """Nothing is left behind by a refused call."""
    with pytest.raises(InputError, match=sentence):
        label(tmp_path / "new", **{"count": 1, **SMALL, **change})
    assert not (tmp_path / "new").exists()


def test_an_instance_depends_on_its_number_only():
    """Seeds of instances differ from each other and from those of another run."""
    assert len({instance_seed(seed, index) for seed in range(5) for index in range(50)}) == 250


def test_one_size_serves_for_all():
    """One number means as many customers as facilities."""
    assert LabelConfig("facility-location", (5,), 2).problem(0).transport_costs.shape == (5, 5)
    assert LabelConfig("facility-location", (6, 4), 2).problem(0).transport_costs.shape == (6, 4)
