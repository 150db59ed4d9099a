"""What every reducer takes and gives: a problem and a budget in, the scenarios to keep out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np

from neurprise.arrays import Floats, Ints
from neurprise.errors import InputError
from neurprise.problem import TwoStageProblem


@dataclass(frozen=True)
class Reduction:
    """
    Which scenarios to keep, and what choosing them cost.

    Parameters
    ----------
    indices
        Kept scenarios, in the order in which they were chosen; ascending where a method chooses them together.
    gains
        Rise of V(R) at each step, same order, starting from 0; None for methods that do not compute it.
    objective
        V(R) of the kept scenarios, a lower bound on V(all); None for methods that do not compute it.
    num_solves
        Mixed-integer models solved by an engine.
    runtime
        Wall-clock seconds spent choosing; reading the problem is not included.
    guarantee
        t with V(all) <= V(R) / t; None for methods without such a proof.
    decisions
        First-stage decisions met on the way, each of shape (n,); `solve` may start from them.
    """

    indices: tuple[int, ...]
    gains: tuple[float, ...] | None = None
    objective: float | None = None
    num_solves: int = 0
    runtime: float = 0.0
    guarantee: float | None = None
    decisions: tuple[Floats, ...] = field(default=(), repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """Everything but the decisions, as JSON knows it."""
        return {
            "indices": list(self.indices),
            "gains": None if self.gains is None else list(self.gains),
            "objective": self.objective,
            "num_solves": self.num_solves,
            "runtime": self.runtime,
            "guarantee": self.guarantee,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """The inverse of `to_dict`."""
        gains = data["gains"]
        return cls(**{**data, "indices": tuple(data["indices"]), "gains": None if gains is None else tuple(gains)})


class Reducer(Protocol):
    """Chooses scenarios; constructors only store parameters, data arrive in the call."""

    name: str

    def reduce(self, problem: TwoStageProblem, budget: int, seed: int = 0) -> Reduction:
        """Keep at most `budget` scenarios of the problem."""


@runtime_checkable
class TimedReducer(Reducer, Protocol):
    """A reducer that solves programs of its own and can be told when to stop."""

    def within(self, time_limit: float) -> Reducer:
        """The same reducer, stopping after this many wall-clock seconds with what it has."""


def num_kept(problem: TwoStageProblem, budget: Any) -> int:
    """How many scenarios a budget keeps: itself, or every scenario where there are fewer; refuses other values."""
    whole = isinstance(budget, (int, np.integer)) and not isinstance(budget, bool)
    if not whole or budget < 1:
        raise InputError(
            f"budget must be a whole number of scenarios to keep, at least 1, got {budget!r}; "
            f"the problem has {problem.num_scenarios}."
        )
    return min(int(budget), problem.num_scenarios)


def largest_first(scores: Floats) -> Ints:
    """Scenarios by falling score, ties to the smallest index; shape (S,)."""
    return np.argsort(-scores, kind="stable").astype(np.int64)
