"""Models of Gurobi (`gurobipy.Model`); a range row is a range, without the variable that Gurobi adds for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from neurprise.errors import EngineError, InputError, counted
from neurprise.io.linear import LinearModel
from neurprise.io.phantoms import ranges_of_gurobi

#: Attribute -> what it counts; none of these is linear.
_REFUSED = {
    "NumQNZs": "quadratic terms in the objective",
    "NumQConstrs": "quadratic constraints",
    "NumSOS": "special ordered sets",
    "NumGenConstrs": "general or indicator constraints",
    "NumPWLObjVars": "piecewise-linear objectives",
    "NumScenarios": "scenarios of its own",
}
_KINDS = {"S": "semi-continuous", "N": "semi-integer"}


class Reader:
    """Changes that wait for `update` are carried out first."""

    def linear(self, model: Any) -> LinearModel:
        model.update()
        _refuse_what_is_not_linear(model)
        variables, rows = model.getVars(), model.getConstrs()
        kinds = np.array(model.getAttr("VType", variables), dtype="U1")
        senses = np.array(model.getAttr("Sense", rows), dtype="U1")
        sides = np.array(model.getAttr("RHS", rows), dtype=np.float64)
        linear = LinearModel(
            columns=tuple(model.getAttr("VarName", variables)),
            rows=tuple(model.getAttr("ConstrName", rows)),
            costs=np.array(model.getAttr("Obj", variables), dtype=np.float64),
            matrix=sparse.csr_array(model.getA()) if rows else sparse.csr_array((0, len(variables))),
            row_lower=np.where(senses == "<", -np.inf, sides),
            row_upper=np.where(senses == ">", np.inf, sides),
            lower=np.array(model.getAttr("LB", variables), dtype=np.float64),
            upper=np.array(model.getAttr("UB", variables), dtype=np.float64),
            integer=np.isin(kinds, ("B", "I")),
            offset=model.ObjCon,
            maximize=model.ModelSense < 0,
        )
        return ranges_of_gurobi(_within_binary_bounds(linear, kinds))

    def names_of(self, part: Any) -> list[str] | None:
        """A Var or an MVar; tupledicts are taken apart before."""
        if type(part).__name__ == "Var":
            return [part.VarName]
        if type(part).__name__ == "MVar":
            return [variable.VarName for variable in part.reshape(-1).tolist()]
        return None

    def fill(self, model: Any, values: Mapping[str, float]) -> Any:
        """
        Gurobi has values for what it solved only, so it solves the model with every variable fixed.

        The bounds come back with the model's next update; until then `X` can be read.
        """
        model.update()
        variables = [variable for variable in model.getVars() if variable.VarName.strip() in values]
        before = {side: model.getAttr(side, variables) for side in ("LB", "UB")}
        for side in before:
            model.setAttr(side, variables, [values[variable.VarName.strip()] for variable in variables])
        model.optimize()
        for side, bounds in before.items():
            model.setAttr(side, variables, bounds)
        if not model.SolCount:
            raise EngineError(
                f"Gurobi (status {model.Status}) does not take the values for a solution; read them with "
                "problem.named_decision(report.x) and report.recourse(scenario)."
            )
        return model


def _refuse_what_is_not_linear(model: Any) -> None:
    for attribute, what in _REFUSED.items():
        count = getattr(model, attribute)
        if count:
            raise InputError(f"the model has {what} ({count}); only linear models are read.")
    if model.NumObj > 1:
        raise InputError(f"the model has {counted(model.NumObj, 'objective')}; keep one.")
    for variable in model.getVars() if model.IsMIP else ():
        if variable.VType in _KINDS:
            raise InputError(
                f"the variable {variable.VarName!r} is {_KINDS[variable.VType]}; only linear models are read."
            )


def _within_binary_bounds(model: LinearModel, kinds: Any) -> LinearModel:
    """To Gurobi a binary variable stays within 0 and 1, whatever its bounds."""
    lower = np.where(kinds == "B", np.maximum(model.lower, 0.0), model.lower)
    upper = np.where(kinds == "B", np.minimum(model.upper, 1.0), model.upper)
    return replace(model, lower=lower, upper=upper)
