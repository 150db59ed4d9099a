"""The contract every reader of a modelling tool keeps: the model as it was stated, and values put back into it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from neurprise.io.linear import LinearModel
from neurprise.io.models import Reader
from neurprise.io.models.comparison import checked_model
from neurprise.testing.rules import require

#: What some tools cannot state.
FEATURES = ("ranges", "constant", "maximize")
_FIELDS = ("costs", "lower", "upper", "integer", "row_lower", "row_upper", "matrix", "offset", "maximize")


def check_model_reader(reader: Reader, build: Callable[[LinearModel], Any], lacks: Collection[str] = ()) -> None:
    """
    Raise AssertionError, naming the rule, unless the reader keeps the contract.

    Parameters
    ----------
    build
        States a LinearModel in the tool, with its names where the tool has names.
    lacks
        Which of `FEATURES` the tool cannot state.
    """
    unknown = set(lacks) - set(FEATURES)
    require(not unknown, f"lacks must name some of {', '.join(FEATURES)}, got {sorted(unknown)}")
    for label, model in _small_models(lacks).items():
        built = build(model)
        read = checked_model(reader.linear(built))
        _require_same(label, read, checked_model(model))
        _takes_values(label, reader, built, read)
    for foreign in (object(), 2.5, None):
        require(reader.names_of(foreign) is None, f"names_of must be None for what is no variable, got {foreign!r}")


def _small_models(lacks: Collection[str]) -> dict[str, LinearModel]:
    """Every kind of bound, row, variable, sense and constant; what the tool lacks is left out."""
    inf = np.inf
    rows = {"equal": (3.0, 3.0), "atleast": (-2.0, inf), "atmost": (-inf, 40.0), "within": (1.0, 30.0)}
    if "ranges" in lacks:
        del rows["within"]
    entries = np.array(
        [[1.0, 0.0, 2.0, 0.0, 1.0], [0.0, 1.0, -1.0, 0.5, 0.0], [1e-3, 0.0, 0.0, 7.0, 1.0], [1, 1, 1, 1, 1]]
    )
    model = LinearModel(
        columns=("build", "hold", "net", "stock", "units"),
        rows=tuple(rows),
        costs=np.array([2.0, -1.0, 0.25, 0.375, 3.0]),
        matrix=sparse.csr_array(entries[: len(rows)]),
        row_lower=np.array([low for low, _ in rows.values()]),
        row_upper=np.array([high for _, high in rows.values()]),
        lower=np.array([0.0, 2.5, -inf, -3.0, -4.0]),
        upper=np.array([1.0, 2.5, inf, inf, 9.0]),
        integer=np.array([True, False, False, False, True]),
        offset=0.0 if "constant" in lacks else -7.5,
    )
    models = {"a minimisation": model}
    if "maximize" not in lacks:
        models["a maximisation"] = replace(model, maximize=True, costs=-model.costs)
    return models


def _require_same(label: str, read: LinearModel, stated: LinearModel) -> None:
    sizes = ((len(m.columns), len(m.rows)) for m in (read, stated))
    require(len(set(sizes)) == 1, f"{label}: all variables and rows must be read, and no others; got {read.columns}")
    for field in _FIELDS:
        mine, given = (_dense(getattr(model, field)) for model in (read, stated))
        require(np.array_equal(mine, given), f"{label}: {field} must be read as stated, {given}; got {mine}")


def _takes_values(label: str, reader: Reader, built: Any, read: LinearModel) -> None:
    """A point that keeps every row."""
    values = dict(zip(read.columns, (1.0, 2.5, 1.0, 1.0, 0.0), strict=True))
    filled = reader.fill(built, values)
    require(filled is not None, f"{label}: fill must return what holds the values, got None")
    again = checked_model(reader.linear(built))
    _require_same(f"{label} after fill", again, read)


def _dense(value: Any) -> Any:
    return value.toarray() if sparse.issparse(value) else value
