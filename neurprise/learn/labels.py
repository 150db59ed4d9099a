"""
Labels: PRISE traces of random instances, one JSON line each.

Instance i is drawn from a seed that depends on (seed, i) only, so a label stores no data of the instance and the file
is the same whatever the number of jobs. Lines are appended in order; what a kill leaves of the last line is cut off
when the run resumes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from neurprise import arrays
from neurprise.errors import FormatError, InputError
from neurprise.problem import TwoStageProblem
from neurprise.problems import make_facility_location, make_selection, make_vertex_cover

FORMAT = "neurprise-labels-1"
_CONFIG, _LINES = "config.json", "labels.jsonl"


@dataclass(frozen=True)
class LabelConfig:
    """
    What the instances are and how they are labelled.

    Parameters
    ----------
    family
        "selection", "vertex-cover" or "facility-location".
    size
        Items, nodes, or (facilities, customers).
    scenarios
        Scenarios of every instance.
    budget
        Largest number of scenarios in a PRISE trace; 0 leaves PRISE out, for test sets that need optima only.
    exact
        Whether each label holds the optimum and the trace of column-and-constraint generation too.
    """

    family: str
    size: tuple[int, ...]
    scenarios: int
    seed: int = 0
    budget: int = 8
    distribution: str = "uniform"
    exact: bool = True

    def problem(self, index: int) -> TwoStageProblem:
        """Instance `index`; the same whatever was drawn before."""
        seed = instance_seed(self.seed, index)
        if self.family == "selection":
            return make_selection(self.size[0], self.scenarios, seed, self.distribution)
        if self.family == "vertex-cover":
            return make_vertex_cover(self.size[0], self.scenarios, seed, self.distribution)
        if self.family == "facility-location":
            return make_facility_location(self.size[0], self.size[-1], self.scenarios, seed, self.distribution)
        raise InputError(
            f"family must be selection, vertex-cover or facility-location to be drawn at random, got {self.family!r}."
        )


@dataclass(frozen=True)
class Label:
    """
    What PRISE, and the exact search when asked, found on one instance.

    Parameters
    ----------
    index
        Number of the instance within its run.
    indices, gains
        The PRISE trace: scenarios in order, and the rise of V(R) at each step, starting from 0.
    objective
        V(R) of the whole trace.
    optimum, ccg
        V(all) and the scenarios in the order in which the exact search added them; None when not asked for.
    """

    index: int
    indices: tuple[int, ...]
    gains: tuple[float, ...]
    objective: float
    optimum: float | None = None
    ccg: tuple[int, ...] | None = None


@dataclass(frozen=True)
class LabelSet:
    """Labels of one directory, in the order of their instances."""

    config: LabelConfig
    labels: tuple[Label, ...]

    def __len__(self) -> int:
        return len(self.labels)


def instance_seed(seed: int, index: int) -> int:
    """The seed of instance `index` in a run of seed `seed`."""
    return int(np.random.SeedSequence((seed, index)).generate_state(1, np.uint64)[0])


def label(
    directory: str | Path,
    *,
    family: str,
    size: int | tuple[int, ...],
    scenarios: int,
    count: int,
    seed: int = 0,
    budget: int = 8,
    jobs: int = 1,
    distribution: str = "uniform",
    exact: bool = True,
) -> LabelSet:
    """
    Label instances until the directory holds `count`; a directory that holds some already is continued.

    Parameters
    ----------
    size
        Items, nodes, or facilities = customers; (facilities, customers) where they differ.
    jobs
        Processes; the labels do not depend on it.
    exact
        Also solve every instance to proven optimality and store the optimum and the exact search's trace.
    """
    config = _checked_config(family, size, scenarios, seed, budget, distribution, exact)
    count = arrays.whole_number("count", count, 1)
    jobs = arrays.whole_number("jobs", jobs, 1)
    folder = Path(directory)
    _open_folder(folder, config)
    with (folder / _LINES).open("ab") as file:
        _lock(file.fileno())
        done = _keep_whole_lines(folder / _LINES, config)
        for line in _label_lines(config, range(done, count), jobs):
            file.write(line)
            file.flush()
            os.fsync(file.fileno())
    return read_labels(folder)


def read_labels(directory: str | Path) -> LabelSet:
    """All labels of a directory; an unfinished last line is ignored."""
    folder = Path(directory)
    config = _read_config(folder)
    content = (folder / _LINES).read_bytes() if (folder / _LINES).exists() else b""
    whole = content[: content.rfind(b"\n") + 1]
    return LabelSet(config, tuple(_parse(line, number, config) for number, line in enumerate(whole.splitlines())))


def label_instance(config: LabelConfig, index: int) -> Label:
    """The PRISE trace, and the exact answer when asked, of one instance."""
    from neurprise.reducers.prise import PRISE

    problem = config.problem(index)
    indices: tuple[int, ...] = ()
    gains: tuple[float, ...] = ()
    if config.budget:
        trace = PRISE().reduce(problem, config.budget)
        indices, gains = trace.indices, trace.gains or ()
    optimum, ccg = _exact_answer(problem) if config.exact else (None, None)
    return Label(index, indices, gains, float(np.sum(gains)), optimum, ccg)


def _exact_answer(problem: TwoStageProblem) -> tuple[float, tuple[int, ...]]:
    from neurprise.exact.ccg import ColumnAndConstraintGeneration
    from neurprise.exact.session import SearchSession

    search = ColumnAndConstraintGeneration(SearchSession(problem), gap=1e-6).run()
    return search.worst_case, search.scenarios


def _label_line(config: LabelConfig, index: int) -> bytes:
    return json.dumps(asdict(label_instance(config, index)), allow_nan=False).encode() + b"\n"


def _label_lines(config: LabelConfig, indices: range, jobs: int) -> Iterator[bytes]:
    """One line per instance, in order, with a progress bar on standard error."""
    from joblib import Parallel, delayed
    from rich.console import Console
    from rich.progress import track

    # loky starts fresh processes: HiGHS must not be forked after a solve.
    work = Parallel(n_jobs=jobs, return_as="generator")(delayed(_label_line)(config, i) for i in indices)
    console = Console(stderr=True)
    yield from track(work, "labelling", len(indices), console=console, disable=not console.is_terminal)


def _checked_config(
    family: str, size: int | tuple[int, ...], scenarios: int, seed: int, budget: int, distribution: str, exact: bool
) -> LabelConfig:
    sizes = (size,) if isinstance(size, int) else tuple(size)
    if len(sizes) not in (1, 2):
        raise InputError(f"size must be one number, or two for facility location, got {size!r}.")
    config = LabelConfig(
        family,
        tuple(arrays.whole_number("size", part, 1) for part in sizes),
        arrays.whole_number("scenarios", scenarios, 1),
        arrays.whole_number("seed", seed, 0),
        arrays.whole_number("budget", budget, 0),
        distribution,
        bool(exact),
    )
    config.problem(0)  # an unknown family or distribution is refused here, before any file is touched
    return config


def _open_folder(folder: Path, config: LabelConfig) -> None:
    if (folder / _CONFIG).exists():
        known = _read_config(folder)
        if known != config:
            raise InputError(f"{folder} holds labels of {known}, asked for {config}; choose another directory.")
        return
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"format": FORMAT, **asdict(config)}, indent=1) + "\n"
    temporary = folder / f"{_CONFIG}.new"
    temporary.write_text(text)
    temporary.replace(folder / _CONFIG)


def _read_config(folder: Path) -> LabelConfig:
    try:
        data = json.loads((folder / _CONFIG).read_text())
        if data.pop("format") != FORMAT:
            raise KeyError("format")
        return LabelConfig(**{**data, "size": tuple(data["size"])})
    except FileNotFoundError:
        raise FormatError(
            f"{folder} holds no labels ({_CONFIG} is missing); make them with: neurprise label."
        ) from None
    except (KeyError, TypeError, ValueError, UnicodeDecodeError) as error:
        raise FormatError(f"{folder / _CONFIG} is not a label configuration of this package ({error!r}).") from None


def _keep_whole_lines(path: Path, config: LabelConfig) -> int:
    """Cut off an unfinished last line, check the rest and count it."""
    content = path.read_bytes()
    whole = content.rfind(b"\n") + 1
    if whole < len(content):
        os.truncate(path, whole)
    lines = content[:whole].splitlines()
    for number, line in enumerate(lines):
        _parse(line, number, config)
    return len(lines)


def _parse(line: bytes, number: int, config: LabelConfig) -> Label:
    try:
        data: dict[str, Any] = json.loads(line)
        ccg = data["ccg"]
        parsed = Label(
            int(data["index"]),
            tuple(int(i) for i in data["indices"]),
            tuple(float(g) for g in data["gains"]),
            float(data["objective"]),
            None if data["optimum"] is None else float(data["optimum"]),
            None if ccg is None else tuple(int(i) for i in ccg),
        )
    except (KeyError, TypeError, ValueError, UnicodeDecodeError) as error:
        raise FormatError(f"line {number + 1} of {_LINES} is not a label ({error!r}); remove it and resume.") from None
    known = range(config.scenarios)
    if parsed.index != number or any(i not in known for i in (*parsed.indices, *(parsed.ccg or ()))):
        raise FormatError(f"line {number + 1} of {_LINES} must hold instance {number} and scenarios in {known}.")
    return parsed


def _lock(descriptor: int) -> None:
    """Refuse a second writer; systems without file locks go without."""
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise InputError("another process is labelling into this directory; wait for it or choose another.") from None
