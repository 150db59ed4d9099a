"""HiGHS, the default engine, and the workarounds for its known defects."""

from neurprise.solvers.highs.engine import Highs

__all__ = ["Highs"]
