"""Models of Pyomo (`pyomo.ConcreteModel`); first-stage variables may stand on the root node that mpi-sppy attaches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np
from scipy import sparse

from neurprise.errors import InputError
from neurprise.io.linear import LinearModel


class Reader:
    """A fixed variable is a column with equal bounds; Pyomo folds its terms into the constants."""

    def linear(self, model: Any) -> LinearModel:
        return _Compiler(model).linear_model()

    def names_of(self, part: Any) -> list[str] | None:
        """A Var, whole or one member."""
        if not callable(getattr(part, "is_indexed", None)):
            return None
        return [member.name for member in part.values()] if part.is_indexed() else [part.name]

    def fill(self, model: Any, values: Mapping[str, float]) -> Any:
        """Every variable's value; read it with `pyo.value`."""
        from pyomo.environ import Var

        for variable in model.component_data_objects(Var):
            variable.set_value(values[variable.name.strip()], skip_validation=True)
        return model

    def first_stage(self, model: Any) -> list[str] | None:
        """The names on mpi-sppy's root node; None without one."""
        nodes = getattr(model, "_mpisppy_node_list", None)
        if not nodes:
            return None
        if len(nodes) > 1:
            raise InputError(f"the model has {len(nodes) + 1} stages; only two can be represented.")
        return [variable.name for variable in nodes[0].nonant_vardata_list]

    def probability(self, model: Any) -> Any:
        """What mpi-sppy left: a number, the word "uniform", or None."""
        return getattr(model, "_mpisppy_probability", None)


class _Compiler:
    def __init__(self, model: Any) -> None:
        import pyomo.environ as pyo

        self._pyo = pyo
        self._model = model
        if not isinstance(model, pyo.ConcreteModel) and not getattr(model, "is_constructed", lambda: False)():
            self._fail(f"a model must be a concrete Pyomo model, got {type(model).__name__}")
        self._refuse_other_components()

    def linear_model(self) -> LinearModel:
        pyo = self._pyo
        variables = list(self._model.component_data_objects(pyo.Var))
        constraints = list(self._model.component_data_objects(pyo.Constraint, active=True))
        at = {id(variable): j for j, variable in enumerate(variables)}
        costs, offset, maximize = self._objective(at)
        matrix, lower, upper = self._rows(constraints, at)
        bounds = np.array([self._bounds(variable) for variable in variables]).reshape(len(variables), 2)
        return LinearModel(
            columns=tuple(variable.name for variable in variables),
            rows=tuple(constraint.name for constraint in constraints),
            costs=costs,
            matrix=matrix,
            row_lower=lower,
            row_upper=upper,
            lower=bounds[:, 0],
            upper=bounds[:, 1],
            integer=np.array([self._is_integer(variable) for variable in variables], dtype=bool),
            offset=offset,
            maximize=maximize,
        )

    def _objective(self, at: dict[int, int]) -> tuple[Any, float, bool]:
        objectives = list(self._model.component_data_objects(self._pyo.Objective, active=True))
        if len(objectives) != 1:
            self._fail(f"a model needs exactly one active objective, got {len(objectives)}")
        maximize = objectives[0].sense == self._pyo.maximize
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
        raise InputError(f"{problem}.")
