"""Models of HiGHS's Python interface (`highspy.Highs`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from neurprise.errors import InputError
from neurprise.io.linear import LinearModel


class Reader:
    """Variables and rows without a name are called x[0], row[0], ... by their number."""

    def linear(self, model: Any) -> LinearModel:
        lp = model.getLp()
        kinds = [kind.name for kind in lp.integrality_] or ["kContinuous"] * lp.num_col_
        columns = _names(lp.col_names_, lp.num_col_, "x")
        for name, kind in zip(columns, kinds, strict=True):
            if kind not in ("kContinuous", "kInteger"):
                raise InputError(
                    f"the variable {name!r} is semi-continuous or semi-integer; only linear models are read."
                )
        if model.getHessianNumNz():
            raise InputError("the objective is quadratic; only linear models are read.")
        return LinearModel(
            columns=columns,
            rows=_names(lp.row_names_, lp.num_row_, "row"),
            costs=np.array(lp.col_cost_, dtype=np.float64),
            matrix=_matrix(lp),
            row_lower=np.array(lp.row_lower_, dtype=np.float64),
            row_upper=np.array(lp.row_upper_, dtype=np.float64),
            lower=np.array(lp.col_lower_, dtype=np.float64),
            upper=np.array(lp.col_upper_, dtype=np.float64),
            integer=np.array([kind == "kInteger" for kind in kinds]),
            offset=lp.offset_,
            maximize=lp.sense_.name == "kMaximize",
        )

    def names_of(self, part: Any) -> list[str] | None:
        """A variable of highspy (`highs_var`)."""
        if type(part).__name__ != "highs_var":
            return None
        return [_names([part.name], 1, "x", start=part.index)[0]]

    def fill(self, model: Any, values: Mapping[str, float]) -> Any:
        """HiGHS keeps the values as its solution: `model.getSolution()`, `model.val(variable)`."""
        solution = type(model.getSolution())()
        lp = model.getLp()
        solution.col_value = [values[name.strip()] for name in _names(lp.col_names_, lp.num_col_, "x")]
        model.setSolution(solution)
        return model


def _names(names: Sequence[str], count: int, stem: str, start: int = 0) -> tuple[str, ...]:
    given = list(names) or [""] * count
    return tuple(name or f"{stem}[{start + k}]" for k, name in enumerate(given))


def _matrix(lp: Any) -> sparse.csr_array:
    entries = (lp.a_matrix_.value_, lp.a_matrix_.index_, lp.a_matrix_.start_)
    shape = (lp.num_row_, lp.num_col_)
    if lp.a_matrix_.format_.name == "kColwise":
        return sparse.csr_array(sparse.csc_array(entries, shape=shape))
    return sparse.csr_array(entries, shape=shape)
