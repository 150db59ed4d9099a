"""
SMPS problems: a core (MPS), a TIME and a STOCH file that stand side by side.

    nr.read("farmer.cor")                                            # finds farmer.tim and farmer.sto
    nr.read(("pgp2.cor", "pgp2.tim", "PGP2.st3"))                    # three files of any names
    nr.read("pgp2.cor", stoch_file="PGP2.st3", sample=100, seed=1)   # or override one
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from neurprise.arrays import Bools
from neurprise.errors import FormatError, InputError, near_miss
from neurprise.io import smps_writer
from neurprise.io.linear import Place
from neurprise.io.mps import Core, read_mps
from neurprise.io.records import Layout, Record, read_text, records
from neurprise.io.scenario_product import MAX_SCENARIOS, Scenarios, combine
from neurprise.io.smps_stoch import Entry, places_of, read_stoch
from neurprise.io.staging import two_stage
from neurprise.problem import TwoStageProblem

SUFFIXES = {
    "core": (".cor", ".core", ".mps"),
    "time": (".tim", ".time"),
    "stoch": (".sto", ".stoch", ".stc"),
}
_TIME_SECTIONS = ("TIME", "PERIODS", "ROWS", "COLUMNS")
#: Some files write the number of periods behind PERIODS.
_COUNTS = {str(count) for count in range(1, 100)}
_TIME_WORDS = {"IMPLICIT", "EXPLICIT", "LP", "IP", "NETWORK", "DISCRETE", *_COUNTS}


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


def write(problem: TwoStageProblem, path: Path) -> None:
    """Write core, time and stoch beside each other, named after the path; a .smps file names them."""
    smps_writer.write(problem, _targets(path), lambda drafts: _read(drafts, "free", None, 0, problem.num_scenarios))


def outputs(path: Path) -> list[Path]:
    """The files that `write` writes."""
    return list(_targets(path).values())


def _targets(path: Path) -> dict[str, Path]:
    suffix = path.suffix.lower()
    core = path if suffix in SUFFIXES["core"] else path.with_suffix(".cor")
    files = {"core": core, "time": path.with_suffix(".tim"), "stoch": path.with_suffix(".sto")}
    return {**files, "list": path} if suffix == ".smps" else files


def sources(path: Path, time_file: str | Path | None = None, stoch_file: str | Path | None = None) -> list[Path]:
    """Core, time and stoch."""
    return list(_files(path, {"time": time_file, "stoch": stoch_file}).values())


def _read(files: dict[str, Path], layout: Layout, sample: int | None, seed: int, max_scenarios: int) -> TwoStageProblem:
    core = read_mps(files["core"], layout)
    first_stage = _first_stage(files["time"], core, layout)
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


def _first_stage(path: Path, core: Core, layout: Layout) -> Bools:
    """Which columns of the core belong to the first of two periods, shape (columns,)."""
    parser = _TimeParser(path, core)
    for record in records(path, _TIME_SECTIONS, _TIME_WORDS, layout):
        parser.take(record)
    now, now_rows = parser.stages()
    _check_order(path, core, now, now_rows)
    return now


@dataclass
class _Period:
    name: str
    record: Record


@dataclass
class _TimeParser:
    path: Path
    core: Core
    periods: list[_Period] = field(default_factory=list)
    assigned: dict[str, dict[str, str]] = field(default_factory=lambda: {"ROWS": {}, "COLUMNS": {}})

    def take(self, record: Record) -> None:
        if record.is_header:
            self._header(record)
            return
        if record.section == "PERIODS":
            self._period(record)
        elif record.section in self.assigned:
            self._assignment(record)
        else:
            record.fail(f"expected a section ({', '.join(_TIME_SECTIONS[1:])}), got {record.fields[0]!r}.")

    def _header(self, record: Record) -> None:
        announced = [word for word in record.fields if word in _COUNTS]
        if record.section == "PERIODS" and announced not in ([], ["2"]):
            record.fail(f"two periods can be represented, the section announces {announced[0]}; join the later ones.")

    def _period(self, record: Record) -> None:
        if len(record.fields) not in (1, 3):
            record.fail("a period is its first column, its first row and its name, or, with EXPLICIT, its name alone.")
        self.periods.append(_Period(record.fields[-1], record))
        if len(self.periods) > 2:
            record.fail(
                "only two periods can be represented, this is the third; join the later periods into the second."
            )
        if len({period.name for period in self.periods}) != len(self.periods):
            record.fail(f"the period {record.fields[-1]!r} is named twice.")

    def _assignment(self, record: Record) -> None:
        if len(record.fields) != 2 or record.fields[1] not in [period.name for period in self.periods]:
            record.fail(f"expected a name and one of the periods, got {' '.join(record.fields)!r}.")
        self.assigned[record.section][record.fields[0]] = record.fields[1]

    def stages(self) -> tuple[Bools, Bools]:
        """First-period columns, and first-period rows in the core's row order (free rows included)."""
        if len(self.periods) != 2:
            raise FormatError(
                f"{self.path.name}: two periods are needed, got {len(self.periods)}; the first is decided before the "
                "scenario is known, the second after."
            )
        if any(self.assigned.values()):
            return self._explicit("COLUMNS", self.core.model.columns), self._explicit("ROWS", self.core.row_order)
        return self._implicit_columns(), self._implicit_rows()

    def _explicit(self, section: str, names: tuple[str, ...]) -> Bools:
        periods, first = self.assigned[section], self.periods[0].name
        missing = [name for name in names if name not in periods and name != self.core.objective]
        unknown = [name for name in periods if name not in set(names)]
        if missing or unknown:
            what = f"{missing[0]!r} has no period" if missing else f"{unknown[0]!r} is not in the core file"
            raise FormatError(f"{self.path.name}: every name in {section} needs its period, but {what}.")
        return np.array([periods.get(name, first) == first for name in names])

    def _implicit_columns(self) -> Bools:
        start = [self._position(period, 0, self.core.model.columns, "column") for period in self.periods]
        if start[0] >= start[1]:
            self.periods[1].record.fail("its first column must come after the first period's; reorder the columns.")
        return np.arange(len(self.core.model.columns)) < start[1]

    def _implicit_rows(self) -> Bools:
        rows = self.core.row_order
        first, second = (self._position(period, 1, rows, "row") for period in self.periods)
        if self.periods[0].record.fields[1] == self.core.objective:
            first = 0  # the objective stands for "no row yet", wherever the core lists it
        if first > second:
            self.periods[1].record.fail("its first row must not come before the first period's; reorder the rows.")
        return np.arange(len(rows)) < second

    def _position(self, period: _Period, index: int, names: tuple[str, ...], what: str) -> int:
        if len(period.record.fields) != 3:
            period.record.fail("without ROWS and COLUMNS sections a period needs its first column and first row.")
        name = period.record.fields[index]
        if name not in names:
            period.record.fail(f"the {what} {name!r} is not in the core file ({near_miss(name, names)}).")
        return names.index(name)


def _check_order(path: Path, core: Core, now: Bools, now_rows: Bools) -> None:
    """A first-period row must not use what is decided in the second."""
    declared = dict(zip(core.row_order, now_rows.tolist(), strict=True))
    entries = core.model.matrix.tocoo()
    for i, j in zip(*(part.tolist() for part in entries.coords), strict=True):
        if declared[core.model.rows[i]] and not now[j]:
            raise FormatError(
                f"{path.name}: row {core.model.rows[i]!r} belongs to the first period but uses column "
                f"{core.model.columns[j]!r} of the second; move the row to the second period."
            )
