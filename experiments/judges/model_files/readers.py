"""
The readers of three engines, and ours: each gives a LinearModel, or None where it refuses the file.

Engines state one model in different ways; these are made the same here. Gurobi turns the range of an MPS row into a
column, and reads a number without a variable in an LP objective as a variable of that name. It writes a constant as
the variable `Constant`, fixed at 1, which others read as such.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy import sparse

from experiments.judges.model_files.builders import gurobi
from neurprise.arrays import INFINITE, Floats
from neurprise.errors import FormatError, InputWarning
from neurprise.io.linear import LinearModel
from neurprise.io.lp import read_lp
from neurprise.io.lp_tokens import is_by_gurobi
from neurprise.io.mps import read_mps
from neurprise.io.records import parse_number, read_text


class NotLinearError(Exception):
    """The file holds a feature that a LinearModel cannot state."""


@dataclass
class Parts:
    """A model before it is put together: bounds, costs and kinds by column, limits and terms by row."""

    columns: list[str]
    costs: list[float]
    lower: list[float]
    upper: list[float]
    integer: list[bool]
    rows: list[tuple[str, float, float, dict[int, float]]]
    offset: float
    maximize: bool

    def model(self) -> LinearModel:
        matrix = np.zeros((len(self.rows), len(self.columns)))
        for i, (_, _, _, terms) in enumerate(self.rows):
            for j, value in terms.items():
                matrix[i, j] = value
        return LinearModel(
            columns=tuple(self.columns),
            rows=tuple(name for name, *_ in self.rows),
            costs=np.array(self.costs, dtype=float),
            matrix=sparse.csr_array(matrix),
            row_lower=np.array([low for _, low, _, _ in self.rows], dtype=float),
            row_upper=np.array([high for _, _, high, _ in self.rows], dtype=float),
            lower=np.array(self.lower, dtype=float),
            upper=np.array(self.upper, dtype=float),
            integer=np.array(self.integer, dtype=bool),
            offset=self.offset,
            maximize=self.maximize,
        )


def read_with_highs(path: Path) -> LinearModel | None:
    import highspy

    highs = highspy.Highs()
    highs.silent()
    highs.setOptionValue("small_matrix_value", 1e-12)
    if highs.readModel(str(path)) == highspy.HighsStatus.kError:
        return None
    lp = highs.getLp()
    kinds = highspy.HighsVarType
    integrality = list(lp.integrality_) or [kinds.kContinuous] * lp.num_col_
    if highs.getModel().hessian_.dim_ or not set(integrality) <= {kinds.kContinuous, kinds.kInteger}:
        raise NotLinearError
    if len(lp.col_names_) != lp.num_col_ or len(lp.row_names_) != lp.num_row_:
        return None  # names that come twice are dropped
    shape = (lp.num_row_, lp.num_col_)
    columns = sparse.csc_array((lp.a_matrix_.value_, lp.a_matrix_.index_, lp.a_matrix_.start_), shape=shape).tocoo()
    terms: list[dict[int, float]] = [{} for _ in range(lp.num_row_)]
    for i, j, value in zip(*columns.coords, columns.data, strict=True):
        terms[i][int(j)] = float(value)
    return Parts(
        columns=list(lp.col_names_),
        costs=list(lp.col_cost_),
        lower=list(lp.col_lower_),
        upper=list(lp.col_upper_),
        integer=[kind == kinds.kInteger for kind in integrality],
        rows=list(zip(lp.row_names_, lp.row_lower_, lp.row_upper_, terms, strict=True)),
        offset=lp.offset_,
        maximize=lp.sense_ == highspy.ObjSense.kMaximize,
    ).model()


def read_with_scip(path: Path) -> LinearModel | None:
    import pyscipopt

    scip = pyscipopt.Model()
    scip.hideOutput()
    try:
        scip.readProblem(str(path))
    except OSError:
        return None
    variables, rows = scip.getVars(), []
    at = {variable.ptr(): j for j, variable in enumerate(variables)}
    for row in scip.getConss():
        if row.getConshdlrName() != "linear":
            raise NotLinearError
        terms: dict[int, float] = {}
        for variable, value in zip(scip.getConsVars(row), scip.getConsVals(row), strict=True):
            terms[at[variable.ptr()]] = terms.get(at[variable.ptr()], 0.0) + value
        rows.append((row.name, scip.getLhs(row), scip.getRhs(row), terms))
    return Parts(
        columns=[variable.name for variable in variables],
        costs=[variable.getObj() for variable in variables],
        lower=[variable.getLbOriginal() for variable in variables],
        upper=[variable.getUbOriginal() for variable in variables],
        integer=[variable.vtype() != "CONTINUOUS" for variable in variables],
        rows=rows,
        offset=scip.getObjoffset(),
        maximize=scip.getObjectiveSense() == "maximize",
    ).model()


def read_with_gurobi(path: Path) -> LinearModel | None:
    import gurobipy

    try:
        source = gurobipy.read(str(path), gurobi())
    except gurobipy.GurobiError:
        return None
    with source:
        if source.IsQP or source.IsQCP or source.NumSOS or source.NumGenConstrs or source.NumPWLObjVars:
            raise NotLinearError
        variables = source.getVars()
        if source.NumObj > 1 or source.NumScenarios or not {v.VType for v in variables} <= set("CIB"):
            raise NotLinearError
        rows = []
        for row in source.getConstrs():
            body = source.getRow(row)
            terms = {body.getVar(k).index: body.getCoeff(k) for k in range(body.size())}
            low, high = -np.inf if row.Sense == "<" else row.RHS, np.inf if row.Sense == ">" else row.RHS
            rows.append((row.ConstrName, low, high, terms))
        parts = Parts(
            columns=[v.VarName for v in variables],
            costs=[v.Obj for v in variables],
            lower=[v.LB for v in variables],
            upper=[v.UB for v in variables],
            integer=[v.VType != "C" for v in variables],
            rows=rows,
            offset=source.ObjCon,
            maximize=source.ModelSense < 0,
        )
    _undo_ranges(parts)
    return _with_constant(parts.model(), path)


def _undo_ranges(parts: Parts) -> None:
    """Rows `body +- MPS_Rgc = side` with 0 <= MPS_Rgc <= width become side and width again."""
    for i, (name, low, high, terms) in enumerate(parts.rows):
        if f"MPS_Rg{name}" not in parts.columns:
            continue
        j = parts.columns.index(f"MPS_Rg{name}")
        width, sign = parts.upper[j], terms.pop(j)
        parts.rows[i] = (name, low - width, high, terms) if sign > 0 else (name, low, high + width, terms)
        parts.columns[j] = ""


def _with_constant(model: LinearModel, path: Path) -> LinearModel:
    """Without columns that are no variables: ranges, and numbers of an objective in files that Gurobi did not write."""
    used = np.asarray(abs(model.matrix).sum(axis=0)).ravel() > 0
    by_gurobi = path.suffix == ".mps" or is_by_gurobi(read_text(path))
    numbers = [None if by_gurobi else parse_number(name) for name in model.columns]
    keep = [bool(name) and (numbers[j] is None or used[j]) for j, name in enumerate(model.columns)]
    offset = model.offset + sum(n * c for n, c, k in zip(numbers, model.costs, keep, strict=True) if n and not k)
    return _only(model, np.array(keep, dtype=bool), offset)


def _only(model: LinearModel, keep: np.ndarray[tuple[int], np.dtype[np.bool_]], offset: float) -> LinearModel:
    return replace(
        model,
        columns=tuple(name for name, kept in zip(model.columns, keep, strict=True) if kept),
        matrix=sparse.csr_array(model.matrix.toarray()[:, keep]),
        offset=float(offset),
        **{name: getattr(model, name)[keep] for name in ("costs", "lower", "upper", "integer")},
    )


def read_with_ours(path: Path) -> LinearModel | str:
    """Our model, or the sentence of our refusal."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InputWarning)
            return read_lp(path) if path.suffix == ".lp" else read_mps(path).model
    except FormatError as error:
        return str(error)


ENGINES: dict[str, Callable[[Path], LinearModel | None]] = {
    "highs": read_with_highs,
    "scip": read_with_scip,
    "gurobi": read_with_gurobi,
}


def canonical(model: LinearModel) -> LinearModel:
    """
    One form for all: infinite from 1e20 on, bounds of integers rounded, no `Constant`, no rows without limits.

    A column that is fixed at a whole number counts as an integer, and an objective without costs has no sense.
    """
    low, high = _limits(model.lower), _limits(model.upper)
    low, high = (np.where(model.integer, rounded(side), side) for rounded, side in ((_ceil, low), (_floor, high)))
    fixed = (low == high) & (np.round(low) == low)
    model = replace(model, lower=low, upper=high, integer=model.integer | fixed, offset=model.offset + 0.0)
    rows = [_limits(model.row_lower), _limits(model.row_upper)]
    limited = ~(np.isneginf(rows[0]) & np.isposinf(rows[1]))
    model = replace(
        model,
        rows=tuple(name for name, kept in zip(model.rows, limited, strict=True) if kept),
        matrix=sparse.csr_array(model.matrix.toarray()[limited]),
        row_lower=rows[0][limited],
        row_upper=rows[1][limited],
    )
    model = _without_constant_variable(model)
    return replace(model, maximize=model.maximize and bool(model.costs.any()))


def _limits(values: Floats) -> Floats:
    return np.where(np.abs(values) >= INFINITE, np.copysign(np.inf, values), values) + 0.0


def _ceil(values: Floats) -> Floats:
    return np.asarray(np.ceil(values - 1e-9)) + 0.0


def _floor(values: Floats) -> Floats:
    return np.asarray(np.floor(values + 1e-9)) + 0.0


def _without_constant_variable(model: LinearModel) -> LinearModel:
    if "Constant" not in model.columns:
        return model
    j = model.columns.index("Constant")
    if (model.lower[j], model.upper[j]) != (1, 1) or model.matrix.toarray()[:, j].any():
        return model
    keep = np.arange(len(model.columns)) != j
    return _only(model, keep, model.offset + model.costs[j])


def difference(ours: LinearModel, theirs: LinearModel, text: str, accuracy: float = 1e-12) -> str:
    """What differs between two canonical models, in a few words; empty where nothing does."""
    if sorted(ours.columns) != sorted(theirs.columns):
        return f"columns {sorted(set(ours.columns) ^ set(theirs.columns))}"
    if ours.maximize != theirs.maximize:
        return "sense"
    order = [theirs.columns.index(name) for name in ours.columns]
    for field in ("costs", "lower", "upper"):
        if not np.allclose(getattr(ours, field), getattr(theirs, field)[order], rtol=accuracy, atol=1e-300):
            return field
    if (ours.integer != theirs.integer[order]).any():
        return "integer"
    if not np.isclose(ours.offset, theirs.offset, rtol=accuracy, atol=1e-9):
        return "offset"
    return _row_difference(ours, theirs, order, text, accuracy)


def _row_difference(ours: LinearModel, theirs: LinearModel, order: list[int], text: str, accuracy: float) -> str:
    if len(ours.rows) != len(theirs.rows):
        return "rows"
    if sorted(ours.rows) == sorted(theirs.rows):
        row_order = [theirs.rows.index(name) for name in ours.rows]
    elif any(name and name in text for name in set(ours.rows) ^ set(theirs.rows)):
        return f"rows {sorted(set(ours.rows) ^ set(theirs.rows))}"
    else:
        row_order = list(range(len(ours.rows)))
    for field in ("row_lower", "row_upper"):
        if not np.allclose(getattr(ours, field), getattr(theirs, field)[row_order], rtol=accuracy, atol=1e-12):
            return field
    matrix = theirs.matrix.toarray()[row_order][:, order]
    return "" if np.allclose(ours.matrix.toarray(), matrix, rtol=accuracy, atol=1e-12) else "matrix"
