"""
What a long search must know to go on after a crash: a file that is replaced whole, about once a second.

It holds the proved bound and the scenarios that prove it, the scenarios of the reduced problem, and the best decisions;
what they cost is computed anew. The file belongs to one problem, which it knows by its content.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from neurprise.arrays import Floats
from neurprise.errors import FormatError, InputError, StorageError
from neurprise.problem import TwoStageProblem
from neurprise.problem.values import digest
from neurprise.solvers.tolerances import ENGINE_PRECISION
from neurprise.storage.lock import lock
from neurprise.storage.whole_files import replace_file

if TYPE_CHECKING:
    from neurprise.search.session import SearchSession

FORMAT = "neurprise-state-2"
#: At most so many decisions are stored, the best ones.
MOST_DECISIONS = 10
_SECONDS_BETWEEN_SAVES = 1.0


@dataclass(frozen=True)
class SearchState:
    """
    Where a search stood.

    Parameters
    ----------
    lower_bound, bound_scenarios
        What is proved, and the scenarios that prove it; -inf and none before anything is.
    scenarios
        R, the scenarios of the reduced problem, in the order in which they were added.
    decisions
        First-stage decisions, best first, each of shape (n,).
    """

    lower_bound: float = -math.inf
    bound_scenarios: tuple[int, ...] = ()
    scenarios: tuple[int, ...] = ()
    decisions: tuple[Floats, ...] = ()

    @classmethod
    def of(cls, session: SearchSession) -> Self:
        """Where a session stands."""
        pool = session.pool
        best_first = np.argsort(pool.totals.max(axis=1), kind="stable")[:MOST_DECISIONS] if len(pool) else ()
        decisions = tuple(pool.member(int(place)) for place in best_first)
        return cls(session.lower_bound, session.bound_scenarios, session.scenarios, decisions)

    def give_to(self, session: SearchSession) -> None:
        """Let a session know what is known, the decisions first: a bound above what one of them costs is refused."""
        session.admit_known(self.decisions)
        cost = session.worst_case
        if math.isfinite(cost) and self.lower_bound > cost + ENGINE_PRECISION * abs(cost):
            raise FormatError(
                f"the state of a search must not contradict itself, but a decision in it is worth "
                f"{session.shown(cost)} and its bound is {session.shown(self.lower_bound)}; remove the file."
            )
        session.prove(self.lower_bound, self.bound_scenarios)
        session.scenarios = self.scenarios


class StateFile:
    """
    The state of one search on disk; this process holds the file until it is closed.

    Parameters
    ----------
    path
        Made when something is first saved; beside it stands a lock that keeps a second process away.
    """

    def __init__(self, path: Path, problem: TwoStageProblem) -> None:
        self._path, self._problem = path, problem
        self._digest = digest(problem)
        self._saved_at = -math.inf
        self._lock = os.open(path.with_name(f".{path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o644)
        try:
            lock(self._lock, path)
            self.before = self._read()
        except BaseException:
            self.close()
            raise

    def save(self, session: SearchSession, at_once: bool = False) -> None:
        """Store where the session stands, unless that was done a moment ago; a full disk does not cost the search."""
        if not at_once and time.monotonic() - self._saved_at < _SECONDS_BETWEEN_SAVES:
            return
        self._saved_at = time.monotonic()
        try:
            replace_file(self._path, self._content(SearchState.of(session)))
        except StorageError as error:
            warnings.warn(f"{error} The search goes on.", RuntimeWarning, stacklevel=2)

    def close(self) -> None:
        os.close(self._lock)

    def _content(self, state: SearchState) -> bytes:
        data: dict[str, Any] = {
            "format": FORMAT,
            "problem": self._digest,
            "lower_bound": state.lower_bound if math.isfinite(state.lower_bound) else None,
            "bound_scenarios": list(state.bound_scenarios),
            "scenarios": list(state.scenarios),
            "decisions": [x.tolist() for x in state.decisions],
        }
        return (json.dumps({**data, "checksum": _checksum(data)}, allow_nan=False) + "\n").encode()

    def _read(self) -> SearchState:
        if not self._path.exists():
            return SearchState()
        try:
            data = json.loads(self._path.read_bytes())
            if data["format"] != FORMAT:
                raise ValueError(f"its format is {data['format']!r}, not {FORMAT!r}")
            if data.pop("checksum") != _checksum(data):
                raise FormatError(
                    f"{self._path} was changed or damaged since a search wrote it: its checksum is wrong; remove it."
                )
            state = self._parsed(data)
        except FormatError:
            raise
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
            raise FormatError(
                f"{self._path} is not the state of a search ({error!r}); choose another file or remove it."
            ) from None
        if data["problem"] != self._digest:
            raise InputError(f"{self._path} holds the state of another problem; choose another file or remove it.")
        return state

    def _parsed(self, data: dict[str, Any]) -> SearchState:
        bound = -math.inf if data["lower_bound"] is None else float(data["lower_bound"])
        known = range(self._problem.num_scenarios)
        bound_scenarios, scenarios = (tuple(map(int, data[name])) for name in ("bound_scenarios", "scenarios"))
        decisions = tuple(np.array(x, dtype=np.float64) for x in data["decisions"])
        if data["problem"] == self._digest and (
            any(s not in known for s in (*bound_scenarios, *scenarios))
            or any(x.shape != (self._problem.num_first_stage,) for x in decisions)
        ):
            raise ValueError("scenarios or decisions do not fit the problem")
        return SearchState(bound, bound_scenarios, scenarios, decisions)


def _checksum(data: dict[str, Any]) -> str:
    """Of everything else in the file; numbers are written as JSON writes them, so that a round trip changes nothing."""
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()
