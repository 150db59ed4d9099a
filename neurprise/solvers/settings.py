"""What a caller may set in an engine: threads, a log file, and the engine's own options."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from neurprise import arrays
from neurprise.errors import InputError


@dataclass(frozen=True)
class EngineSettings:
    """
    How an engine works; what it is asked stands in `Limits`.

    Parameters
    ----------
    threads
        Threads of one solve.
    log_file
        Where the engine's own log of every model goes that it solves once; sessions, which solve thousands of small
        ones, write none. None for no log.
    options
        The engine's own options by their names there, e.g. {"mip_heuristic_effort": 0.2} for HiGHS.
    """

    threads: int = 1
    log_file: Path | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


def checked_settings(threads: Any, log_file: Any, engine_options: Any) -> EngineSettings:
    """The caller's settings once they make sense for any engine; an old log is emptied, a bad path refused."""
    if engine_options is not None and not isinstance(engine_options, Mapping):
        raise InputError(
            f"engine_options must be a dict of the engine's own option names and values, got {engine_options!r}."
        )
    path = None if log_file is None else _emptied(log_file)
    return EngineSettings(arrays.whole_number("threads", threads, 1), path, dict(engine_options or {}))


def refuse_reserved(engine: str, options: Mapping[str, Any], reserved: Collection[str]) -> None:
    """Refuse options that this package sets in every solve, or that would end a search without a word."""
    taken = {name.lower() for name in reserved}
    for name in options:
        if not isinstance(name, str):
            raise InputError(f"names of engine options must be texts, got {name!r}.")
        if name.lower() in taken:
            raise InputError(
                f"the option {name!r} of {engine} is set by solve() itself; use gap, time_limit, threads or log_file "
                "instead and leave it out of engine_options."
            )


def refuse_option(engine: str, name: str, value: Any) -> NoReturn:
    """Say that the engine does not take this option."""
    raise InputError(
        f"{engine} has no option {name!r} that takes {value!r}; see its list of options for names and values."
    )


def _emptied(log_file: Any) -> Path:
    if not isinstance(log_file, str | Path):
        raise InputError(f"log_file must be the path of a text file, got {log_file!r}.")
    path = Path(log_file).absolute()
    if path.is_dir() or not path.parent.is_dir():
        raise InputError(f"log_file must be a file in a directory that exists, got {str(log_file)!r}; create it first.")
    path.write_text("", encoding="utf-8")
    return path
