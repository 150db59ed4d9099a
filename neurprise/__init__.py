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
    """A room of the package, or a public name; the first public name brings all others."""
    import importlib.util

    if importlib.util.find_spec(f"{__name__}.{name}") is not None:
        return importlib.import_module(f"{__name__}.{name}")
    if name.startswith("_") and name != "__all__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    api = importlib.import_module(f"{__name__}.api")
    globals().update({public: getattr(api, public) for public in ("__all__", *api.__all__)})
    return getattr(api, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__getattr__("__all__")})
