"""How quickly a choice of scenarios closes in on the full problem, from its values V(R_1), V(R_2), ... alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from neurprise import arrays
from neurprise.arrays import Floats
from neurprise.errors import InputError
from neurprise.reducers.base import Reduction

#: The paper's definition of "close enough" for the compression budget.
SHORTFALL = 0.01
#: Relative to the largest value: smaller differences are engine noise.
NOISE = 1e-6


def trace_values(trace: Reduction | Sequence[float]) -> Floats:
    """V(R_k) for k = 1, 2, ..., shape (steps,); `trace` is a Reduction with gains, or these values themselves."""
    if isinstance(trace, Reduction):
        if trace.gains is None:
            raise InputError("the diagnostics need gains, this Reduction has none; use prise or ccg, or pass V(R_k).")
        return np.cumsum(trace.gains)
    values = arrays.vector("trace", trace)
    if len(values) == 0:
        raise InputError("trace must hold V(R_k) for at least one step, got none.")
    return values


def compression_budget(
    trace: Reduction | Sequence[float], full_value: float, shortfall: float = SHORTFALL
) -> int | None:
    """
    k̂: the smallest k with V(all) - V(R_k) <= shortfall * |V(all)|; None if no step comes that close.

    Parameters
    ----------
    trace
        Reduction with gains, or V(R_k) for k = 1, 2, ...
    full_value
        V(all).
    """
    allowed = arrays.nonnegative_number("shortfall", shortfall) * abs(full_value)
    values = trace_values(trace)
    close = np.flatnonzero(full_value - values <= allowed + NOISE * _scale(values))
    return int(close[0]) + 1 if close.size else None


def stop_step(trace: Reduction | Sequence[float]) -> int:
    """The last step that raised V(R) by more than noise; the first step always counts."""
    values = trace_values(trace)
    rises = np.flatnonzero(np.diff(values) > NOISE * _scale(values))
    return int(rises[-1]) + 2 if rises.size else 1


def gains_are_nonincreasing(trace: Reduction | Sequence[float]) -> bool:
    """True when every step gains at most what the step before gained; the first gain is V(R_1), if positive."""
    values = trace_values(trace)
    gains = np.diff(values, prepend=0.0)
    compared = gains if values[0] > 0 else gains[1:]
    return bool((np.diff(compared) <= NOISE * _scale(values)).all())


def share_nonincreasing(traces: Sequence[Reduction | Sequence[float]]) -> float:
    """The share of traces, one per instance, with non-increasing gains; the paper reports 0.93 to 0.99."""
    if not traces:
        raise InputError("the share of non-increasing gains needs at least one trace, got none.")
    return sum(gains_are_nonincreasing(trace) for trace in traces) / len(traces)


def _scale(values: Floats) -> float:
    return float(np.abs(values).max(initial=0.0))
