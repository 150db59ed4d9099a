"""
Two-stage robust optimization over a finite list of scenarios, with a proof of how good each answer is.

The public names are those of `api.py`. It loads when the first of them is used, so that the command line listens for
Ctrl-C before anything heavy begins.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing itself would have to load
    from typing import Any

    from neurprise.api import *  # noqa: F403

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """A public name, or a room of the package."""
    import importlib

    if not name.startswith("_") or name == "__all__":
        api = importlib.import_module(f"{__name__}.api")
        if hasattr(api, name):
            return getattr(api, name)
        if name in globals():  # a room that the public names have loaded
            return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__getattr__("__all__")})
