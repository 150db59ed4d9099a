"""
Reducers by name; adding one is a file here and a line in `REDUCERS` of `base.py`.

Each file is imported when its reducer is first asked for, so that what one needs costs the others nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from neurprise.reducers.base import REDUCERS, Reducer, Reduction, SessionReducer, get_reducer, load, reducer_names

if TYPE_CHECKING:
    from neurprise.reducers.ccg import CCG
    from neurprise.reducers.kmeans import KMeans
    from neurprise.reducers.maxsum import MaxSum
    from neurprise.reducers.neurprise import NeurPRISE
    from neurprise.reducers.prise import PRISE
    from neurprise.reducers.random import Random
    from neurprise.reducers.relaxation import Relaxation
    from neurprise.reducers.single_value import SingleValue
    from neurprise.reducers.sor import SOR

__all__ = [
    "CCG",
    "PRISE",
    "SOR",
    "KMeans",
    "MaxSum",
    "NeurPRISE",
    "Random",
    "Reducer",
    "Reduction",
    "Relaxation",
    "SessionReducer",
    "SingleValue",
    "get_reducer",
    "reducer_names",
]


def __getattr__(name: str) -> Any:
    if name not in REDUCERS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return load(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *REDUCERS})
