"""SCIP and Gurobi called directly, without the package's wrappers, at tolerances tighter than the package's."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import gurobipy
import numpy as np
import pyscipopt

from experiments.judges.oracles.program import Program
from neurprise.arrays import Floats

TOLERANCE = 1e-9
#: SCIP's linear programs cannot be solved more tightly than a thousandth of this.
SCIP_TOLERANCE = 1e-7
#: Seconds; the programs are tiny, so an engine that needs longer is lost in it.
PATIENCE = 5.0


@dataclass(frozen=True)
class Answer:
    """
    What an engine says about a program whose cost cannot fall without limit.

    Parameters
    ----------
    value
        The least cost, inf if infeasible; nan where the engine gave no clear answer.
    point
        Where it is attained, shape (columns,); None without one.
    """

    value: float
    point: Floats | None = None


def gurobi(program: Program) -> Answer:
    """Gurobi's answer."""
    with gurobipy.Model(env=_gurobi_environment()) as model:
        columns: Any = model.addMVar(
            len(program.costs),
            lb=program.lower,
            ub=program.upper,
            obj=program.costs,
            vtype=np.where(program.integer, "I", "C"),
        )
        for limits, sense in ((program.row_lower, ">"), (program.row_upper, "<")):
            rows = np.flatnonzero(np.isfinite(limits))
            if len(rows):
                model.addMConstr(program.matrix[rows], columns, np.full(len(rows), sense), limits[rows])
        model.optimize()
        if model.Status == gurobipy.GRB.OPTIMAL:
            return Answer(model.ObjVal + program.offset, np.array(columns.X))
        infeasible = model.Status in (gurobipy.GRB.INFEASIBLE, gurobipy.GRB.INF_OR_UNBD)
        return Answer(math.inf if infeasible else math.nan)


def new_scip(patience: float) -> Any:
    """An empty model that stops after so many seconds."""
    model = pyscipopt.Model()
    model.hideOutput()
    model.setParams({"limits/time": patience, "numerics/feastol": SCIP_TOLERANCE})
    return model


def scip(program: Program) -> Answer:
    """SCIP's answer."""
    model = new_scip(PATIENCE)
    columns = [
        model.addVar(lb=low, ub=high, obj=cost, vtype="I" if whole else "C")
        for low, high, cost, whole in zip(
            _or_none(program.lower), _or_none(program.upper), program.costs.tolist(), program.integer, strict=True
        )
    ]
    nothing = 0.0 * model.addVar(lb=0, ub=0)  # SCIP has no rows without variables
    limits = zip(_or_none(program.row_lower), _or_none(program.row_upper), strict=True)
    for entries, (low, high) in zip(program.matrix.tolist(), limits, strict=True):
        if low is not None or high is not None:
            terms = (entry * columns[k] for k, entry in enumerate(entries) if entry)
            model.addCons(pyscipopt.ExprCons(pyscipopt.quicksum(terms) + nothing, lhs=low, rhs=high))
    return answer_of(model, columns, program.offset)


def answer_of(model: Any, columns: list[Any], offset: float) -> Answer:
    """Solve with SCIP; the point has the values of these columns."""
    try:
        model.optimize()
    except Exception:  # pyscipopt raises nothing more special, e.g. for "error in LP solver"
        return Answer(math.nan)
    if model.getStatus() == "optimal":
        return Answer(model.getObjVal() + offset, np.array([model.getVal(column) for column in columns]))
    return Answer(math.inf if model.getStatus() in ("infeasible", "inforunbd") else math.nan)


def _or_none(limits: Floats) -> list[float | None]:
    return [limit if math.isfinite(limit) else None for limit in limits.tolist()]


@cache
def _gurobi_environment() -> gurobipy.Env:
    parameters = {"FeasibilityTol": TOLERANCE, "IntFeasTol": TOLERANCE, "OptimalityTol": TOLERANCE, "MIPGap": 0.0}
    limits = {"Threads": 1, "TimeLimit": PATIENCE, "DualReductions": 0}
    return gurobipy.Env(params={"OutputFlag": 0, **parameters, **limits})
