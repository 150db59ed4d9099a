"""
The user's sign. Searches minimise costs; the source of a problem may have been a maximisation of profits.

Everything inside speaks of costs. What a user reads (reports, evaluations, reductions, the live line) is turned here,
once, at the edge.
"""

from __future__ import annotations

from typing import overload

import numpy as np

from neurprise.arrays import Floats, frozen


@overload
def users_sign(costs: float, maximize: bool) -> float: ...
@overload
def users_sign(costs: Floats, maximize: bool) -> Floats: ...
def users_sign(costs: float | Floats, maximize: bool) -> float | Floats:
    """Costs as they are, or as the profits that a maximisation speaks of; its own inverse."""
    if not maximize:
        return costs
    return frozen(0.0 - costs) if isinstance(costs, np.ndarray) else 0.0 - costs  # not -costs: zero has no sign here
