"""The test instances of every experiment, by the paper's names; each is drawn from its seed alone."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import Protocol

from neurprise.problem import TwoStageProblem
from neurprise.problems import get_family

#: Seeds of test instances start here; labels are drawn from hashed seeds of 64 bits, so training meets none of them.
FIRST_SEED = 900_000


class Instances(Hashable, Protocol):
    """
    What is measured on: problems by seed.

    `exact_seconds` are the wall-clock seconds for the optimum of one instance, None where nobody asks for it;
    `reduced_seconds` those for each answer of a method and for each reduced problem, None: until they are closed.
    """

    @property
    def name(self) -> str: ...
    @property
    def exact_seconds(self) -> float | None: ...
    @property
    def reduced_seconds(self) -> float | None: ...

    def problem(self, seed: int) -> TwoStageProblem:
        """The instance of that seed."""

    def smaller(self) -> Instances:
        """The set at smoke size, under the same name: tiny instances of the same kind."""


@dataclass(frozen=True)
class InstanceSet:
    """
    Instances of one distribution; `neurprise make` draws the same from the same seed.

    Parameters
    ----------
    name
        As the paper writes it, e.g. "VC-20-50".
    family, size, scenarios, distribution
        What the family's generator is asked for.
    kept_scenarios
        Of the scenarios drawn only the first so many are kept; None for all.
    exact_seconds, reduced_seconds
        See `Instances`; an optimum that is not proved by then is reported with its gap.
    """

    name: str
    family: str
    size: tuple[int, ...]
    scenarios: int
    distribution: str = "uniform"
    kept_scenarios: int | None = None
    exact_seconds: float | None = 300.0
    reduced_seconds: float | None = None

    def problem(self, seed: int) -> TwoStageProblem:
        """The instance of that seed."""
        drawn = get_family(self.family).draw(self.size, self.scenarios, seed, self.distribution)
        return drawn if self.kept_scenarios is None else drawn.restrict(range(self.kept_scenarios))

    def first(self, scenarios: int) -> InstanceSet:
        """The same instances with their first scenarios only."""
        return replace(self, name=f"{self.name}[:{scenarios}]", kept_scenarios=scenarios)

    def smaller(self) -> InstanceSet:
        kept = None if self.kept_scenarios is None else 3
        return replace(self, size=(5,) * len(self.size), scenarios=4, kept_scenarios=kept)

    def unsolved(self) -> InstanceSet:
        """The same instances where nobody asks for an optimum."""
        return replace(self, exact_seconds=None)


@dataclass(frozen=True)
class Made:
    """
    Instances that a function makes: of a file, or of a class that is no family.

    Parameters
    ----------
    make
        From the number of the instance, 0 for the first, to the problem.
    tiny
        The same at smoke size, which must need no file.
    exact_seconds, reduced_seconds
        See `Instances`.
    """

    name: str
    make: Callable[[int], TwoStageProblem]
    tiny: Callable[[int], TwoStageProblem]
    exact_seconds: float | None = None
    reduced_seconds: float | None = None

    def problem(self, seed: int) -> TwoStageProblem:
        return self.make(seed - FIRST_SEED)

    def smaller(self) -> Made:
        return replace(self, make=self.tiny)


def seeds(count: int) -> range:
    """The seeds of the first `count` test instances."""
    return range(FIRST_SEED, FIRST_SEED + count)


_ALL = [
    InstanceSet("SEL-20-50", "selection", (20,), 50),
    InstanceSet("VC-20-50", "vertex-cover", (20,), 50),
    InstanceSet("CFLP-30-30-50", "facility-location", (30, 30), 50),
    InstanceSet("SEL-50-50", "selection", (50,), 50),
    InstanceSet("SEL-50-100", "selection", (50,), 100),
    InstanceSet("VC-50-50", "vertex-cover", (50,), 50),
    InstanceSet("VC-50-100", "vertex-cover", (50,), 100),
    InstanceSet("CFLP-70-70-50", "facility-location", (70, 70), 50),
    InstanceSet("CFLP-70-70-100", "facility-location", (70, 70), 100),
    InstanceSet("SEL-100-50", "selection", (100,), 50),
    InstanceSet("VC-100-50", "vertex-cover", (100,), 50, reduced_seconds=20.0),
    InstanceSet("CFLP-150-150-50", "facility-location", (150, 150), 50),
    InstanceSet("SEL-20-100", "selection", (20,), 100),
    InstanceSet("SEL-20-200", "selection", (20,), 200),
    InstanceSet("VC-20-100", "vertex-cover", (20,), 100),
    InstanceSet("VC-20-200", "vertex-cover", (20,), 200),
    InstanceSet("CFLP-30-30-100", "facility-location", (30, 30), 100),
    InstanceSet("CFLP-30-30-200", "facility-location", (30, 30), 200),
    InstanceSet("SEL-20-50-normal", "selection", (20,), 50, "normal"),
    InstanceSet("VC-20-50-normal", "vertex-cover", (20,), 50, "normal"),
    InstanceSet("CFLP-30-30-50-normal", "facility-location", (30, 30), 50, "normal"),
    InstanceSet("SEL-20-50-multimodal", "selection", (20,), 50, "multimodal"),
    InstanceSet("VC-20-50-multimodal", "vertex-cover", (20,), 50, "multimodal"),
    InstanceSet("CFLP-30-30-50-multimodal", "facility-location", (30, 30), 50, "multimodal"),
]

#: Every set by its name.
SETS = {one.name: one for one in _ALL}
