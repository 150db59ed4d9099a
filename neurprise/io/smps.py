"""
SMPS problems: a core (MPS), a TIME and a STOCH file that stand side by side.

    nr.read("farmer.cor")                                            # finds farmer.tim and farmer.sto
    nr.read(("pgp2.cor", "pgp2.tim", "PGP2.st3"))                    # three files of any names
    nr.read("pgp2.cor", stoch_file="PGP2.st3", sample=100, seed=1)   # or override one
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from neurprise.errors import FormatError, InputError
from neurprise.io.linear import Place
from neurprise.io.mps import Core, read_mps
from neurprise.io.records import Layout, read_text
from neurprise.io.scenario_product import MAX_SCENARIOS, Scenarios, combine
from neurprise.io.smps_stoch import Entry, places_of, read_stoch
from neurprise.io.smps_time import read_first_stage
from neurprise.io.staging import two_stage
from neurprise.problem import TwoStageProblem

SUFFIXES = {
    "core": (".cor", ".core", ".mps"),
    "time": (".tim", ".time"),
    "stoch": (".sto", ".stoch", ".stc"),
}


def read(
    path: Path,
    time_file: str | Path | None = None,
    stoch_file: str | Path | None = None,
    sample: int | None = None,
    seed: int = 0,
    max_scenarios: int = MAX_SCENARIOS,
) -> TwoStageProblem:
    """
    Read an SMPS problem.

    Parameters
    ----------
    path
        Any one of the three files; the others are found beside it by stem and suffix.
    time_file, stoch_file
        Files of other names.
    sample, seed
        Draw this many distinct scenarios by their probabilities instead of building all.
    max_scenarios
        More scenarios than this are refused unless sampled.
    """
    files = _files(Path(path), {"time": time_file, "stoch": stoch_file})
    try:
        return _read(files, "free", sample, seed, max_scenarios)
    except FormatError as error:
        try:
            return _read(files, "fixed", sample, seed, max_scenarios)
        except FormatError:
            raise error from None


def sources(path: Path, time_file: str | Path | None = None, stoch_file: str | Path | None = None) -> list[Path]:
    """Core, time and stoch."""
    return list(_files(path, {"time": time_file, "stoch": stoch_file}).values())


def _read(files: dict[str, Path], layout: Layout, sample: int | None, seed: int, max_scenarios: int) -> TwoStageProblem:
    core = read_mps(files["core"], layout)
    first_stage = read_first_stage(files["time"], core, layout)
    stoch = read_stoch(files["stoch"], core, layout)
    scenarios = combine(
        files["stoch"].name, stoch.parts, stoch.base, sample=sample, seed=seed, max_scenarios=max_scenarios
    )
    places, values = _placed(core, scenarios)
    return two_stage(
        core.model,
        first_stage,
        places,
        values,
        scenario_names=scenarios.names,
        probabilities=scenarios.probabilities,
    )


def _placed(
    core: Core, scenarios: Scenarios[Entry]
) -> tuple[list[Place], np.ndarray[tuple[int, int], np.dtype[np.float64]]]:
    """The model's places that the random entries fill, and their values, shape (S, places)."""
    targets = [
        (place, k, shift, factor)
        for k, entry in enumerate(scenarios.keys)
        for place, shift, factor in places_of(core, entry)
    ]
    places = [place for place, *_ in targets]
    if len(set(places)) != len(places):
        raise FormatError("a bound is random both as FX and as UP or LO; keep one of them.")
    source = [k for _, k, _, _ in targets]
    shift = np.array([shift for *_, shift, _ in targets])
    factor = np.array([factor for *_, factor in targets])
    return places, scenarios.values[:, source] * factor + shift


def _files(path: Path, given: dict[str, str | Path | None]) -> dict[str, Path]:
    if path.suffix.lower() == ".smps":
        return _listed_files(path)
    role = next((role for role, known in SUFFIXES.items() if path.suffix.lower() in known), "core")
    files = {role: path}
    for other in SUFFIXES:
        name = given.get(other)
        if name is not None:
            files[other] = _given(Path(name), other)
        elif other not in files:
            files[other] = _sibling(path, other)
    return files


def _given(path: Path, role: str) -> Path:
    if not path.is_file():
        raise InputError(f"the {role} file must exist, got {str(path)!r}; check the path.")
    return path


def _sibling(path: Path, role: str) -> Path:
    """The file of the same stem with one of the role's suffixes, in any case; the exact stem is preferred."""
    candidates = [
        (other.stem != path.stem, SUFFIXES[role].index(other.suffix.lower()), other.name, other)
        for other in path.parent.iterdir()
        if other.suffix.lower() in SUFFIXES[role] and other.stem.lower() == path.stem.lower() and other.is_file()
    ]
    if not candidates:
        raise FormatError(
            f"no {role} file stands beside {path.name}: expected {path.stem} with {' or '.join(SUFFIXES[role])}; "
            "pass the three files (core, time, stoch) by name."
        )
    return min(candidates)[-1]


def _listed_files(path: Path) -> dict[str, Path]:
    """A .smps file names the three files, one a line."""
    files: dict[str, Path] = {}
    for line in read_text(path).splitlines():
        name = line.strip()
        if name and not name.startswith("*"):
            file = path.parent / name
            role = next((role for role, known in SUFFIXES.items() if file.suffix.lower() in known), None)
            if role is None or role in files or not file.is_file():
                raise FormatError(f"{path.name} must name one core, one time and one stoch file, got {name!r}.")
            files[role] = file
    if len(files) != len(SUFFIXES):
        raise FormatError(f"{path.name} must name a core, a time and a stoch file, got {sorted(files)}.")
    return files
