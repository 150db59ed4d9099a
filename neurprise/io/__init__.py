"""Problems from and to files, by suffix; adding a format is a file here and a line in `_FORMATS`."""

from __future__ import annotations

import difflib
import importlib
import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from neurprise.errors import FormatError, InputError, near_miss
from neurprise.problem import TwoStageProblem
from neurprise.progress import progress_line

# module -> its suffixes; a module offers read(path, **options) and, if it can, write(problem, path); one whose problems
# lie in several files tells which in sources(path, **options), with some of the options of read
_FORMATS = {
    "npz": (".npz",),
    "smps": (".cor", ".core", ".mps", ".tim", ".time", ".sto", ".stoch", ".smps"),
    "plan": (".toml",),
    "dat": (".dat",),
}
#: The format of folders, and of paths without a suffix that are to be written.
_FOLDER = "folder"

# suffixes of what people have when they do not have a problem yet
_ADVICE = {
    (".lp",): "join the model with a table of scenarios in a plan (.toml)",
    (".csv", ".tsv", ".xlsx", ".parquet"): "join the table with a model in a plan (.toml)",
    (".xls", ".ods"): "save the table as .xlsx or .csv and join it with a model in a plan (.toml)",
}

__all__ = ["outputs", "read", "sources", "suffixes", "write", "writer_of"]


def suffixes() -> list[str]:
    """Suffixes that `read` knows."""
    return [suffix for known in _FORMATS.values() for suffix in known]


def read(path: str | Path | Sequence[str | Path], **options: Any) -> TwoStageProblem:
    """
    Read a problem; the suffix names the format.

    Parameters
    ----------
    path
        A file, a folder of models, or the three files (core, time, stoch) of an SMPS problem.
    options
        What the format understands, named as on the command line: SMPS takes time_file, stoch_file, sample, seed
        and max_scenarios; a plan takes scenarios, a path or a table of pandas or xarray.
    """
    if isinstance(path, (list, tuple)):
        core, options = _core_of_triple(path, options)
        return _call(_function("smps", "read"), "smps", core, options)
    name = _format_of(Path(path))  # type: ignore[arg-type]
    return _call(_function(name, "read"), name, _existing(Path(path)), options)  # type: ignore[arg-type]


def sources(path: Path, **options: Any) -> list[Path]:
    """Every file that `read` with this path and these options looks into, the named one first."""
    function = _function(_format_of(path), "sources")
    if function is None:
        return [path]
    known = inspect.signature(function).parameters
    others = function(path, **{name: value for name, value in options.items() if name in known})
    return list(dict.fromkeys([path, *others]))


def outputs(path: Path) -> list[Path]:
    """Every file that `write` writes for this path, except in a folder."""
    function = None if path.is_dir() or not path.suffix else _function(_format_of(path), "outputs")
    return [path] if function is None else function(path)


def write(problem: TwoStageProblem, path: str | Path) -> None:
    """Write a problem; the suffix names the format (.npz holds every problem), and no suffix means a folder."""
    target = Path(path)
    writer = writer_of(target)
    if not target.parent.is_dir():
        raise InputError(f"the folder of {str(target)!r} does not exist; create it first.")
    writer(problem, target)


def writer_of(path: Path) -> Callable[[TwoStageProblem, Path], None]:
    """The function that writes a problem to such a file; raises where there is none."""
    writers = {suffix: _function(name, "write") for name, known in _FORMATS.items() for suffix in known}
    is_folder = path.is_dir() or not path.suffix
    writer = _function(_FOLDER, "write") if is_folder else writers.get(path.suffix.lower())
    if writer is None:
        *others, last = [known[0] for name, known in _FORMATS.items() if _function(name, "write")]
        raise InputError(
            f"a problem is written to a file that ends in {', '.join(others)} or {last}, or to a folder (no suffix), "
            f"got {path.name!r}."
        )
    return writer


def _format_of(path: Path) -> str:
    if path.is_dir():
        return _FOLDER
    for name, known in _FORMATS.items():
        if path.suffix.lower() in known:
            return name
    rule = f"the file's suffix must be one of {', '.join(suffixes())}, got {path.name!r}"
    raise InputError(f"{rule}{_advice(path)}.")


def _advice(path: Path) -> str:
    """What may be meant by a file of no known suffix."""
    for kinds, words in _ADVICE.items():
        if path.suffix.lower() in kinds:
            return f"; {words}"
    hint = near_miss(path.suffix, suffixes()) if path.suffix else _beside(path)
    return f" ({hint})" if hint.startswith("did you mean") else ""


def _existing(path: Path) -> Path:
    if not path.exists():
        hint = _beside(path)
        raise InputError(f"{str(path)!r} is not a file{f' ({hint})' if hint else ''}; check the path.")
    return path


def _beside(path: Path) -> str:
    """A question for the file in the same folder whose name is closest, if one is close."""
    if not path.parent.is_dir():
        return ""
    names = {file.stem: file.name for file in sorted(path.parent.iterdir()) if file.suffix.lower() in suffixes()}
    close = difflib.get_close_matches(path.stem, names, n=1)
    return f"did you mean {names[close[0]]!r}?" if close else ""


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
        with progress_line() as line:
            line.say(f"reading {path.name}")
            return reader(path, **options)  # type: ignore[no-any-return]
    except (OSError, MemoryError) as error:
        raise FormatError(f"{path.name} could not be read: {error}.") from None
