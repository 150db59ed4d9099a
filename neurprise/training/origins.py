"""
Where labelled instances come from: a family, a function of a seed, or given problems.

Given problems are stored beside the labels in the package's own format, so training needs no other file. A few
problems make many instances: each instance draws some of their scenarios.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import Any

import numpy as np

from neurprise import arrays
from neurprise.errors import InputError, counted
from neurprise.io import read, suffixes
from neurprise.problem import TwoStageProblem
from neurprise.problems import Family, family_names, get_family, register

#: Files that belong to an SMPS core file and are read with it.
_COMPANIONS = (".tim", ".time", ".sto", ".stoch")
#: The origin of problems that are stored beside the labels; also the name of their folder.
STORED = "instances"


@dataclass(frozen=True)
class FamilyInstances:
    """
    Instances that a family draws.

    Parameters
    ----------
    family
        Name of a family; register your own families first.
    size
        The sizes that its generator asks for, in that order; a single number serves for all.
    scenarios
        Scenarios of every instance.
    """

    family: str
    size: tuple[int, ...]
    scenarios: int
    seed: int = 0
    distribution: str = "uniform"

    @property
    def title(self) -> str:
        size = "x".join(map(str, self.size))
        return f"{self.family}, size {size}, {counted(self.scenarios, 'scenario')}, {self.distribution}"

    def entries(self) -> dict[str, Any]:
        """The content of config.json."""
        return asdict(self)

    def problem(self, index: int) -> TwoStageProblem:
        """Instance `index`; it does not depend on earlier draws."""
        seed = instance_seed(self.seed, index)
        return get_family(self.family).draw(self.size, self.scenarios, seed, self.distribution)


def checked_instances(
    family: str, size: int | tuple[int, ...], scenarios: int, seed: int, distribution: str
) -> dict[str, Any]:
    """The fields of `FamilyInstances`; refuses bad ones, also those that only the family can judge."""
    sizes = (size,) if isinstance(size, int) else tuple(size)
    instances = FamilyInstances(
        family,
        tuple(arrays.whole_number("size", part, 1) for part in sizes),
        arrays.whole_number("scenarios", scenarios, 1),
        arrays.whole_number("seed", seed, 0),
        distribution,
    )
    instances.problem(0)
    return instances.entries()


def with_family(family: Family, line_of: Callable[[int], bytes], index: int) -> bytes:
    """`line_of(index)` in any process: workers do not know the families that their parent registered."""
    if family.name not in family_names():
        register(family)
    return line_of(index)


@dataclass(frozen=True)
class OriginConfig:
    """
    Instances that come from a function or from stored problems.

    Parameters
    ----------
    origin
        "module:function" of a function that draws a problem from a seed; STORED for problems kept beside the labels.
    problems
        Number of stored problems; 0 for a function.
    scenarios
        Number of scenarios that every instance draws from its stored problem; 0 for all of them.
    budget, exact
        As in `LabelConfig`.
    folder
        The directory of the labels; not part of the configuration.
    """

    origin: str
    problems: int = 0
    scenarios: int = 0
    seed: int = 0
    budget: int = 8
    exact: bool = True
    folder: Path = field(default=Path(), compare=False, repr=False)

    @property
    def title(self) -> str:
        if self.origin != STORED:
            return self.origin
        drawn = f", {counted(self.scenarios, 'scenario')} of each drawn" if self.scenarios else ""
        return f"{counted(self.problems, 'stored problem')}{drawn}"

    def entries(self) -> dict[str, Any]:
        """The content of config.json."""
        names = ("origin", "problems", "scenarios", "seed", "budget", "exact")
        return {name: getattr(self, name) for name in names}

    def problem(self, index: int) -> TwoStageProblem:
        """Instance `index`; it does not depend on earlier draws."""
        seed = instance_seed(self.seed, index)
        if self.origin != STORED:
            return _drawn(self.origin, seed)
        whole = read(_place(self.folder, index % self.problems))
        if not 0 < self.scenarios < whole.num_scenarios:
            return whole
        kept = np.random.default_rng(seed).choice(whole.num_scenarios, self.scenarios, replace=False)
        return whole.restrict(np.sort(kept).tolist())


def instance_seed(seed: int, index: int) -> int:
    """The seed of instance `index` in a run of seed `seed`."""
    return int(np.random.SeedSequence((seed, index)).generate_state(1, np.uint64)[0])


def store_problems(folder: Path, problems: Iterable[TwoStageProblem]) -> int:
    """Store the problems beside the labels and return their number; refuses other problems than are stored."""
    count = 0
    for count, problem in enumerate(problems, 1):
        if not isinstance(problem, TwoStageProblem):
            raise InputError(f"problems must be TwoStageProblem objects, got {problem!r} at position {count - 1}.")
        path = _place(folder, count - 1)
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            problem.write(path)
        elif read(path) != problem:
            raise InputError(f"{folder} holds labels of other problems; choose another directory.")
    if count == 0:
        raise InputError("there must be at least one problem to label, got none.")
    return count


def read_folder(folder: Path) -> Iterator[TwoStageProblem]:
    """The problems of every readable file in a folder, by name."""
    known = [suffix for suffix in suffixes() if suffix not in _COMPANIONS]
    files = [path for path in sorted(folder.iterdir()) if path.suffix.lower() in known]
    if not files:
        raise InputError(f"{folder} holds no problem; files end in {', '.join(known)}.")
    for path in files:
        yield read(path)


def is_function(name: str) -> bool:
    """Whether the text names a function as "module:function"."""
    module, colon, function = name.partition(":")
    return bool(colon) and function.isidentifier() and all(part.isidentifier() for part in module.split("."))


def check_function(name: str) -> None:
    """Refuse a function that returns no problem."""
    _drawn(name, instance_seed(0, 0))


def _drawn(name: str, seed: int) -> TwoStageProblem:
    problem = _function(name)(seed)
    if not isinstance(problem, TwoStageProblem):
        raise InputError(f"{name} must return a TwoStageProblem for a seed, got {type(problem).__name__}.")
    return problem


class _WorkingDirectory:
    """Finds modules in the working directory, after all installed ones."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: object = None) -> ModuleSpec | None:
        return PathFinder.find_spec(name, [os.getcwd()]) if path is None else None


def _function(name: str) -> Callable[[int], object]:
    module, _, function = name.partition(":")
    if _WorkingDirectory not in sys.meta_path:
        sys.meta_path.append(_WorkingDirectory)
    try:
        found = getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise InputError(f"{name} names no function of a seed ({error}); give it as module:function.") from None
    if not callable(found):
        raise InputError(f"{name} must be a function of a seed, got {found!r}.")
    return found  # type: ignore[no-any-return]


def _place(folder: Path, number: int) -> Path:
    return folder / STORED / f"{number:06d}.npz"


#: Argument of `label_problems`: problems, a folder of files, or "module:function".
Origin = str | Path | Sequence[TwoStageProblem]
