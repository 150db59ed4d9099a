"""
The contracts of every extension point, as checks that you can run on your own.

    from neurprise.testing import check_reducer
    check_reducer(MyReducer())

A broken rule raises AssertionError with a sentence that names it.
"""

from neurprise.testing.engine import check_engine
from neurprise.testing.family import check_family
from neurprise.testing.format import check_format
from neurprise.testing.model_reader import check_model_reader
from neurprise.testing.objective import check_objective
from neurprise.testing.reducer import check_reducer, small_problems

__all__ = [
    "check_engine",
    "check_family",
    "check_format",
    "check_model_reader",
    "check_objective",
    "check_reducer",
    "small_problems",
]
