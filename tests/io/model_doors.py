"""Every door through which `from_models` takes a model, with what the tool behind it cannot state."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from experiments.judges.model_files import builders
from experiments.judges.model_files.writers import write_with_gurobi, write_with_highs
from neurprise.io.linear import LinearModel


@dataclass(frozen=True)
class Door:
    """How a tool states a LinearModel, and the LinearModel that it states then."""

    package: str
    build: Callable[[LinearModel], Any]
    stated: Callable[[LinearModel], LinearModel] = lambda model: model


def with_split_ranges(model):
    """Ranges as two rows, for tools without ranges."""
    rows = list(builders.one_sided(model))
    low = np.array([side if sense != "<=" else -np.inf for _, _, sense, side in rows])
    high = np.array([side if sense != ">=" else np.inf for _, _, sense, side in rows])
    names = tuple(name for _, name, _, _ in rows)
    return replace(model, rows=names, matrix=model.matrix[[i for i, *_ in rows]], row_lower=low, row_upper=high)


def without_constant(model):
    """linopy refuses constants in objectives."""
    return replace(with_split_ranges(model), offset=0.0)


def in_the_words_of_scipy(model):
    """No names, no constant, and no maximisation."""
    return replace(
        model,
        columns=tuple(f"x[{j}]" for j in range(len(model.columns))),
        rows=tuple(f"row[{i}]" for i in range(len(model.rows))),
        costs=model.costs * (-1.0 if model.maximize else 1.0),
        offset=0.0,
        maximize=False,
    )


def doors(folder):
    """Door's name -> Door; files are written into the folder."""
    return {
        "highspy": Door("highspy", builders.build_highs),
        "gurobipy": Door("gurobipy", builders.build_gurobi),
        "pyomo": Door("pyomo", lambda m: builders.build_pyomo(m, fix=False)),
        "pulp": Door("pulp", builders.build_pulp, with_split_ranges),
        "linopy": Door("linopy", lambda m: builders.build_linopy(m, m.columns), without_constant),
        "scipy": Door("scipy", builders.build_scipy, in_the_words_of_scipy),
        "lp": Door("gurobipy", builders.file_builder(folder, ".lp", write_with_gurobi)),
        "mps": Door("highspy", builders.file_builder(folder, ".mps", write_with_highs)),
    }


def model(columns, rows, maximize=False, offset=0.0):
    """
    A LinearModel from name -> (cost, lower, upper, integer) and name -> (lower, upper, {variable: coefficient}).
    """
    at = {name: j for j, name in enumerate(columns)}
    matrix = np.zeros((len(rows), len(columns)))
    for i, (_, _, terms) in enumerate(rows.values()):
        for name, value in terms.items():
            matrix[i, at[name]] = value
    costs, lower, upper, integer = zip(*columns.values(), strict=True)
    return LinearModel(
        columns=tuple(columns),
        rows=tuple(rows),
        costs=np.array(costs, dtype=float),
        matrix=sparse.csr_array(matrix),
        row_lower=np.array([low for low, _, _ in rows.values()], dtype=float),
        row_upper=np.array([high for _, high, _ in rows.values()], dtype=float),
        lower=np.array(lower, dtype=float),
        upper=np.array(upper, dtype=float),
        integer=np.array(integer, dtype=bool),
        offset=offset,
        maximize=maximize,
    )
