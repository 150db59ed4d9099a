"""
The paper, claim by claim.

Claims are data, by part of the paper; `rules.py` finds each verdict from the rows, `statistics.py` has what they count.
`python -m experiments claims` prints the page that docs/paper.md is.
"""

from __future__ import annotations

from experiments.claims import comparison, facility_location, generalization, prise
from experiments.claims.claim import Claim

#: By the heading of the page.
CLAIMS: dict[str, list[Claim]] = {
    "PRISE": prise.CLAIMS,
    "Selections and vertex covers": comparison.CLAIMS,
    "Generalization and training": generalization.CLAIMS,
    "Facility location": facility_location.CLAIMS,
}
