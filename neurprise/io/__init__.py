"""Problems from and to files, by suffix; adding a format is a file here and a line in `_FORMATS`."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from neurprise.errors import FormatError, InputError
from neurprise.names import near_miss
from neurprise.problem import TwoStageProblem

# module -> its suffixes; a module offers read(path, **options) and, if it can, write(problem, path)
_FORMATS = {
    "npz": (".npz",),
    "smps": (".cor", ".core", ".mps", ".tim", ".time", ".sto", ".stoch", ".smps"),
    "tables": (".toml",),
    "dat": (".dat",),
}

__all__ = ["read", "suffixes", "write"]


def suffixes() -> list[str]:
    """Suffixes that `read` knows."""
    return [suffix for known in _FORMATS.values() for suffix in known]


def read(path: str | Path | Sequence[str | Path], **options: Any) -> TwoStageProblem:
    """
    Read a problem; the suffix names the format.

    Parameters
    ----------
    path
        A file, or the three files (core, time, stoch) of an SMPS problem.
    options
        What the format understands, named as on the command line: SMPS takes time_file, stoch_file, sample, seed
        and max_scenarios; a plan takes scenarios.
    """
    if isinstance(path, (list, tuple)):
        core, options = _core_of_triple(path, options)
        return _call(_function("smps", "read"), "smps", core, options)
    name = _format_of(Path(path))  # type: ignore[arg-type]
    return _call(_function(name, "read"), name, _existing(Path(path)), options)  # type: ignore[arg-type]


def write(problem: TwoStageProblem, path: str | Path) -> None:
    """Write a problem; the suffix names the format (.npz for every problem, .dat for selection)."""
    target = Path(path)
    name = _format_of(target)
    writer = _function(name, "write")
    if writer is None:
        raise InputError(f"{name} files can be read but not written, got {target.name!r}; write to a .npz file.")
    if not target.parent.is_dir():
        raise InputError(f"the folder of {str(target)!r} does not exist; create it first.")
    writer(problem, target)


def _format_of(path: Path) -> str:
    for name, known in _FORMATS.items():
        if path.suffix.lower() in known:
            return name
    raise InputError(f"the file's suffix must be one of {', '.join(suffixes())}, got {path.name!r}.")


def _existing(path: Path) -> Path:
    if not path.is_file():
        raise InputError(f"{str(path)!r} is not a file; check the path.")
    return path


def _core_of_triple(paths: Sequence[str | Path], options: dict[str, Any]) -> tuple[Path, dict[str, Any]]:
    if len(paths) != 3:
        raise InputError(f"an SMPS problem has three files (core, time, stoch), got {len(paths)}.")
    core, time, stoch = (_existing(Path(path)) for path in paths)
    return core, {**options, "time_file": time, "stoch_file": stoch}


def _function(name: str, verb: str) -> Callable[..., Any] | None:
    return getattr(importlib.import_module(f"neurprise.io.{name}"), verb, None)


def _call(reader: Callable[..., Any] | None, name: str, path: Path, options: dict[str, Any]) -> TwoStageProblem:
    if reader is None:
        raise InputError(f"{name} files cannot be read.")
    known = list(inspect.signature(reader).parameters)[1:]
    unknown = [option for option in options if option not in known]
    if unknown:
        offer = near_miss(unknown[0], known) if known else "it takes none"
        raise InputError(f"the {name} format has no option {unknown[0]!r} ({offer}).")
    try:
        return reader(path, **options)  # type: ignore[no-any-return]
    except (OSError, MemoryError) as error:
        raise FormatError(f"{path.name} could not be read: {error}.") from None
