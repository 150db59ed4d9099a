"""Engines and modelling tools that write a model into a file, each by its own means."""

from __future__ import annotations

import contextlib
import io
import os
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from neurprise.io.linear import LinearModel


def _terms(model: LinearModel, row: int) -> list[tuple[int, float]]:
    """Columns and coefficients of a row; a row without any gets a zero on the first column."""
    dense = model.matrix.toarray()[row]
    return [(int(j), float(dense[j])) for j in np.flatnonzero(dense)] or [(0, 0.0)]


def _is_binary(model: LinearModel, j: int) -> bool:
    return bool(model.integer[j] and model.lower[j] >= 0 and model.upper[j] <= 1)


def write_with_highs(model: LinearModel, path: Path) -> None:
    import highspy

    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = len(model.columns), len(model.rows)
    lp.col_cost_, lp.col_lower_, lp.col_upper_ = model.costs, model.lower, model.upper
    lp.row_lower_, lp.row_upper_ = model.row_lower, model.row_upper
    columns = model.matrix.tocsc()
    lp.a_matrix_.start_, lp.a_matrix_.index_, lp.a_matrix_.value_ = columns.indptr, columns.indices, columns.data
    kinds = highspy.HighsVarType
    lp.integrality_ = [kinds.kInteger if whole else kinds.kContinuous for whole in model.integer]
    lp.col_names_, lp.row_names_ = list(model.columns), list(model.rows)
    lp.offset_ = model.offset
    lp.sense_ = highspy.ObjSense.kMaximize if model.maximize else highspy.ObjSense.kMinimize
    highs = highspy.Highs()
    highs.silent()
    _expect_ok(highs.passModel(lp))
    _expect_ok(highs.writeModel(str(path)))


def _expect_ok(status: Any) -> None:
    import highspy

    if status == highspy.HighsStatus.kError:
        raise ValueError("HiGHS does not write this model")


def write_with_scip(model: LinearModel, path: Path) -> None:
    import pyscipopt
    from pyscipopt.scip import ExprCons

    scip = pyscipopt.Model()
    scip.hideOutput()
    infinity = scip.infinity()
    variables = []
    for j, name in enumerate(model.columns):
        kind = "B" if _is_binary(model, j) else "I" if model.integer[j] else "C"
        low, high = (float(np.clip(side[j], -infinity, infinity)) for side in (model.lower, model.upper))
        variables.append(scip.addVar(name, vtype=kind, lb=low, ub=high, obj=float(model.costs[j])))
    for i, name in enumerate(model.rows):
        body = pyscipopt.quicksum(value * variables[j] for j, value in _terms(model, i))
        limits = [float(side[i]) if np.isfinite(side[i]) else None for side in (model.row_lower, model.row_upper)]
        if limits != [None, None]:
            scip.addCons(ExprCons(body, *limits), name=name)
    scip.addObjoffset(model.offset)
    scip.setMaximize() if model.maximize else scip.setMinimize()
    scip.writeProblem(str(path), verbose=False)


@cache
def gurobi() -> Any:
    """One silent environment a process."""
    import gurobipy

    return gurobipy.Env(params={"OutputFlag": 0})


def write_with_gurobi(model: LinearModel, path: Path) -> None:
    import gurobipy

    with gurobipy.Model("drawn", env=gurobi()) as target:
        kinds = ["B" if _is_binary(model, j) else "I" if model.integer[j] else "C" for j in range(len(model.columns))]
        variables = [
            target.addVar(model.lower[j], model.upper[j], model.costs[j], kinds[j], name)
            for j, name in enumerate(model.columns)
        ]
        for i, name in enumerate(model.rows):
            body = gurobipy.LinExpr([(value, variables[j]) for j, value in _terms(model, i)])
            low, high = model.row_lower[i], model.row_upper[i]
            if low == high:
                target.addLConstr(body, "=", low, name)
            elif np.isfinite([low, high]).all():
                target.addRange(body, low, high, name)
            elif np.isfinite(low):
                target.addLConstr(body, ">", low, name)
            else:
                target.addLConstr(body, "<", high, name)
        target.ObjCon, target.ModelSense = model.offset, -1 if model.maximize else 1
        target.update()
        target.write(str(path))


def _one_sided(model: LinearModel) -> Iterator[tuple[int, str, str, float]]:
    """Rows as tools without ranges state them: number, name, sense and side."""
    for i, name in enumerate(model.rows):
        low, high = float(model.row_lower[i]), float(model.row_upper[i])
        if low == high:
            yield i, name, "=", low
            continue
        if np.isfinite(low):
            yield i, name, ">=", low
        if np.isfinite(high):
            yield i, f"{name}_high" if np.isfinite(low) else name, "<=", high


def write_with_pulp(model: LinearModel, path: Path) -> None:
    import pulp

    problem = pulp.LpProblem("drawn", pulp.LpMaximize if model.maximize else pulp.LpMinimize)
    variables = []
    for j, name in enumerate(model.columns):
        low, high = (float(s[j]) if np.isfinite(s[j]) else None for s in (model.lower, model.upper))
        variables.append(pulp.LpVariable(name, low, high, pulp.LpInteger if model.integer[j] else pulp.LpContinuous))
    problem += pulp.lpSum(c * v for c, v in zip(model.costs.tolist(), variables, strict=True)) + model.offset
    for i, name, sense, side in _one_sided(model):
        body = pulp.lpSum(value * variables[j] for j, value in _terms(model, i))
        problem += {"=": body == side, ">=": body >= side, "<=": body <= side}[sense], name
    (problem.writeLP if path.suffix == ".lp" else problem.writeMPS)(str(path))


def write_with_linopy(model: LinearModel, path: Path) -> None:
    import linopy

    target = linopy.Model()
    variables = []
    for j in range(len(model.columns)):
        if _is_binary(model, j) and (model.lower[j], model.upper[j]) == (0, 1):
            variables.append(target.add_variables(binary=True, name=f"v{j}"))
        else:
            whole = bool(model.integer[j])
            variables.append(target.add_variables(model.lower[j], model.upper[j], integer=whole, name=f"v{j}"))
    for i, name, sense, side in _one_sided(model):
        body = sum(value * variables[j] for j, value in _terms(model, i))
        target.add_constraints({"=": body == side, ">=": body >= side, "<=": body <= side}[sense], name=name)
    costs = sum(cost * variable for cost, variable in zip(model.costs.tolist(), variables, strict=True))
    target.add_objective(costs, sense="max" if model.maximize else "min")
    target.to_file(path, progress=False)


def write_with_pyomo(model: LinearModel, path: Path) -> None:
    import pyomo.environ as pyo

    target = pyo.ConcreteModel()
    variables = []
    for j, name in enumerate(model.columns):
        kind = pyo.Binary if _is_binary(model, j) else pyo.Integers if model.integer[j] else pyo.Reals
        limits = tuple(float(s[j]) if np.isfinite(s[j]) else None for s in (model.lower, model.upper))
        variable = pyo.Var(within=kind, bounds=limits)
        target.add_component(name, variable)
        variables.append(variable)
        if limits[0] is not None and limits[0] == limits[1] and j % 2:
            variable.fix(limits[0])
    costs = sum(c * v for c, v in zip(model.costs.tolist(), variables, strict=True)) + model.offset
    target.add_component("objective", pyo.Objective(expr=costs, sense=pyo.maximize if model.maximize else pyo.minimize))
    for i, name in enumerate(model.rows):
        body = sum(value * variables[j] for j, value in _terms(model, i))
        low, high = (float(s[i]) if np.isfinite(s[i]) else None for s in (model.row_lower, model.row_upper))
        if (low, high) != (None, None):
            target.add_component(f"row {name}", pyo.Constraint(expr=pyo.inequality(low, body, high)))
    target.write(str(path), io_options={"symbolic_solver_labels": True})


WRITERS: dict[str, Callable[[LinearModel, Path], None]] = {
    "highs": write_with_highs,
    "scip": write_with_scip,
    "gurobi": write_with_gurobi,
    "pulp": write_with_pulp,
    "linopy": write_with_linopy,
    "pyomo": write_with_pyomo,
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
