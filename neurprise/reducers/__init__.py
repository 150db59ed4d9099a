"""
Reducers by name; adding one is a file here and a line in `_REDUCERS`.

Each file is imported when its reducer is first asked for, so that what one needs costs the others nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from neurprise.errors import InputError, did_you_mean
from neurprise.reducers.base import Reducer, Reduction, SessionReducer

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

# class -> module; the name in `get_reducer` is the class in lower case
_REDUCERS = {
    "Random": "random",
    "KMeans": "kmeans",
    "MaxSum": "maxsum",
    "SOR": "sor",
    "SingleValue": "single_value",
    "CCG": "ccg",
    "PRISE": "prise",
    "Relaxation": "relaxation",
    "NeurPRISE": "neurprise",
}

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


def reducer_names() -> list[str]:
    """Names that `get_reducer` knows."""
    return [cls.lower() for cls in _REDUCERS]


def get_reducer(reducer: str | Reducer) -> Reducer:
    """The reducer of that name with its default parameters; a reducer object is returned as it is."""
    if not isinstance(reducer, str):
        if isinstance(reducer, type) or not callable(getattr(reducer, "reduce", None)):
            raise InputError(
                f"reducer must be a name or an object with a method reduce(problem, budget, seed), got {reducer!r}."
            )
        return reducer
    name = reducer.lower().replace("-", "").replace("_", "")
    classes = {cls.lower(): cls for cls in _REDUCERS}
    if name not in classes:
        raise InputError(f"reducer must be one of {', '.join(classes)}, got {reducer!r}{did_you_mean(name, classes)}.")
    return _load(classes[name])()  # type: ignore[no-any-return]


def __getattr__(name: str) -> Any:
    if name not in _REDUCERS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _load(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_REDUCERS})


def _load(cls: str) -> Any:
    return getattr(importlib.import_module(f"{__name__}.{_REDUCERS[cls]}"), cls)
