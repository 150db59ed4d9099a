"""Modelling tools by name: how each states a model, solves it by itself, and shows the values that were put into it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from experiments.judges.model_files import builders
from experiments.judges.model_files.scenarios import FILE_NAMES, TOOL_NAMES, Scenarios
from experiments.judges.model_files.writers import write_with_gurobi, write_with_highs
from neurprise.io.linear import LinearModel
from neurprise.io.model_files import read_model

TOOLS = ("highspy", "gurobipy", "pulp", "pyomo", "linopy", "scipy", "lp", "mps")
#: What an engine says of a model without an optimum; some cannot tell which of the two it is.
_WORDS = {"infeasible": "infeasible", "unbounded": "unbounded", "unknown": "infeasible or unbounded"}
Value = float | str


@dataclass(frozen=True)
class Tool:
    """One tool; `solve` gives a value or why there is none, `show` the objective of a model with values."""

    build: Callable[[LinearModel], Any]
    solve: Callable[[Any], Value]
    show: Callable[[Any], float]
    keeps_constants: bool = True
    odd_names: Sequence[str] = TOOL_NAMES
    name: Callable[[str, int], Any] = lambda name, _: name

    def name_of(self, column: int, drawn: Scenarios) -> Any:
        """What `first_stage` calls the column in this tool."""
        return self.name(next(iter(drawn.models.values())).columns[column], column)

    def value(self, problem: Any, model: Any, scenario: str, x: Any) -> float:
        """The objective of the tool's own model with the decision and its best recourse put into it."""
        return self.show((model, problem.load(x, scenario)))


def tools(folder: Path) -> dict[str, Tool]:
    """All of `TOOLS`; models of LP and MPS files are written into the folder."""
    lp = builders.file_builder(folder, ".lp", write_with_gurobi)
    mps = builders.file_builder(folder, ".mps", write_with_highs)
    return {
        "highspy": Tool(builders.build_highs, _solve_highs, _show_highs),
        "gurobipy": Tool(builders.build_gurobi, _solve_gurobi, lambda pair: pair[1].ObjVal),
        "pulp": Tool(builders.build_pulp, _solve_pulp, lambda pair: pair[1].objective.value(), name=_pulp_name),
        "pyomo": Tool(builders.build_pyomo, _solve_pyomo, _show_pyomo, name=_pyomo_name),
        "linopy": Tool(_build_linopy, _solve_linopy, lambda pair: pair[1].objective.value, keeps_constants=False),
        "scipy": Tool(_build_scipy, _solve_scipy, _show_scipy, keeps_constants=False, name=lambda _, j: j),
        "lp": Tool(lp, _solve_file_by_gurobi, _show_file, odd_names=FILE_NAMES),
        "mps": Tool(mps, _solve_file_by_highs, _show_file, odd_names=FILE_NAMES),
    }


def _solve_highs(model: Any) -> Value:
    model.run()
    status = model.getModelStatus().name
    if status == "kOptimal":
        return float(model.getInfo().objective_function_value)
    return {"kInfeasible": "infeasible", "kUnbounded": "unbounded"}.get(status, _WORDS["unknown"])


def _show_highs(pair: tuple[Any, Any]) -> float:
    lp = pair[1].getLp()
    return float(np.dot(lp.col_cost_, pair[1].getSolution().col_value) + lp.offset_)


def _solve_gurobi(model: Any) -> Value:
    model.Params.MIPGap = 0
    model.optimize()
    if model.Status == 2:
        return float(model.ObjVal)
    return {3: "infeasible", 5: "unbounded"}.get(model.Status, _WORDS["unknown"])


def _pulp_name(name: str, _: int) -> str:
    import pulp

    return str(pulp.LpProblem().add_variable(name).name)


def _solve_pulp(model: Any) -> Value:
    import pulp

    model.solve(pulp.HiGHS(msg=False, gapRel=0))
    words = {pulp.LpStatusInfeasible: "infeasible", pulp.LpStatusUnbounded: "unbounded"}
    if model.status == pulp.LpStatusOptimal:
        return float(pulp.value(model.objective))
    return words.get(model.status, _WORDS["unknown"])


def _pyomo_name(name: str, _: int) -> str:
    """Pyomo puts some names into quotes."""
    import pyomo.environ as pyo

    model, variable = pyo.ConcreteModel(), pyo.Var()
    model.add_component(name, variable)
    return str(variable.name)


def _solve_pyomo(model: Any) -> Value:
    from pyomo.contrib.appsi.solvers import Highs

    solver = Highs()
    solver.config.load_solution = False
    solver.highs_options = {"mip_rel_gap": 0.0}
    result = solver.solve(model)
    condition = result.termination_condition.name
    if condition == "optimal":
        return float(result.best_feasible_objective)
    return {"infeasible": "infeasible", "unbounded": "unbounded"}.get(condition, _WORDS["unknown"])


def _show_pyomo(pair: tuple[Any, Any]) -> float:
    import pyomo.environ as pyo

    return float(pyo.value(next(pair[1].component_data_objects(pyo.Objective, active=True))))


def _build_linopy(model: LinearModel) -> Any:
    return builders.build_linopy(model, model.columns)


def _solve_linopy(model: Any) -> Value:
    _, condition = model.solve("highs", mip_rel_gap=0.0, progress=False)
    if condition == "optimal":
        return float(model.objective.value)
    return condition if condition in _WORDS else _WORDS["unknown"]


def _build_scipy(model: LinearModel) -> Any:
    return builders.build_scipy(model)


def _solve_scipy(model: tuple[Any, ...]) -> Value:
    from scipy.optimize import milp

    costs, constraints, bounds, integrality = model
    result = milp(costs, constraints=constraints, bounds=bounds, integrality=integrality, options={"mip_rel_gap": 0.0})
    if result.status == 0:
        return float(result.fun)
    return {2: "infeasible", 3: "unbounded"}.get(result.status, _WORDS["unknown"])


def _show_scipy(pair: tuple[Any, Any]) -> float:
    return float(pair[0][0] @ pair[1])


def _solve_file_by_gurobi(path: Path) -> Value:
    import gurobipy

    with gurobipy.read(str(path), builders.gurobi()) as model:
        return _solve_gurobi(model)


def _solve_file_by_highs(path: Path) -> Value:
    import highspy

    highs = highspy.Highs()
    highs.silent()
    highs.readModel(str(path))
    highs.setOptionValue("mip_rel_gap", 0.0)
    return _solve_highs(highs)


def _show_file(pair: tuple[Any, Any]) -> float:
    model = read_model(pair[0])
    return float(model.costs @ [pair[1][name] for name in model.columns] + model.offset)
