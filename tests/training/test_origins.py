"""Labels of users' problems: problems, a folder of files, a function of a seed."""

import json

import pytest

import neurprise as nr
from neurprise.cli import main
from neurprise.errors import InputError
from neurprise.reducers.prise import PRISE
from neurprise.training.labels import label_problems, read_labels

FUNCTION = "experiments.classes.inventory_network:draw"


@pytest.fixture
def lorries():
    """A problem of no family with 12 scenarios."""
    return nr.TwoStageProblem.from_matrices(
        [3.0, 4.0],
        None,
        None,
        [[1, 0], [0, 1]],
        [0, 0],
        [[2, 0], [0, 2]],
        [[-1, 0], [0, -1]],
        [[s % 5, (7 * s) % 11] for s in range(12)],
        [5.0, 6.0],
        x_integer=True,
        y_integer=False,
        x_upper=9,
    )


def test_a_label_of_a_drawn_subset_is_its_prise_trace(tmp_path, lorries):
    """Instances keep some scenarios of a stored problem, drawn from their number."""
    labels = label_problems([lorries], tmp_path, scenarios=6, count=4, budget=3)
    for stored in labels.labels:
        problem = labels.config.problem(stored.index)
        assert problem.num_scenarios == stored.num_scenarios == 6
        assert stored.indices == PRISE().reduce(problem, 3).indices
    assert len({tuple(labels.config.problem(k).scenario_data.ravel()) for k in range(4)}) == 4


def test_each_problem_is_labelled_once_without_a_count(tmp_path, lorries):
    """Problems of several families and sizes form one set, and are read back unchanged."""
    problems = [lorries, nr.make_selection(4, 3, 0), nr.make_vertex_cover(5, 4, 0)]
    labels = label_problems(problems, tmp_path)
    assert [read_labels(tmp_path).config.problem(k) == problem for k, problem in enumerate(problems)] == [True] * 3
    assert [stored.num_scenarios for stored in labels.labels] == [12, 3, 4]


def test_a_folder_of_files_is_labelled_from_the_command_line(tmp_path, lorries, capsys):
    """The files are not needed again."""
    (tmp_path / "mine").mkdir()
    lorries.write(tmp_path / "mine" / "lorries.npz")
    argv = ["label", str(tmp_path / "labels"), "--from", str(tmp_path / "mine"), "--scenarios", "5", "--count", "3"]
    assert main([*argv, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["count"], data["origin"], data["problems"], data["scenarios"]) == (3, "instances", 1, 5)
    (tmp_path / "mine" / "lorries.npz").unlink()
    assert read_labels(tmp_path / "labels").config.problem(2).num_scenarios == 5


def test_a_function_of_a_seed_is_labelled_and_resumed(tmp_path):
    """What a second command adds is what one command would have written."""
    whole = label_problems(FUNCTION, tmp_path / "whole", count=3, budget=2)
    for count in (1, 3):
        parts = label_problems(FUNCTION, tmp_path / "parts", count=count, budget=2)
    assert whole.labels == parts.labels


def test_other_problems_need_another_directory(tmp_path, lorries):
    """Labels of different problems never mix."""
    label_problems([lorries], tmp_path, budget=1)
    with pytest.raises(InputError, match="holds labels of other problems"):
        label_problems([nr.make_selection(4, 3, 0)], tmp_path, budget=1)


@pytest.mark.parametrize(
    ("origin", "options", "sentence"),
    [
        ("no-such-folder", {}, "neither a folder of problem files nor a function"),
        ("no_such_module:draw", {"count": 1}, "names no function of a seed"),
        ("experiments.classes.path:nothing", {"count": 1}, "names no function of a seed"),
        ("experiments.classes:CLASSES", {"count": 1}, "must be a function of a seed"),
        ("math:sqrt", {"count": 1}, "must return a TwoStageProblem"),
        (FUNCTION, {}, "need a count"),
        (FUNCTION, {"count": 1, "scenarios": 3}, "determines its own number of scenarios; leave scenarios out"),
        ([], {}, "at least one problem"),
        ([3], {}, "TwoStageProblem objects, got 3"),
    ],
)
def test_what_cannot_be_labelled_is_refused(tmp_path, origin, options, sentence):
    """Each sentence says what must be given instead."""
    with pytest.raises(InputError, match=sentence):
        label_problems(origin, tmp_path / "new", **options)
    assert not (tmp_path / "new").exists()


def test_more_instances_than_problems_need_a_draw(tmp_path, lorries):
    """Otherwise the same instance would be labelled again and again."""
    with pytest.raises(InputError, match="say how many scenarios"):
        label_problems([lorries], tmp_path, count=5)


def test_an_empty_folder_is_refused(tmp_path, capsys):
    """Exit code 2, and what files would be read."""
    assert main(["label", str(tmp_path / "labels"), "--from", str(tmp_path)]) == 2
    assert "holds no problem; files end in .npz" in capsys.readouterr().err


@pytest.mark.parametrize("given", [["--family", "selection"], ["--size", "5"], ["--distribution", "normal"]])
def test_options_of_families_are_refused_beside_from(tmp_path, given, capsys):
    """The instances come from a family or from --from, not from both."""
    assert main(["label", str(tmp_path / "labels"), "--from", FUNCTION, "--count", "1", *given]) == 2
    assert "belongs to a family" in capsys.readouterr().err


def test_the_exact_trace_of_a_small_problem_holds_few_scenarios(tmp_path, lorries):
    """It begins with one scenario and adds what hurts, even if solving all of them together would be faster."""
    (stored,) = label_problems([lorries], tmp_path, budget=2).labels
    assert stored.optimum == pytest.approx(nr.solve(lorries).worst_case)
    assert len(stored.ccg) < lorries.num_scenarios / 2
