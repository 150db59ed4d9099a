"""
Where the instances of a label set come from when no family draws them: a function of a seed, or problems at hand.

Problems at hand are stored beside the labels in the package's own format, so that training needs nothing else. From a
few of them many instances are made by drawing some of their scenarios.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from neurprise.errors import InputError, counted
from neurprise.io import read, suffixes
from neurprise.problem import TwoStageProblem

#: Files that stand beside an SMPS core file and are read with it.
_COMPANIONS = (".tim", ".time", ".sto", ".stoch")
#: What `origin` says of problems that are stored beside the labels.
STORED = "instances"


class InstanceSource(Protocol):
    """What a label set says about its instances and how they are labelled."""

    seed: int
    budget: int
    exact: bool

    @property
    def title(self) -> str:
        """The instances in a few words."""

    def problem(self, index: int) -> TwoStageProblem:
        """Instance `index`; the same whatever was asked before."""


@dataclass(frozen=True)
class OriginConfig:
    """
    Instances that no family draws.

    Parameters
    ----------
    origin
        "module:function" of a function that draws a problem from a seed; STORED for problems kept beside the labels.
    problems
        How many are stored; 0 for a function.
    scenarios
        Of a stored problem every instance keeps so many scenarios, drawn by chance; 0 for all of them.
    budget, exact
        As of a `LabelConfig`.
    folder
        The label set's directory; not part of the configuration.
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
        """What config.json keeps."""
        names = ("origin", "problems", "scenarios", "seed", "budget", "exact")
        return {name: getattr(self, name) for name in names}

    def problem(self, index: int) -> TwoStageProblem:
        """Instance `index`; the same whatever was drawn before."""
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
    """Keep the problems beside the labels of this directory; refuse others than it holds. Returns how many."""
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
    """Refuse a name that no problem comes from."""
    _drawn(name, instance_seed(0, 0))


def _drawn(name: str, seed: int) -> TwoStageProblem:
    problem = _function(name)(seed)
    if not isinstance(problem, TwoStageProblem):
        raise InputError(f"{name} must return a TwoStageProblem for a seed, got {type(problem).__name__}.")
    return problem


class _WorkingDirectory:
    """Finds modules of the user's own in the directory where the command is given, after all installed ones."""

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


#: What `nr.learn.label` takes: problems, a folder of files, or "module:function".
Origin = str | Path | Sequence[TwoStageProblem]
