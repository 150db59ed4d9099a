"""Engines by name; adding one is a file here and a line in `_ENGINES`."""

from __future__ import annotations

import importlib
from importlib import metadata

from neurprise.errors import InputError, MissingDependencyError, did_you_mean
from neurprise.solvers.base import (
    Basis,
    Engine,
    EngineModel,
    EngineResult,
    EngineSession,
    EngineSettings,
    EngineStatus,
    Limits,
    LinearEngine,
    LinearSession,
    Purpose,
    sessions_grow,
)
from neurprise.solvers.corner_cases import clipped, made_exact, solved_tightly

# name -> (module, class, what installs it)
_ENGINES = {
    "highs": ("neurprise.solvers.highs.engine", "Highs", "pip install highspy"),
    "scip": ("neurprise.solvers.scip", "Scip", "pip install 'neurprise[scip]'"),
    "gurobi": ("neurprise.solvers.gurobi", "Gurobi", "pip install 'neurprise[gurobi]'"),
}
_PACKAGES = {"highs": "highspy", "scip": "pyscipopt", "gurobi": "gurobipy"}

__all__ = [
    "Basis",
    "Engine",
    "EngineModel",
    "EngineResult",
    "EngineSession",
    "EngineSettings",
    "EngineStatus",
    "Limits",
    "LinearEngine",
    "LinearSession",
    "Purpose",
    "clipped",
    "engine_names",
    "engine_version",
    "get_engine",
    "is_ours",
    "made_exact",
    "sessions_grow",
    "solved_tightly",
]


def engine_names() -> list[str]:
    """Names that `get_engine` knows, installed or not."""
    return list(_ENGINES)


def engine_version(name: str) -> str | None:
    """Version of the package that carries an engine; None where it is not installed or not known here."""
    try:
        return metadata.version(_PACKAGES[name])
    except (KeyError, metadata.PackageNotFoundError):
        return None


def is_ours(engine: Engine) -> bool:
    """Whether the engine is one of `engine_names()`, which other processes can make as well."""
    return type(engine).__module__ in {module for module, _, _ in _ENGINES.values()}


def get_engine(engine: str | Engine, settings: EngineSettings | None = None, argument: str = "solver") -> Engine:
    """
    The engine of that name with these settings, imported only now; an engine object is returned as it is.

    Parameters
    ----------
    argument
        What the caller calls the engine, for messages.
    """
    if not isinstance(engine, str):
        if not callable(getattr(engine, "solve", None)) or not callable(getattr(engine, "session", None)):
            raise InputError(f"{argument} must be the name of an engine or an engine, got {engine!r}.")
        if settings not in (None, EngineSettings()):
            raise InputError("threads, log_file and engine_options go with an engine's name; this one is an object.")
        return engine
    if engine not in _ENGINES:
        raise InputError(
            f"{argument} must be one of {', '.join(_ENGINES)}, got {engine!r}{did_you_mean(engine, _ENGINES)}."
        )
    module, cls, install = _ENGINES[engine]
    try:
        return getattr(importlib.import_module(module), cls)(settings or EngineSettings())  # type: ignore[no-any-return]
    except ImportError as error:
        if isinstance(error.__cause__, KeyboardInterrupt):  # so compiled modules tell that Ctrl-C met them loading
            raise error.__cause__ from None
        raise MissingDependencyError(f"The engine {engine!r} is not installed ({error}); run: {install}.") from None
