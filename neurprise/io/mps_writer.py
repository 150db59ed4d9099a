"""MPS files from linear models, written so that HiGHS, SCIP, Gurobi, CBC and the reader here see the same model."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from neurprise.errors import InputError
from neurprise.io.linear import LinearModel
from neurprise.io.mps import SECTIONS
from neurprise.io.scenario_models import number_text


def mps_text(model: LinearModel) -> str:
    """The model in free format; names must be single words."""
    check_words("variable", model.columns, (*SECTIONS, "ENDATA"))
    check_words("row", model.rows)
    sense = ["OBJSENSE", "    MAX"] if model.maximize else []
    sections = {
        "ROWS": [
            f" N  {objective_name(model)}",
            *(f" {kind}  {name}" for kind, name in zip(row_kinds(model), model.rows, strict=True)),
        ],
        "COLUMNS": list(_columns(model)),
        "RHS": list(_right_hand_sides(model)),
        "RANGES": list(_ranges(model)),
        "BOUNDS": list(_bounds(model)),
    }
    # Without a line RHS, SCIP refuses what follows.
    lines = [line for title, body in sections.items() if body or title == "RHS" for line in (title, *body)]
    return "\n".join(["NAME", *sense, *lines, "ENDATA", ""])


def check_words(what: str, names: Sequence[str], refused: Sequence[str] = ()) -> None:
    """Refuse names that text files cannot hold: with blanks, or with a sign or a word that means something there."""
    for name in names:
        if len(name.split()) != 1 or name[0] in "*$" or set(name) & set("'\"") or name.upper() in refused:
            raise InputError(
                f"such files hold names of one word without quotes that does not begin with * or $ and is no section's "
                f"title, got the {what} {name!r}; rename it with problem.with_labels, or write a .npz file."
            )


def objective_name(model: LinearModel) -> str:
    """What the objective's row is called."""
    return _free_name("objective", model.rows)


def rhs_name(model: LinearModel) -> str:
    """What the set of right-hand sides is called; HiGHS confuses it with a row or column of that name."""
    return _free_name("rhs", (*model.rows, *model.columns))


def bound_name(model: LinearModel) -> str:
    """What the set of bounds is called."""
    return _free_name("bnd", model.columns)


def row_kinds(model: LinearModel) -> list[str]:
    """E, G or L for each row; a row with two limits is G with a range, or L where that comes back exactly."""
    kinds = []
    for low, high in zip(model.row_lower.tolist(), model.row_upper.tolist(), strict=True):
        if low == high:
            kinds.append("E")
        elif math.isfinite(low) and math.isfinite(high):
            kinds.append("G" if low + (high - low) == high else "L")
        else:
            kinds.append("L" if math.isfinite(high) else "G")
    return kinds


def _columns(model: LinearModel) -> Iterator[str]:
    by_column, objective = model.matrix.tocsc(), objective_name(model)
    marked = False
    for j, name in enumerate(model.columns):
        if bool(model.integer[j]) != marked:
            marked = not marked
            yield f"    MARKER  'MARKER'  'INT{'ORG' if marked else 'END'}'"
        entries = slice(*by_column.indptr[j : j + 2])
        if model.costs[j] or entries.start == entries.stop:
            yield f"    {name}  {objective}  {number_text(model.costs[j])}"
        for i, value in zip(by_column.indices[entries].tolist(), by_column.data[entries].tolist(), strict=True):
            yield f"    {name}  {model.rows[i]}  {number_text(value)}"
    if marked:
        yield "    MARKER  'MARKER'  'INTEND'"


def _right_hand_sides(model: LinearModel) -> Iterator[str]:
    name = rhs_name(model)
    if model.offset:
        yield f"    {name}  {objective_name(model)}  {number_text(-model.offset)}"
    for row, kind, low, high in zip(model.rows, row_kinds(model), model.row_lower, model.row_upper, strict=True):
        side = high if kind == "L" else low
        if side:
            yield f"    {name}  {row}  {number_text(side)}"


def _ranges(model: LinearModel) -> Iterator[str]:
    name = _free_name("rng", model.rows)
    for row, low, high in zip(model.rows, model.row_lower, model.row_upper, strict=True):
        if low != high and np.isfinite([low, high]).all():
            yield f"    {name}  {row}  {number_text(high - low)}"


def _bounds(model: LinearModel) -> Iterator[str]:
    """Lower before upper: SCIP wants it; both for integers, whose default is binary or not, as readers like it."""
    bounds = bound_name(model)
    for name, low, high, integer in zip(model.columns, model.lower, model.upper, model.integer, strict=True):
        if low == high:
            yield f" FX {bounds}  {name}  {number_text(low)}"
        elif low == -math.inf and high == math.inf:
            yield f" FR {bounds}  {name}"
        else:
            if low == -math.inf:
                yield f" MI {bounds}  {name}"
            elif low or integer:
                yield f" LO {bounds}  {name}  {number_text(low)}"
            if high < math.inf:
                yield f" UP {bounds}  {name}  {number_text(high)}"
            elif integer:
                yield f" PL {bounds}  {name}"


def _free_name(name: str, taken: Sequence[str]) -> str:
    known = set(taken)
    while name in known:
        name += "_"
    return name
