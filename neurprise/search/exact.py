"""The exact search of one session, from its start to the gap."""

from __future__ import annotations

from neurprise.search.ccg import ColumnAndConstraintGeneration, SearchOutcome
from neurprise.search.session import SearchSession
from neurprise.search.start import informed_start


def search_exactly(session: SearchSession, gap: float) -> SearchOutcome:
    """Column-and-constraint generation, from what the session knows already, until the gap or the deadline."""
    begun = informed_start(session)
    return ColumnAndConstraintGeneration(session, gap=gap).run(session.scenarios or begun)
