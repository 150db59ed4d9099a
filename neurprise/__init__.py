"""
Two-stage robust optimization over a finite list of scenarios, with a proof of how good each answer is.

The public names stand in `api.py`, which loads when the first of them is used: so the command line listens for Ctrl-C
before anything heavy begins.
"""

from __future__ import annotations

import sys
from types import FunctionType, ModuleType

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing itself would have to load
    from typing import Any

    from neurprise.api import *  # noqa: F403

__version__ = "0.1.0"


class _Package(ModuleType):
    """Importing the file solve.py sets the attribute `solve`; this keeps the function there, not the file."""

    def __setattr__(self, name: str, value: Any) -> None:
        function = getattr(value, name, None) if isinstance(value, ModuleType) else None
        super().__setattr__(name, function if isinstance(function, FunctionType) else value)


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> Any:
    """A file or folder of the package, or a public name."""
    import importlib.util

    if importlib.util.find_spec(f"{__name__}.{name}") is not None:
        importlib.import_module(f"{__name__}.{name}")
        return globals()[name]
    if name.startswith("_") and name != "__all__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.api"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__getattr__("__all__")})
