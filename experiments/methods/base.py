"""What every method of an experiment takes and gives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from experiments.instances.sets import Instances
from experiments.optima import Optimum
from experiments.outcomes import Outcome
from neurprise.problem import TwoStageProblem

#: Gap of the reduced problems, as in the paper.
GAP = 1e-4


@dataclass(frozen=True)
class Task:
    """
    One instance, for one method.

    Parameters
    ----------
    budgets
        Scenarios to keep, one outcome each; methods that take no budget ignore them.
    seed
        For what the method draws.
    optimum
        Best value known, and how it was found.
    checkpoints
        Folder of the networks that experiments train.
    seconds
        Wall-clock seconds for each answer and each reduced problem; None: until they are closed.
    instances
        The set that the problem is of, for methods that draw it anew or ask for more of its instances.
    """

    problem: TwoStageProblem
    budgets: tuple[int, ...]
    seed: int
    optimum: Optimum
    checkpoints: Path
    seconds: float | None = None
    instances: Instances | None = None

    def drawn(self) -> TwoStageProblem:
        """The same problem as nobody has seen it: families keep what they found out about theirs."""
        return self.problem if self.instances is None else self.instances.problem(self.seed)


class Method(Protocol):
    """Makes outcomes; `title` is its name in tables, `gap` what reduced problems are solved to."""

    @property
    def title(self) -> str: ...
    @property
    def takes_budget(self) -> bool: ...
    @property
    def gap(self) -> float: ...

    def outcomes(self, task: Task) -> Iterator[Outcome]:
        """One per budget, or a single one where the method takes none."""


@runtime_checkable
class Shrinkable(Protocol):
    """A method that at full size takes long whatever the instance."""

    def smaller(self) -> Method:
        """The same at smoke size."""


@runtime_checkable
class Demanding(Protocol):
    """A method that needs more than the core package."""

    def missing(self) -> str | None:
        """What it lacks here, as a sentence without its end; None where it can run."""


def why_not(method: Method) -> str | None:
    """Why a method cannot run here; None where it can."""
    return method.missing() if isinstance(method, Demanding) else None
