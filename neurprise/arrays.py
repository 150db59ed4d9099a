"""Turn what users pass into validated, read-only arrays; each check names the rule, the value and the remedy."""

from __future__ import annotations

import math
import reprlib
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from neurprise.errors import InputError

#: Limits (bounds, sides of rows) from here on mean that there is none, as engines and file formats have it.
INFINITE = 1e20
#: Every other number stays below: HiGHS takes matrix entries from here on for infinite, and no engine keeps six digits.
TOO_LARGE = 1e15
IN_RANGE = "stay below 1e15 in absolute value"
RESCALE = "rescale the units, for example to millions"
#: Kinds of arrays that numpy would turn into numbers without a word: text, bytes, times, complex and structured.
_NOT_NUMBERS = "USMmcV"

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]

#: Probabilities are often written with few digits: thirty of them to six digits miss one by up to 1.5e-5.
PROBABILITY_TOLERANCE = 1e-3


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """The same array, no longer writeable."""
    array.flags.writeable = False
    return array


def vector(name: str, value: Any, length: int | None = None, *, finite: bool = True) -> Floats:
    """A read-only float copy of `value`, shape (length,); scalars are repeated; limits may be infinite."""
    array = _floats(name, value)
    if array.ndim == 0 and length is not None:
        array = np.full(length, float(array))
    if array.ndim != 1 or (length is not None and len(array) != length):
        expected = "one-dimensional" if length is None else f"of shape ({length},)"
        raise InputError(f"{name} must be {expected}, got shape {array.shape}; check the order of the arguments.")
    if not finite:
        array = without_huge_limits(array)
    _check_numbers(name, array, finite)
    return frozen(array)


def without_huge_limits(limits: Floats) -> Floats:
    """The same limits, those from 1e20 on as infinite; any shape."""
    return np.where(np.abs(limits) >= INFINITE, np.copysign(np.inf, limits), limits)


def table(name: str, value: Any, shape: tuple[int | None, int | None], *, finite: bool = True) -> Floats:
    """A read-only float copy of `value`; None in `shape` accepts any extent; limits may be infinite."""
    array = _floats(name, value)
    if array.ndim != 2 or any(want is not None and want != got for want, got in zip(shape, array.shape, strict=False)):
        expected = ", ".join("any" if want is None else str(want) for want in shape)
        raise InputError(f"{name} must have shape ({expected}), got {array.shape}; one row per scenario or constraint.")
    if not finite:
        array = without_huge_limits(array)
    _check_numbers(name, array, finite)
    return frozen(array)


def scenarios(name: str, value: Any, width: int, *, finite: bool = True) -> Floats:
    """A read-only table with a row per scenario, at least one, shape (S, width)."""
    array = table(name, value, (None, width), finite=finite)
    if len(array) == 0:
        raise InputError(f"{name} must have at least one row (one per scenario), got 0 rows.")
    return array


def nonnegative(name: str, array: Floats, reason: str) -> Floats:
    """The array itself once all of its numbers are finite and zero or positive."""
    _check_numbers(name, array, finite=True)
    if array.min(initial=0.0) < 0:
        raise InputError(f"{name} must be zero or positive, got {array.min()}; {reason}.")
    return array


def matrix(name: str, value: Any, shape: tuple[int | None, int | None]) -> sparse.csr_array:
    """A sparse copy of `value` in canonical row form; explicit zeros stay because scenarios may replace them."""
    try:
        array = sparse.csr_array(value if sparse.issparse(value) else np.atleast_2d(_floats(name, value)))
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must be a matrix of numbers, got {type(value).__name__} ({error}).") from None
    array = sparse.csr_array(array.astype(np.float64), copy=True)
    if any(want is not None and want != got for want, got in zip(shape, array.shape, strict=False)):
        expected = ", ".join("any" if want is None else str(want) for want in shape)
        raise InputError(f"{name} must have shape ({expected}), got {array.shape}; rows are constraints.")
    array.sum_duplicates()
    _check_numbers(name, array.data, finite=True)
    for part in (array.data, array.indices, array.indptr):
        part.flags.writeable = False
    return array


def mask(name: str, value: Any, length: int) -> Bools:
    """A read-only boolean vector of shape (length,); a single bool is repeated."""
    if has_labels(as_pandas(name, value)):
        raise _labelled(name, value)
    array = np.asarray(value)
    if array.dtype != np.bool_ and not np.isin(array, (0, 1)).all():
        raise InputError(f"{name} must be True/False (one, or {length} of them), got {array.ravel()[:3]}...")
    if array.ndim == 0:
        array = np.full(length, bool(array))
    if array.shape != (length,):
        raise InputError(f"{name} must be one bool or have shape ({length},), got shape {array.shape}.")
    return frozen(array.astype(np.bool_))


def whole_number(name: str, value: Any, lowest: int, highest: int | None = None) -> int:
    """`value` as an int within [lowest, highest]."""
    rule = f"at least {lowest}" if highest is None else f"between {lowest} and {highest}"
    integral = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not integral or value < lowest or (highest is not None and value > highest):
        raise InputError(f"{name} must be a whole number {rule}, got {value!r}.")
    return int(value)


def number(name: str, value: Any) -> float:
    """`value` as a finite float."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise InputError(f"{name} must be a number, got {value!r}.")
    if not math.isfinite(value):
        raise InputError(f"{name} must be finite, got {value!r}.")
    return float(value)


def nonnegative_number(name: str, value: Any) -> float:
    """`value` as a float >= 0; inf stays inf."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise InputError(f"{name} must be a number, got {value!r}.")
    if math.isnan(value) or value < 0:
        raise InputError(f"{name} must be zero or positive, got {value!r}.")
    return math.inf if value > sys.float_info.max else float(value)


def relative_gap(name: str, value: Any) -> float:
    """`value` as a share from 0 to below 1; with a larger gap any answer would count as optimal."""
    share = nonnegative_number(name, value)
    if share >= 1:
        raise InputError(f"{name} must be a share below 1, got {value!r}; write one percent as 0.01.")
    return share


def probabilities(name: str, value: Any, count: int) -> Floats:
    """A read-only copy of `count` probabilities; rounded ones may miss the sum of one by a thousandth."""
    array = vector(name, value, count)
    if array.min() < 0:
        raise InputError(
            f"{name} must be zero or positive, got {array.min()} at position {array.argmin()}; correct it."
        )
    if abs(array.sum() - 1.0) > PROBABILITY_TOLERANCE:
        raise InputError(f"{name} must sum to one, got {array.sum():.6g}; divide them by their sum if that is meant.")
    return array


def is_pandas(value: Any) -> bool:
    """Whether `value` is a Series or DataFrame; pandas is not imported to find out."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(value, (pandas.Series, pandas.DataFrame))


def is_xarray(value: Any) -> bool:
    """Whether `value` is a DataArray; xarray is not imported to find out."""
    xarray = sys.modules.get("xarray")
    return xarray is not None and isinstance(value, xarray.DataArray)


def as_pandas(name: str, value: Any) -> Any:
    """A DataArray of up to two dimensions as the Series or DataFrame with its coordinates; all else as it is."""
    if not is_xarray(value):
        return value
    if value.ndim > 2:
        raise InputError(f"{name} must have at most two dimensions, got a DataArray with {value.ndim}; select a part.")
    return value.to_pandas() if value.ndim else value.item()


def is_counted(index: Any) -> bool:
    """Whether a pandas index is the default one, 0 to n - 1, which does not count as labels."""
    return type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1


def has_labels(value: Any) -> bool:
    """Whether `value` is a Series or DataFrame with labels of its own."""
    return is_pandas(value) and not all(is_counted(axis) for axis in value.axes)


def largest_first(scores: Floats) -> Ints:
    """Positions by falling score, ties to the smallest; shape (S,)."""
    return np.argsort(-scores, kind="stable").astype(np.int64)


def scenario_indices(indices: Sequence[int] | NDArray[Any], num_scenarios: int) -> Ints:
    """Distinct scenario numbers, in the given order."""
    array = np.asarray(indices)
    if array.ndim != 1 or array.size == 0 or array.dtype.kind not in "iu":
        raise InputError(f"indices must be a non-empty list of scenario numbers, got {indices!r}.")
    if array.min() < 0 or array.max() >= num_scenarios:
        bad = array[(array < 0) | (array >= num_scenarios)][0]
        raise InputError(f"scenario numbers must be between 0 and {num_scenarios - 1}, got {bad}.")
    if len(np.unique(array)) != len(array):
        raise InputError(f"scenario numbers must be distinct, got {array.tolist()}.")
    return array.astype(np.int64)


def _floats(name: str, value: Any) -> Floats:
    if has_labels(as_pandas(name, value)):
        raise _labelled(name, value)
    try:
        given = np.asarray(value)
        if given.dtype.kind in _NOT_NUMBERS or _holds_text(given):
            raise TypeError
        return np.array(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name} must be numbers in a regular array, got {_shown(value)}.") from None


def _labelled(name: str, value: Any) -> InputError:
    return InputError(
        f"{name} goes by position here, got a {type(value).__name__} with labels of its own; bring it into order "
        f"and pass {name}.to_numpy()."
    )


def _holds_text(array: NDArray[Any]) -> bool:
    return array.dtype.kind == "O" and any(isinstance(entry, str) for entry in array.flat)


def _shown(value: Any) -> str:
    """The first entries and the type, short enough for a sentence."""
    return f"{reprlib.repr(value)} ({type(value).__name__})"


def _check_numbers(name: str, array: Floats, finite: bool) -> None:
    if np.abs(array).max(initial=0.0) < TOO_LARGE:  # false for nan
        return
    bad = ~np.isfinite(array) if finite else np.isnan(array)
    if bad.any():
        where = _first(bad)
        raise InputError(f"{name} must be finite numbers, got {array[where]} at position {where}; fill or drop it.")
    bad = np.isfinite(array) & (np.abs(array) >= TOO_LARGE)
    if bad.any():
        where = _first(bad)
        raise InputError(f"{name} must {IN_RANGE}, got {array[where]:g} at position {where}; {RESCALE}.")


def _first(marked: Bools) -> tuple[int, ...]:
    return tuple(int(i) for i in np.argwhere(marked)[0])
