"""What a surrogate is told about an instance: items that the first stage decides about, and scenarios as sets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from neurprise.arrays import Floats


@dataclass(frozen=True)
class Description:
    """
    An instance without units: features are ratios, so that costs in another currency, and other sizes, look alike.

    What is decided about an item is a mixture of a few corners: taken or not; closed, open without capacity, open
    with all of it. The shares of the corners are affine in x. A network is asked at the corners only and mixed in
    between, so it stays affine in x however deep it is.

    Parameters
    ----------
    items
        Features of the n items, shape (n, F).
    corners
        Decision inputs at the C corners of an item's decision, shape (C, q).
    shares_at_zero, shares
        Share of every corner of every item, item by item: shares_at_zero + shares @ x; shapes (n C,), (n C, n_x).
    scenario_items
        Features of the k elements of each scenario, shape (S, k, G).
    scale
        Recourse costs divided by this are of the order of one.
    reference
        A decision that has recourse wherever any has, shape (n_x,); the search begins with its predicted worst case.
    """

    items: Floats
    corners: Floats
    shares_at_zero: Floats
    shares: sparse.csr_array
    scenario_items: Floats
    scale: float
    reference: Floats

    @property
    def item_inputs(self) -> Floats:
        """Decision inputs and features of every item at every corner, shape (n, C, q + F)."""
        n, c = len(self.items), len(self.corners)
        corners = np.broadcast_to(self.corners, (n, *self.corners.shape))
        return np.concatenate([corners, np.repeat(self.items[:, None], c, axis=1)], axis=2)

    def shares_of(self, decisions: Floats) -> Floats:
        """Shares of the corners under each decision; decisions: (N, n_x) -> (N, n, C)."""
        shares: Floats = self.shares_at_zero + (self.shares @ decisions.T).T
        return shares.reshape(len(decisions), len(self.items), len(self.corners))


def positive(value: float) -> float:
    """A divisor: the value, or 1 where it is not positive."""
    return float(value) if value > 0 else 1.0
