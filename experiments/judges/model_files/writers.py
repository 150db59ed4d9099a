"""Engines, modelling tools and ours, which write a model into a file, each by its own means."""

from __future__ import annotations

import contextlib
import io
import os
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

from experiments.judges.model_files.builders import (
    build_gurobi,
    build_highs,
    build_linopy,
    build_pulp,
    build_pyomo,
    build_scip,
)
from neurprise.io.linear import LinearModel
from neurprise.io.mps_writer import mps_text


def write_with_highs(model: LinearModel, path: Path) -> None:
    import highspy

    if build_highs(model).writeModel(str(path)) == highspy.HighsStatus.kError:
        raise ValueError("HiGHS does not write this model")


def write_with_scip(model: LinearModel, path: Path) -> None:
    build_scip(model).writeProblem(str(path), verbose=False)


def write_with_gurobi(model: LinearModel, path: Path) -> None:
    with build_gurobi(model) as target:
        target.write(str(path))


def write_with_pulp(model: LinearModel, path: Path) -> None:
    problem = build_pulp(model)
    (problem.writeLP if path.suffix == ".lp" else problem.writeMPS)(str(path))


def write_with_linopy(model: LinearModel, path: Path) -> None:
    build_linopy(model).to_file(path, progress=False)


def write_with_pyomo(model: LinearModel, path: Path) -> None:
    build_pyomo(model, row_prefix="row ").write(str(path), io_options={"symbolic_solver_labels": True})


def write_with_ours(model: LinearModel, path: Path) -> None:
    if path.suffix != ".mps":
        raise ValueError("only MPS files are written here")
    path.write_text(mps_text(model), encoding="utf-8")


WRITERS: dict[str, Callable[[LinearModel, Path], None]] = {
    "highs": write_with_highs,
    "scip": write_with_scip,
    "gurobi": write_with_gurobi,
    "pulp": write_with_pulp,
    "linopy": write_with_linopy,
    "pyomo": write_with_pyomo,
    "ours": write_with_ours,
}


def written(writer: str, model: LinearModel, path: Path) -> bool:
    """Write the file; False where the tool refuses the model or its names."""
    path.unlink(missing_ok=True)
    try:
        with silence(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            WRITERS[writer](model, path)
    except Exception:
        return False
    return path.is_file()


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Engines print to the process's own standard output and error; nothing is shown in the block."""
    kept = os.dup(1), os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            os.dup2(nowhere, 1)
            os.dup2(nowhere, 2)
            yield
    finally:
        os.dup2(kept[0], 1)
        os.dup2(kept[1], 2)
        for handle in (*kept, nowhere):
            os.close(handle)
