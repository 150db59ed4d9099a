"""Problems written to files and read again, by the package and by engines: what is read is worth the same."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gurobipy
import highspy
import numpy as np
import pyscipopt

import neurprise as nr
from experiments.judges.examining.examination import Examination
from experiments.judges.examining.rules import is_worth, optimal_within, subset_value
from experiments.judges.oracles.program import Program
from experiments.judges.random_problems import Case, Statement
from neurprise.problem import TwoStageProblem

_PLAN = 'model = "{model}"\nscenarios = "scenarios.csv"\nfirst_stage = ["x*"]\n\n[columns]\nscenario = "name"\n'


def written_and_read(examination: Examination, engine: str, time_limit: float) -> None:
    """A problem's own file."""

    def question() -> nr.Report:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "problem.npz"
            examination.case.problem.write(path)
            return nr.solve(nr.read(path), solver=engine, time_limit=time_limit)

    examination.ask(f"written and read, {engine}", question, optimal_within(1e-4), time_limit=time_limit)


def written_by_engine(examination: Examination, rng: np.random.Generator, time_limit: float) -> None:
    """One scenario as a deterministic model that an engine writes, joined with a table of one scenario by a plan."""
    case, writer, suffix = examination.case, str(rng.choice(list(WRITERS))), str(rng.choice(["lp", "mps"]))
    scenario = int(rng.integers(case.problem.num_scenarios))
    program = one_scenario_program(case.statement, scenario, case.money)

    # Contradictory bounds are refused when read; rows without variables are written differently by every engine.
    if (program.lower > program.upper).any() or not program.matrix.any(axis=1).all():
        return

    def question() -> nr.Report:
        problem = _read_back(program, case, writer, suffix)
        return nr.solve(problem, time_limit=time_limit)

    value = subset_value([scenario])
    call = f"scenario {scenario} as {suffix} by {writer}"
    examination.ask(call, question, is_worth(value), time_limit=time_limit, value=value)


def one_scenario_program(statement: Statement, s: int, money: float) -> Program:
    """Columns x and y of one scenario, in costs of the package's unit of money."""
    p, m = len(statement.A), statement.b.shape[1]
    return Program(
        money * np.concatenate([statement.c + statement.q[s], statement.b[s]]),
        np.vstack([np.hstack([statement.A, np.zeros((p, m))]), np.hstack([statement.T[s], statement.W[s]])]),
        np.concatenate([statement.a_lower, statement.row_lower[s]]),
        np.concatenate([statement.a_upper, statement.row_upper[s]]),
        np.concatenate([statement.x_lower, statement.y_lower[s]]),
        np.concatenate([statement.x_upper, statement.y_upper[s]]),
        np.concatenate([statement.x_integer, statement.y_integer]),
        money * statement.offset,
    )


def _read_back(program: Program, case: Case, writer: str, suffix: str) -> TwoStageProblem:
    n = len(case.statement.c)
    names = [f"x{k}" if k < n else f"y{k - n}" for k in range(len(program.costs))]
    with tempfile.TemporaryDirectory() as folder:
        model, plan = Path(folder) / f"model.{suffix}", Path(folder) / "plan.toml"
        WRITERS[writer](program, names, case.statement.maximize, model)
        plan.write_text(_PLAN.format(model=model.name), encoding="utf-8")
        (Path(folder) / "scenarios.csv").write_text("scenario\nonly\n", encoding="utf-8")
        return nr.read(plan)


def _by_highs(program: Program, names: list[str], maximize: bool, path: Path) -> None:
    model, sign = highspy.Highs(), -1.0 if maximize else 1.0
    model.silent()
    columns = [
        model.addVariable(low, high, sign * cost, highspy.HighsVarType(int(whole)), name)
        for low, high, cost, whole, name in _columns(program, names)
    ]
    for entries, low, high in _rows(program):
        index = np.flatnonzero(entries)
        model.addRow(low, high, len(index), np.array([columns[k].index for k in index], np.int32), entries[index])
    model.changeObjectiveOffset(sign * program.offset)
    model.changeObjectiveSense(highspy.ObjSense.kMaximize if maximize else highspy.ObjSense.kMinimize)
    model.writeModel(str(path))


def _by_gurobi(program: Program, names: list[str], maximize: bool, path: Path) -> None:
    sign, infinity = -1.0 if maximize else 1.0, gurobipy.GRB.INFINITY
    with gurobipy.Env(params={"OutputFlag": 0}) as environment, gurobipy.Model(env=environment) as model:
        columns = [
            model.addVar(max(low, -infinity), min(high, infinity), sign * cost, _gurobi_type(low, high, whole), name)
            for low, high, cost, whole, name in _columns(program, names)
        ]
        for entries, low, high in _rows(program):
            body = gurobipy.LinExpr(entries.tolist(), columns)
            if low == high:
                model.addConstr(body == low)
            else:
                for limit, sense in ((low, gurobipy.GRB.GREATER_EQUAL), (high, gurobipy.GRB.LESS_EQUAL)):
                    if np.isfinite(limit):
                        model.addLConstr(body, sense, limit)
        model.ModelSense = gurobipy.GRB.MAXIMIZE if maximize else gurobipy.GRB.MINIMIZE
        model.ObjCon = sign * program.offset
        model.update()
        model.write(str(path))


def _gurobi_type(low: float, high: float, whole: bool) -> str:
    return "B" if whole and low >= 0 and high <= 1 else "I" if whole else "C"


def _by_scip(program: Program, names: list[str], maximize: bool, path: Path) -> None:
    model, sign = pyscipopt.Model(), -1.0 if maximize else 1.0
    model.hideOutput()
    columns = [
        model.addVar(name, _gurobi_type(low, high, whole), _or_none(low), _or_none(high), sign * cost)
        for low, high, cost, whole, name in _columns(program, names)
    ]
    for k, (entries, low, high) in enumerate(_rows(program)):
        body = pyscipopt.quicksum(float(entries[j]) * columns[j] for j in np.flatnonzero(entries).tolist())
        if np.isfinite(low) or np.isfinite(high):
            model.addCons(pyscipopt.ExprCons(body, lhs=_or_none(low), rhs=_or_none(high)), name=f"row{k}")
    model.addObjoffset(sign * program.offset)
    if maximize:
        model.setMaximize()
    model.writeProblem(str(path), verbose=False)


def _columns(program: Program, names: list[str]) -> Any:
    sides = program.lower.tolist(), program.upper.tolist(), program.costs.tolist(), program.integer.tolist()
    return zip(*sides, names, strict=True)


def _rows(program: Program) -> Any:
    return zip(program.matrix, program.row_lower.tolist(), program.row_upper.tolist(), strict=True)


def _or_none(limit: float) -> float | None:
    return limit if np.isfinite(limit) else None


WRITERS: dict[str, Callable[[Program, list[str], bool, Path], None]] = {
    "highs": _by_highs,
    "scip": _by_scip,
    "gurobi": _by_gurobi,
}
