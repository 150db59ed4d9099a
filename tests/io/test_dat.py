"""The .dat format of two-stage selection."""

import numpy as np
import pytest

import neurprise as nr
from neurprise.io import read, write

TEXT = "3;2;2\n1;2;3\n4;5;6.5\n7;8;9\n"


def test_reads_sizes_costs_and_scenarios(tmp_path):
    """n;p;N, first-stage costs, one line per scenario."""
    path = tmp_path / "sel.dat"
    path.write_text(TEXT)
    problem = read(path)
    assert isinstance(problem, nr.Selection)
    assert problem.num_select == 2
    assert problem.first_stage.costs.tolist() == [1, 2, 3]
    assert problem.scenario_costs.tolist() == [[4, 5, 6.5], [7, 8, 9]]


def test_what_is_written_is_read_back(tmp_path):
    """Numbers exactly; the file itself as other programs write it."""
    path = tmp_path / "sel.dat"
    path.write_text(TEXT)
    problem = read(path)
    problem.write(tmp_path / "copy.dat")
    assert (tmp_path / "copy.dat").read_text() == TEXT
    awkward = nr.Selection([0.1, 1e-300], [[1 / 3, 2e14]], 1)
    awkward.write(tmp_path / "awkward.dat")
    assert np.array_equal(read(tmp_path / "awkward.dat").scenario_costs, awkward.scenario_costs)


def test_other_families_are_not_written(tmp_path):
    """The format has no place for edges."""
    with pytest.raises(nr.InputError, match="hold selection problems only, got 'vertex-cover'"):
        write(nr.make_vertex_cover(5, 2, seed=0), tmp_path / "vc.dat")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "is empty"),
        ("10\n0.3\n", "line 1: expected 'n;p;N'"),
        (TEXT + "1;2;3\n", "announces 2 scenarios, so 4 lines are expected, got 5"),
        ("3;2;2\n1;2;3\n4;5;6\n", "got 3; the file may be cut off"),
        (TEXT.replace("8;", ""), "line 4: expected 3 costs, got 2 words"),
        (TEXT.replace("8", "nan"), "line 4: expected 3 costs"),
        (TEXT.replace("3;2;2", "3;4;2"), "num_select must be a whole number between 0 and 3"),
        ("3;2;0\n1;2;3\n", "at least one row"),
        (TEXT.replace("8", "inf"), "must be finite"),
        ("9999999999999;1;1\n1\n1\n", "line 1: expected"),
    ],
)
def test_faults_are_named(tmp_path, text, sentence):
    """One fault each."""
    path = tmp_path / "bad.dat"
    path.write_text(text)
    with pytest.raises(nr.InputError, match=sentence):
        read(path)
