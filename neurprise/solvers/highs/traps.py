"""
What HiGHS must be kept from: inputs on which versions up to 1.15.1 crash, lose the optimum or call a wrong one optimal.

Each rule was found by comparing answers with brute force or a second engine (`python -m experiments run crosscheck`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from neurprise.arrays import Floats
from neurprise.solvers.base import Model
from neurprise.solvers.row_scale import smallest_entries

#: It takes limits within its tolerance of a whole multiple of an entry for that multiple, and may then lose feasible
#: decisions: min -x over x in {1, 2} with 3.000003 <= y + 3 z - 3 x <= 9 and 0 <= y, z <= 3 was -1.
#: It multiplies rows of integers until entries are whole, too: in 3.5 y + 4.25 z >= 12.000003 it took 12 for enough.
_NEAR_MULTIPLE = (1e-9, 2e-5)
#: What rows are multiplied by to make their entries whole.
_WHOLE_FACTORS = (1.0, 2.0, 4.0, 8.0, *(10.0**digits for digits in range(1, 7)))
#: Beside integer columns of such bounds it has crashed (upstream issue 2866).
_LARGE_BOUND = 1e5
#: Models of so few entries are solved without presolve where it is a risk; in larger ones it is worth more.
_FEW_ENTRIES = 2_000
#: Beside entries on integer columns that are so much larger than others of their row it has proved bounds above the
#: optimum: 3,090 for 2,230 in a row with a slack column and M = 1e10 (tests/solvers/test_big_m.py); 19,571 for 667 with
#: M = 2e7 was reported. At a tolerance of 1e-9 instead of 1e-6 that begins at M = 1e6. See `solvers/big_m`.
TRUSTED_RATIO = 1e7
#: Rows whose entries are all larger than this have duals that its tolerance hides.
_LARGE_ROW_UNIT = 1e4
#: How far HiGHS lets reduced costs be on the wrong side: by default, and at the least.
_DUAL_TOLERANCE, _LEAST_DUAL_TOLERANCE = 1e-7, 1e-10


def safe_options(model: Model) -> dict[str, Any]:
    """
    What is set unless the caller chooses it.

    The feasibility jump of HiGHS up to 1.15.1 follows columns without bounds to infinity and then crashes the process
    (upstream issue 3262), ignores rows with negative entries (3302), and takes ten times as long as the rest of a small
    model. Without it a restart has been seen to lose the optimum among general integers; among binaries never, and
    there restarts can halve the time.
    """
    binary = bool((model.upper - model.lower)[model.integer].max(initial=0.0) <= 1.0)
    return {
        "mip_heuristic_run_feasibility_jump": False,
        "mip_allow_restart": binary,
        "dual_feasibility_tolerance": dual_tolerance(
            model.costs, model.lower, model.upper, largest_row_unit(model.matrix)
        ),
    }


def dual_tolerance(costs: Floats, lower: Floats, upper: Floats, row_unit: float) -> float:
    """
    How far reduced costs may be on the wrong side; all arrays of shape (columns,).

    Less than a cost that falls along a column without a bound: HiGHS called y = 0 the optimum of min 4e-7 y with
    4.09 y <= 0 and y free. Where a row has large entries only, `row_unit`, its dual is that much smaller: HiGHS called
    y = 5 the optimum of min 11 y with 2.75e8 y <= 1.4e9 and y free.
    """
    falls = ((costs > 0) & np.isneginf(lower)) | ((costs < 0) & np.isposinf(upper))
    smallest = float(np.abs(costs[falls]).min(initial=1.0))
    return min(max(_DUAL_TOLERANCE * smallest / row_unit, _LEAST_DUAL_TOLERANCE), _DUAL_TOLERANCE)


def largest_row_unit(matrix: sparse.csr_array) -> float:
    """The largest of the smallest entries of rows, where that is large; else 1."""
    smallest = smallest_entries(matrix)
    unit = float(smallest[np.isfinite(smallest)].max(initial=1.0))
    return unit if unit > _LARGE_ROW_UNIT else 1.0


def presolve_is_a_risk(model: Model) -> bool:
    """Whether a small mixed-integer model is better solved without presolve."""
    if not model.integer.any() or not 0 < model.matrix.nnz <= _FEW_ENTRIES:
        return False
    largest = np.maximum(np.abs(model.lower), np.abs(model.upper))[model.integer].max()
    return bool(largest > _LARGE_BOUND) or _has_near_multiples(model)


def _has_near_multiples(model: Model) -> bool:
    """Whether some limit of a row is next to, but not at, a whole multiple of an entry or of what divides them all."""
    entries = model.matrix.data
    row_of = np.repeat(np.arange(len(model.row_lower)), np.diff(model.matrix.indptr))
    units = entries, 1.0 / whole_factors(model)[row_of]
    with np.errstate(divide="ignore", invalid="ignore"):
        limits = [side[row_of] / unit for side in (model.row_lower, model.row_upper) for unit in units]
    multiples = np.concatenate(limits)
    multiples = multiples[np.isfinite(multiples)]
    off = np.abs(multiples - np.round(multiples))
    return bool(((off > _NEAR_MULTIPLE[0]) & (off < _NEAR_MULTIPLE[1])).any())


def whole_factors(model: Model) -> Floats:
    """A number that makes all entries of a row whole, shape (rows,); inf where none of those tried does."""
    row_of = np.repeat(np.arange(len(model.row_lower)), np.diff(model.matrix.indptr))
    factors = np.full(len(model.row_lower), np.inf)
    for factor in _WHOLE_FACTORS:
        entries = np.abs(model.matrix.data) * factor
        whole = np.ones(len(factors), dtype=bool)
        whole[row_of[np.abs(entries - np.round(entries)) > 1e-9 * np.maximum(1.0, entries)]] = False
        factors = np.where(np.isinf(factors) & whole, factor, factors)
    return factors
