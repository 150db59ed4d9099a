"""A LinearModel stated in each modelling tool, as its users state models."""

from __future__ import annotations

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


def _limit(value: float) -> float | None:
    """A limit as PuLP and Pyomo have it: None where there is none."""
    return float(value) if np.isfinite(value) else None


def one_sided(model: LinearModel) -> Iterator[tuple[int, str, str, float]]:
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


def build_highs(model: LinearModel) -> Any:
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
    if highs.passModel(lp) == highspy.HighsStatus.kError:
        raise ValueError("HiGHS does not take this model")
    return highs


def build_scip(model: LinearModel) -> Any:
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
        limits = [_limit(side[i]) for side in (model.row_lower, model.row_upper)]
        if limits != [None, None]:
            scip.addCons(ExprCons(body, *limits), name=name)
    scip.addObjoffset(model.offset)
    scip.setMaximize() if model.maximize else scip.setMinimize()
    return scip


@cache
def gurobi() -> Any:
    """One silent environment a process."""
    import gurobipy

    return gurobipy.Env(params={"OutputFlag": 0})


def build_gurobi(model: LinearModel) -> Any:
    import gurobipy

    target = gurobipy.Model("drawn", env=gurobi())
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
    return target


def build_pulp(model: LinearModel) -> Any:
    import pulp

    problem = pulp.LpProblem("drawn", pulp.LpMaximize if model.maximize else pulp.LpMinimize)
    variables = []
    for j, name in enumerate(model.columns):
        low, high = (_limit(side[j]) for side in (model.lower, model.upper))
        variables.append(
            problem.add_variable(name, low, high, pulp.LpInteger if model.integer[j] else pulp.LpContinuous)
        )
    problem += pulp.lpSum(c * v for c, v in zip(model.costs.tolist(), variables, strict=True)) + model.offset
    for i, name, sense, side in one_sided(model):
        body = pulp.lpSum(value * variables[j] for j, value in _terms(model, i))
        problem += {"=": body == side, ">=": body >= side, "<=": body <= side}[sense], name
    return problem


def build_linopy(model: LinearModel, names: tuple[str, ...] = ()) -> Any:
    """Called v0, v1, ... unless names are given; linopy has no objective constants, so it is left out."""
    import linopy

    target, variables = linopy.Model(), []
    for j in range(len(model.columns)):
        name = names[j] if names else f"v{j}"
        if _is_binary(model, j) and (model.lower[j], model.upper[j]) == (0, 1):
            variables.append(target.add_variables(binary=True, name=name))
        else:
            whole = bool(model.integer[j])
            variables.append(target.add_variables(model.lower[j], model.upper[j], integer=whole, name=name))
    for i, name, sense, side in one_sided(model):
        body = sum(value * variables[j] for j, value in _terms(model, i))
        target.add_constraints({"=": body == side, ">=": body >= side, "<=": body <= side}[sense], name=name)
    costs = sum(cost * variable for cost, variable in zip(model.costs.tolist(), variables, strict=True))
    target.add_objective(costs, sense="max" if model.maximize else "min")
    return target


def build_pyomo(model: LinearModel, row_prefix: str = "", fix: bool = True) -> Any:
    """Variables that are fixed at one value are so by their bounds, every second one by Pyomo's `fix`."""
    import pyomo.environ as pyo

    target = pyo.ConcreteModel()
    variables = []
    for j, name in enumerate(model.columns):
        kind = pyo.Binary if _is_binary(model, j) else pyo.Integers if model.integer[j] else pyo.Reals
        limits = tuple(_limit(side[j]) for side in (model.lower, model.upper))
        variable = pyo.Var(within=kind, bounds=limits)
        target.add_component(name, variable)
        variables.append(variable)
        if fix and limits[0] is not None and limits[0] == limits[1] and j % 2:
            variable.fix(limits[0])
    costs = sum(c * v for c, v in zip(model.costs.tolist(), variables, strict=True)) + model.offset
    target.add_component("objective", pyo.Objective(expr=costs, sense=pyo.maximize if model.maximize else pyo.minimize))
    for i, name in enumerate(model.rows):
        body = sum(value * variables[j] for j, value in _terms(model, i))
        low, high = (_limit(side[i]) for side in (model.row_lower, model.row_upper))
        if (low, high) != (None, None):
            constraint = pyo.Constraint(expr=pyo.inequality(low, body, high))
            target.add_component(f"{row_prefix}{name}", constraint)
    return target


def build_scipy(model: LinearModel) -> Any:
    """The arguments of `milp`, which has neither names nor constants, and minimises."""
    from scipy.optimize import Bounds, LinearConstraint

    rows = LinearConstraint(model.matrix, model.row_lower, model.row_upper)
    sign = -1.0 if model.maximize else 1.0
    return sign * model.costs, rows, Bounds(model.lower, model.upper), model.integer.astype(int)


def file_builder(
    folder: Path, suffix: str, write: Callable[[LinearModel, Path], None]
) -> Callable[[LinearModel], Path]:
    """Models as files of one folder, each under a number of its own."""

    def build(model: LinearModel) -> Path:
        path = folder / f"{len(list(folder.iterdir()))}{suffix}"
        write(model, path)
        return path

    return build
