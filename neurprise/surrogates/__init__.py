"""
Surrogates by name: methods in which a trained network predicts the recourse costs. A new one is a file and a line here.

Each file is imported when its surrogate is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from neurprise.errors import InputError

if TYPE_CHECKING:
    from neurprise.surrogates.neur2ro import Neur2RO

# class -> module; the name in `get_surrogate` is the class in lower case
_SURROGATES = {"Neur2RO": "neur2ro"}

__all__ = ["Neur2RO", "get_surrogate", "surrogate_names"]


def surrogate_names() -> list[str]:
    """Names that `get_surrogate` knows."""
    return [cls.lower() for cls in _SURROGATES]


def get_surrogate(name: str) -> type[Neur2RO]:
    """The surrogate of that name."""
    classes = {cls.lower(): cls for cls in _SURROGATES}
    if name.lower() not in classes:
        raise InputError(f"surrogate must be one of {', '.join(classes)}, got {name!r}.")
    return _load(classes[name.lower()])  # type: ignore[no-any-return]


def __getattr__(name: str) -> Any:
    if name not in _SURROGATES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _load(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_SURROGATES})


def _load(cls: str) -> Any:
    return getattr(importlib.import_module(f"{__name__}.{_SURROGATES[cls]}"), cls)
