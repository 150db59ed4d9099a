"""LP and MPS files of other tools. `python -m experiments run files --count 3000` runs many more."""

from contextlib import closing

import numpy as np
import pytest
from scipy import sparse

from experiments.judges.files import judge_file, main, run
from experiments.judges.model_files.drawing import draw_model
from experiments.judges.model_files.isolation import EngineReaders
from experiments.judges.model_files.readers import canonical, difference, read_with_ours
from experiments.judges.model_files.writers import WRITERS, written
from neurprise.io.linear import LinearModel

for tool in ("pyscipopt", "gurobipy", "pulp", "linopy", "pyomo"):
    pytest.importorskip(tool, reason="the judge needs all tools that write files")

#: x and y are binaries that are fixed, z is free to choose, s is continuous, q is an integer that occurs in no row.
FIXED = LinearModel(
    columns=("x", "y", "z", "s", "q"),
    rows=("c1", "c2"),
    costs=np.array([1.0, 2, 5, 10, 0]),
    matrix=sparse.csr_array(np.array([[1.0, 1, 1, 1, 0], [0, 0, -1, 1, 0]])),
    row_lower=np.array([2.0, 0]),
    row_upper=np.array([np.inf, np.inf]),
    lower=np.array([0.0, 0, 0, 0, 0]),
    upper=np.array([0.0, 0, 1, np.inf, np.inf]),
    integer=np.array([True, True, True, False, True]),
)


@pytest.fixture(scope="module")
def readers():
    """The engines' readers, in a process of their own."""
    with closing(EngineReaders()) as engines:
        yield engines


def test_every_tool_s_files_are_read_as_engines_read_them(capsys):
    """Or refused with a sentence."""
    rows, notes = run(range(12), list(WRITERS))
    assert notes == []
    assert rows[-1]["equal"] > 100


def test_damaged_files_are_read_as_engines_read_them():
    """Random edits find what engines read differently; then we refuse."""
    rows, notes = run(range(6), ["highs", "scip", "gurobi"], damage=True)
    assert notes == []
    assert rows[-1]["refused"] + rows[-1]["alone"] > 10


@pytest.mark.parametrize("suffix", ["lp", "mps"])
@pytest.mark.parametrize("writer", ["highs", "scip", "gurobi"])
def test_engines_write_fixed_binaries_and_we_read_them(tmp_path, readers, writer, suffix):
    """Whether as bounds before or after Binaries, FX before BV, or between markers; so with an integer in no row."""
    path = tmp_path / f"model.{suffix}"
    assert written(writer, FIXED, path)
    assert not difference(canonical(read_with_ours(path)), canonical(FIXED), path.read_text())
    assert judge_file(path, readers, FIXED)[0] == ["equal"]


def test_a_file_that_engines_read_differently_must_be_refused(tmp_path, readers, monkeypatch):
    """The judge finds the fault of a reader that takes a side."""
    path = tmp_path / "model.lp"
    path.write_text("Minimize\n obj: x + 2left\nSubject To\n c1: x + left >= 2\nEnd\n")
    assert judge_file(path, readers)[0] == ["refused"]
    taken = tmp_path / "taken.lp"
    taken.write_text("Minimize\n obj: x + 2 left\nSubject To\n c1: x + left >= 2\nEnd\n")
    monkeypatch.setattr("experiments.judges.files.read_with_ours", lambda path: read_with_ours(taken))
    assert judge_file(path, readers) == (["wrong"], "gurobi reads otherwise: columns ['2left']")


def test_a_reader_that_ends_its_process_has_refused_the_file(tmp_path, readers):
    """SCIP's does on this one; the next file is read as if nothing had happened."""
    path = tmp_path / "model.mps"
    path.write_text("NAME t\nROWS\n N o\n N $x\n G c\nCOLUMNS\n x o 1 c 1\nRHS\n R c 2\nENDATA\n")
    assert set(readers.read(path)) <= {"highs", "gurobi"}
    assert written("scip", draw_model(4), path)
    assert set(readers.read(path)) == {"highs", "gurobi", "scip"}


def test_the_command_prints_a_table(capsys):
    """One row for each tool and format, and one for all."""
    assert main(["--count", "1", "--writer", "pulp", "--no-save"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()[3:]] == ["pulp", "pulp", "all"]
