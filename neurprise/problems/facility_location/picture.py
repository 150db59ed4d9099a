"""Sites, customers and shipments on a map."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from neurprise.problem.picture import NO_VARIABLE, Picture

if TYPE_CHECKING:
    from neurprise.arrays import Floats
    from neurprise.problems.facility_location.formulation import FacilityLocation

#: On larger maps nothing can be told apart.
MAX_DRAWN_LINES = 10_000


def map_picture(problem: FacilityLocation, sites: Floats, customers: Floats) -> Picture:
    """Open and closed sites, customers, and who ships to whom; coordinates of shapes (m, 2) and (n, 2)."""
    m, n = problem.transport_costs.shape
    site, customer = np.divmod(np.arange(m * n), n)  # as ship[site, customer] is numbered
    nobody = np.full(n, NO_VARIABLE)
    customer_names = problem.y_row_names[m:] or tuple(f"customer {i}" for i in range(n))
    return Picture(
        title="The map",
        places=np.vstack([sites, customers]),
        point_names=(*problem.first_stage_names[:m], *customer_names),
        chosen_now=np.concatenate([np.arange(m), nobody]),
        chosen_later=np.full(m + n, NO_VARIABLE),
        lines=np.column_stack([site, m + customer]),
        line_variables=np.arange(m * n),
        legend={"now": "open", "idle": "closed", "fixed": "customer"},
    )
