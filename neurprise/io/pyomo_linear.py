"""One Pyomo model as a named linear model; imported only when Pyomo is asked for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from scipy import sparse

from neurprise.arrays import Bools
from neurprise.errors import InputError, near_miss
from neurprise.io.linear import LinearModel, Place


@dataclass(frozen=True)
class PyomoLinear:
    """
    Parameters
    ----------
    first_stage
        Which columns are decided now, shape (columns,).
    numbers
        Every number of the model by its place; scenarios are compared through it.
    probability
        What the model carries as its probability; None if nothing.
    """

    model: LinearModel
    first_stage: Bools
    numbers: dict[Place, float]
    probability: Any


def compile_model(scenario: str, model: Any, first_stage: list[str] | None, like: PyomoLinear | None) -> PyomoLinear:
    """
    Compile one scenario's model; with `like`, variables and rows are numbered as there and must be the same.

    A fixed variable is a column with equal bounds; Pyomo folds its terms into the constants.
    """
    compiler = _Compiler(scenario, model)
    linear = compiler.linear_model(None if like is None else like.model)
    stages = _first_stage(scenario, model, first_stage, linear.columns)
    if like is not None and not np.array_equal(stages, like.first_stage):
        raise InputError(f"scenario {scenario!r} names other first-stage variables than the first scenario.")
    return PyomoLinear(linear, stages, _numbers(linear), getattr(model, "_mpisppy_probability", None))


class _Compiler:
    def __init__(self, scenario: str, model: Any) -> None:
        import pyomo.environ as pyo

        self._pyo = pyo
        self._scenario = scenario
        self._model = model
        if not isinstance(model, pyo.ConcreteModel) and not getattr(model, "is_constructed", lambda: False)():
            self._fail(f"the creator must return a concrete Pyomo model, got {type(model).__name__}")
        self._refuse_other_components()

    def linear_model(self, like: LinearModel | None) -> LinearModel:
        pyo = self._pyo
        variables = {v.name: v for v in self._model.component_data_objects(pyo.Var)}
        constraints = {c.name: c for c in self._model.component_data_objects(pyo.Constraint, active=True)}
        columns = self._same("variable", variables, None if like is None else like.columns)
        rows = self._same("constraint", constraints, None if like is None else like.rows)
        at = {id(variables[name]): j for j, name in enumerate(columns)}
        costs, offset, maximize = self._objective(at, like)
        matrix, lower, upper = self._rows([constraints[name] for name in rows], at)
        bounds = np.array([self._bounds(variables[name]) for name in columns]).reshape(len(columns), 2)
        return LinearModel(
            columns=columns,
            rows=rows,
            costs=costs,
            matrix=matrix,
            row_lower=lower,
            row_upper=upper,
            lower=bounds[:, 0],
            upper=bounds[:, 1],
            integer=np.array([self._is_integer(variables[name]) for name in columns]),
            offset=offset,
            maximize=maximize,
        )

    def _same(self, what: str, found: dict[str, Any], expected: tuple[str, ...] | None) -> tuple[str, ...]:
        if expected is not None and set(found) != set(expected):
            odd = sorted(set(found) ^ set(expected))[0]
            where = "only here" if odd in found else "in the first scenario but not here"
            self._fail(f"the {what} {odd!r} exists {where}; all scenarios need the same {what}s")
        return tuple(found) if expected is None else expected

    def _objective(self, at: dict[int, int], like: LinearModel | None) -> tuple[Any, float, bool]:
        objectives = list(self._model.component_data_objects(self._pyo.Objective, active=True))
        if len(objectives) != 1:
            self._fail(f"a model needs exactly one active objective, got {len(objectives)}")
        maximize = objectives[0].sense == self._pyo.maximize
        if like is not None and like.maximize != maximize:
            self._fail("its objective has the other sense (min or max) than the first scenario's")
        terms, constant = self._terms("objective", objectives[0], objectives[0].expr, at)
        costs = np.zeros(len(at))
        for j, value in terms.items():
            costs[j] = value
        return costs, constant, maximize

    def _rows(self, constraints: list[Any], at: dict[int, int]) -> tuple[sparse.csr_array, Any, Any]:
        value = self._pyo.value
        rows, columns, data, lower, upper = [], [], [], [], []
        for i, constraint in enumerate(constraints):
            terms, constant = self._terms("constraint", constraint, constraint.body, at)
            rows += [i] * len(terms)
            columns += list(terms)
            data += list(terms.values())
            low, high = value(constraint.lower), value(constraint.upper)
            lower.append(-np.inf if low is None else low - constant)
            upper.append(np.inf if high is None else high - constant)
            if lower[-1] > upper[-1]:
                self._fail(f"the constraint {constraint.name!r} asks for {lower[-1]} <= ... <= {upper[-1]}")
        matrix = sparse.csr_array((data, (rows, columns)), shape=(len(constraints), len(at)), dtype=np.float64)
        return matrix, np.array(lower, dtype=np.float64), np.array(upper, dtype=np.float64)

    def _terms(self, what: str, component: Any, expression: Any, at: dict[int, int]) -> tuple[dict[int, float], float]:
        """Coefficient by column, and the constant; variables of other models are refused."""
        from pyomo.repn import generate_standard_repn

        repn = generate_standard_repn(expression, compute_values=True, quadratic=False)
        if repn.nonlinear_expr is not None:
            self._fail(f"the {what} {component.name!r} is not linear; restate it with linear terms")
        terms: dict[int, float] = {}
        for variable, value in zip(repn.linear_vars, repn.linear_coefs, strict=True):
            if id(variable) not in at:
                self._fail(f"the {what} {component.name!r} uses {variable.name!r}, which is not on the model")
            terms[at[id(variable)]] = float(value)
        constant = float(self._pyo.value(repn.constant))
        if not np.isfinite([constant, *terms.values()]).all():
            self._fail(f"the {what} {component.name!r} has a number that is not finite")
        return terms, constant

    def _bounds(self, variable: Any) -> tuple[float, float]:
        if variable.fixed:
            value = float(self._pyo.value(variable))
            return value, value
        low, high = variable.bounds
        lower, upper = (-np.inf if low is None else float(low)), (np.inf if high is None else float(high))
        if lower > upper:
            self._fail(
                f"the variable {variable.name!r} has the bounds {lower} and {upper}; lower must not exceed upper"
            )
        return lower, upper

    def _is_integer(self, variable: Any) -> bool:
        if not variable.is_continuous() and not variable.is_integer() and not variable.is_binary():
            self._fail(f"the variable {variable.name!r} has the domain {variable.domain}; use reals or integers")
        return not variable.is_continuous()

    def _refuse_other_components(self) -> None:
        refused = ("SOSConstraint", "Disjunct", "Disjunction", "LogicalConstraint", "Complementarity", "ContinuousSet")
        for component in self._model.component_objects(active=True, descend_into=True):
            if component.ctype.__name__ in refused:
                self._fail(f"{component.name!r} is a {component.ctype.__name__}; only linear constraints are read")

    def _fail(self, problem: str) -> NoReturn:
        raise InputError(f"scenario {self._scenario!r}: {problem}.")


def _first_stage(scenario: str, model: Any, names: list[str] | None, columns: tuple[str, ...]) -> Bools:
    chosen = set(_names_given(scenario, model, names) if names is not None else _names_on_node(scenario, model))
    unknown = sorted(chosen - set(columns))
    if unknown:
        raise InputError(f"scenario {scenario!r}: the first-stage variable {unknown[0]!r} is not on the model.")
    return np.array([name in chosen for name in columns])


def _names_given(scenario: str, model: Any, names: Iterable[str]) -> list[str]:
    from pyomo.environ import Var

    found: list[str] = []
    for name in names:
        component = model.find_component(name)
        if component is None:
            known = [variable.name for variable in model.component_objects(Var)]
            raise InputError(f"scenario {scenario!r} has no variable {name!r} ({near_miss(name, known)}).")
        found += _members(component)
    return found


def _names_on_node(scenario: str, model: Any) -> list[str]:
    nodes = getattr(model, "_mpisppy_node_list", None)
    if not nodes:
        raise InputError(
            f"scenario {scenario!r} does not say which variables are first stage; pass first_stage=[names], or attach "
            "a root node as mpi-sppy does."
        )
    if len(nodes) > 1:
        raise InputError(f"scenario {scenario!r} has {len(nodes) + 1} stages; only two can be represented.")
    return [variable.name for variable in nodes[0].nonant_vardata_list]


def _members(component: Any) -> list[str]:
    return [member.name for member in component.values()] if component.is_indexed() else [component.name]


def _numbers(model: LinearModel) -> dict[Place, float]:
    numbers = {Place("offset"): model.offset}
    for kind in ("costs", "lower", "upper"):
        numbers |= {Place(kind, column=j): v for j, v in enumerate(getattr(model, kind).tolist())}
    for kind in ("row_lower", "row_upper"):
        numbers |= {Place(kind, row=i): v for i, v in enumerate(getattr(model, kind).tolist())}
    entries = model.matrix.tocoo()
    triples = zip(entries.coords[0].tolist(), entries.coords[1].tolist(), entries.data.tolist(), strict=True)
    return numbers | {Place("matrix", i, j): v for i, j, v in triples}
