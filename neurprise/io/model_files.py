"""A deterministic model from an LP or MPS file, without what tools add to it."""

from __future__ import annotations

from pathlib import Path

from neurprise.errors import FormatError
from neurprise.io.linear import LinearModel
from neurprise.io.lp import read_lp
from neurprise.io.lp_tokens import is_by_gurobi
from neurprise.io.mps import read_mps
from neurprise.io.phantoms import ranges_of_gurobi, without_constants
from neurprise.io.records import read_text

SUFFIXES = (".lp", ".mps", ".cor")


def read_model(path: Path) -> LinearModel:
    """Read one file by its suffix; variables that stand for a constant or a range are no variables here."""
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise FormatError(f"a model must be a {', '.join(SUFFIXES)} file, got {path.name!r}.")
    if suffix != ".lp":
        return without_constants(read_mps(path).model)
    model = without_constants(read_lp(path))
    return ranges_of_gurobi(model) if is_by_gurobi(read_text(path)) else model
