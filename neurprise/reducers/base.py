"""What every reducer takes and gives: a problem and a budget in, the scenarios to keep out; and reducers by name."""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import accumulate
from typing import Any, Protocol, Self

import numpy as np

from neurprise.arrays import Floats
from neurprise.clock import Deadline, OutOfTimeError
from neurprise.errors import EngineError, InputError, did_you_mean
from neurprise.problem import TwoStageProblem, display
from neurprise.progress import progress_line
from neurprise.search.session import LiveLine, SearchSession, Status, StoppedError
from neurprise.solvers import Engine

# class -> module; the name in `get_reducer` is the class in lower case
REDUCERS = {
    "Random": "random",
    "KMeans": "kmeans",
    "MaxSum": "maxsum",
    "SOR": "sor",
    "SingleValue": "single_value",
    "CCG": "ccg",
    "PRISE": "prise",
    "Relaxation": "relaxation",
    "NeurPRISE": "neurprise",
}


@dataclass(frozen=True)
class Reduction:
    """
    Which scenarios to keep, and what choosing them cost.

    Parameters
    ----------
    indices
        Kept scenarios, in the order in which they were chosen; ascending where a method chooses them together.
    gains
        Rise of V(R) at each step, same order, starting from 0; None for methods that do not compute it. Of a
        maximisation, `reduce` returns profits: the first gain is V(R), each later one takes from it.
    objective
        V(R) of the kept scenarios, a lower bound on V(all); None for methods that do not compute it. Of a maximisation,
        `reduce` returns the profit, an upper bound.
    num_solves
        Models over x, linear ones included, that were given to an engine; 0 where none was needed.
    runtime
        Wall-clock seconds spent choosing; reading the problem and compiling are not included.
    guarantee
        t with V(all) <= V(R) / t; None for methods without such a proof.
    stopped_by
        "time limit", "interrupted", "stopped" or "numerical limit" where choosing was cut short; None where it ran to
        its end.
    scores
        What the kept scenarios were ranked by, same order; only the order has a meaning. None for methods that do not
        rank.
    decisions
        First-stage decisions met on the way, each of shape (n,); `solve` may start from them.
    """

    indices: tuple[int, ...]
    gains: tuple[float, ...] | None = None
    objective: float | None = None
    num_solves: int = 0
    runtime: float = 0.0
    guarantee: float | None = None
    stopped_by: str | None = None
    scores: tuple[float, ...] | None = field(default=None, repr=False, compare=False)
    decisions: tuple[Floats, ...] = field(default=(), repr=False, compare=False)

    def in_users_sign(self, problem: TwoStageProblem) -> Self:
        """The same choice with gains and objective in profits, where the source was a maximisation."""
        gains = None if self.gains is None else tuple(problem.in_users_sign(gain) for gain in self.gains)
        objective = None if self.objective is None else problem.in_users_sign(self.objective)
        return replace(self, gains=gains, objective=objective)

    def _repr_html_(self) -> str:
        """One row per kept scenario, in the order of choice."""
        if self.gains is None:
            return display.table(["scenario"], [[str(s)] for s in self.indices])
        reached = zip(self.indices, self.gains, accumulate(self.gains), strict=True)
        rows = [[str(s), f"{gain:,.6g}", f"{value:,.6g}"] for s, gain, value in reached]
        return display.table(["scenario", "gain", "V(kept)"], rows)

    def to_dict(self) -> dict[str, Any]:
        """Everything but the decisions, as JSON knows it."""
        return {
            "indices": list(self.indices),
            "gains": None if self.gains is None else list(self.gains),
            "objective": self.objective,
            "num_solves": self.num_solves,
            "runtime": self.runtime,
            "guarantee": self.guarantee,
            "stopped_by": self.stopped_by,
            "scores": None if self.scores is None else list(self.scores),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """The inverse of `to_dict`."""
        gains = data["gains"]
        return cls(**{**data, "indices": tuple(data["indices"]), "gains": None if gains is None else tuple(gains)})


class Growth(StrEnum):
    """How what a method keeps for one budget relates to what it keeps for a larger one."""

    STEPS = "steps"  # one scenario after another; it ends by itself once the session has reached its target
    RANKING = "ranking"  # always the first of one order
    SETS = "sets"  # chosen anew for every budget


class Reducer(Protocol):
    """
    Chooses scenarios; constructors only store parameters, data arrive in the call.

    A class attribute `growth` (see Growth; SETS without one) lets `solve` reach a target without choosing anew.
    """

    name: str

    def reduce(self, problem: TwoStageProblem, budget: int, seed: int = 0) -> Reduction:
        """Keep at most `budget` scenarios of the problem."""


class SessionReducer(ABC):
    """
    A reducer that takes part in a search: it uses that search's engine, pool, bound and clock.

    On its own it makes a session of `solver` (an engine or its name) and `time_limit` (seconds, None for no limit).
    """

    name: str
    solver: str | Engine = "highs"
    time_limit: float | None = None

    def reduce(self, problem: TwoStageProblem, budget: int, seed: int = 0) -> Reduction:
        """Keep at most `budget` scenarios of the problem."""
        deadline = Deadline(self.time_limit)
        with progress_line() as line, SearchSession(problem, self.solver, deadline, LiveLine(line)) as session:
            reduction = self.reduce_in(session, budget, seed)
        if session.ended is Status.INTERRUPTED:
            raise KeyboardInterrupt
        return reduction

    def reduce_in(self, session: SearchSession, budget: int, seed: int = 0) -> Reduction:
        """Like `reduce`, in a session of the caller; after Ctrl-C, the scenarios chosen so far."""
        return self.choose(session, budget, seed).in_users_sign(session.problem)

    def asks_every_scenario(self, problem: TwoStageProblem) -> bool:
        """Whether choosing solves programs for every scenario, which may take longer than solving an easy problem."""
        return False

    @abstractmethod
    def choose(self, session: SearchSession, budget: int, seed: int = 0) -> Reduction:
        """
        Keep at most `budget` scenarios of the session's problem; at its deadline or Ctrl-C, what it has.

        Gains and objective are costs, as everything in a session.
        """


@contextmanager
def cut_short(session: SearchSession) -> Iterator[EarlyEnd]:
    """End the block quietly at the deadline, Ctrl-C, a request to stop or an engine's failure, and say which it was."""
    end = EarlyEnd()
    try:
        yield end
    except OutOfTimeError:
        end.reason = Status.TIME_LIMIT.value
    except StoppedError:
        end.reason = Status.STOPPED.value
    except KeyboardInterrupt:
        session.stop(Status.INTERRUPTED)
        end.reason = Status.INTERRUPTED.value
    except EngineError:
        end.reason = Status.NUMERICAL_LIMIT.value


@dataclass
class EarlyEnd:
    """Why choosing ended early; None if it did not."""

    reason: str | None = None


def num_kept(problem: TwoStageProblem, budget: Any) -> int:
    """How many scenarios a budget keeps: itself, or every scenario where there are fewer; refuses other values."""
    whole = isinstance(budget, (int, np.integer)) and not isinstance(budget, bool)
    if not whole or budget < 1:
        raise InputError(
            f"budget must be a whole number of scenarios to keep, at least 1, got {budget!r}; "
            f"the problem has {problem.num_scenarios}."
        )
    return min(int(budget), problem.num_scenarios)


def at_least_one(kept: list[int], problem: TwoStageProblem) -> tuple[int, ...]:
    """The kept scenarios; of a method that was cut before its first choice, the one of largest summed coefficients."""
    return tuple(kept) or (int(np.argmax(problem.severity)),)


def reducer_names() -> list[str]:
    """Names that `get_reducer` knows."""
    return [cls.lower() for cls in REDUCERS]


def get_reducer(reducer: str | Reducer) -> Reducer:
    """The reducer of that name with its default parameters; a reducer object is returned as it is."""
    if not isinstance(reducer, str):
        if isinstance(reducer, type) or not callable(getattr(reducer, "reduce", None)):
            raise InputError(
                f"reducer must be a name or an object with a method reduce(problem, budget, seed), got {reducer!r}."
            )
        return reducer
    name = reducer.lower().replace("-", "").replace("_", "")
    classes = {cls.lower(): cls for cls in REDUCERS}
    if name not in classes:
        raise InputError(f"reducer must be one of {', '.join(classes)}, got {reducer!r}{did_you_mean(name, classes)}.")
    return load(classes[name])()  # type: ignore[no-any-return]


def load(cls: str) -> Any:
    """The class of that name in REDUCERS."""
    return getattr(importlib.import_module(f"neurprise.reducers.{REDUCERS[cls]}"), cls)
