"""
Observers that a user asks for: a function of theirs, and a file from which a search resumes after a crash.

The file is replaced whole, about once a second. It holds the proved bound and the scenarios that prove it, the
scenarios of the reduced problem, and the best decisions; their costs are computed anew. It belongs to one problem,
known by its content.
"""

from __future__ import annotations

import hashlib
import json
import logging
import math
import os
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from neurprise.arrays import Floats
from neurprise.errors import FormatError, InputError, StorageError
from neurprise.problem import TwoStageProblem
from neurprise.problem.values import digest
from neurprise.progress import tell
from neurprise.search.session import Iteration, Observer, SearchSession
from neurprise.solvers.tolerances import ENGINE_PRECISION
from neurprise.storage.lock import lock
from neurprise.storage.whole_files import replace_file

#: What a caller may pass to see every improvement; True ends the search.
OnProgress = Callable[[Iteration], bool | None]

_log = logging.getLogger("neurprise")


class Callback(Observer):
    """Calls a function of the user's whenever the bound or the best worst case is better than before."""

    def __init__(self, on_progress: OnProgress) -> None:
        self._on_progress = on_progress
        self._known = (-math.inf, math.inf)

    def asks_to_stop(self, session: SearchSession, step: Iteration) -> bool:
        """Whether the function returns True, or raises an exception: that must not cost the answer."""
        known = (step.lower_bound, step.worst_case)
        if known == self._known:
            return False
        self._known = known
        try:
            return bool(self._on_progress(step.in_users_sign(session.problem)))
        except Exception as error:
            _log.exception("on_progress raised an exception")
            warnings.warn(
                f"on_progress raised {error!r}; the search stopped there, and its answer so far is returned.",
                RuntimeWarning,
                stacklevel=2,
            )
            return True


FORMAT = "neurprise-state-2"
#: At most this many decisions are stored, the best ones.
MOST_DECISIONS = 10
_SECONDS_BETWEEN_SAVES = 1.0


@dataclass(frozen=True)
class SearchState:
    """
    How far a search has come.

    Parameters
    ----------
    lower_bound, bound_scenarios
        What is proved, and the scenarios that prove it; -inf and none before anything is.
    scenarios
        R, the scenarios of the reduced problem, in the order in which they were added.
    decisions
        First-stage decisions, best first, each of shape (n,).
    seconds
        Wall-clock seconds of the searches that came this far.
    """

    lower_bound: float = -math.inf
    bound_scenarios: tuple[int, ...] = ()
    scenarios: tuple[int, ...] = ()
    decisions: tuple[Floats, ...] = ()
    seconds: float = 0.0

    @classmethod
    def of(cls, session: SearchSession, seconds_before: float = 0.0) -> Self:
        """How far a session has come that began after so many seconds of others."""
        pool = session.pool
        best_first = np.argsort(pool.totals.max(axis=1), kind="stable")[:MOST_DECISIONS] if len(pool) else ()
        decisions = tuple(pool.member(int(place)) for place in best_first)
        seconds = seconds_before + session.deadline.elapsed
        return cls(session.lower_bound, session.bound_scenarios, session.scenarios, decisions, seconds)

    def give_to(self, session: SearchSession) -> None:
        """Give a session what is known, the decisions first: a bound above the cost of one of them is refused."""
        session.admit_known(self.decisions)
        cost = session.worst_case
        if math.isfinite(cost) and self.lower_bound > cost + ENGINE_PRECISION * abs(cost):
            raise FormatError(
                f"the state of a search must not contradict itself, but a decision in it is worth "
                f"{session.shown(cost)} and its bound is {session.shown(self.lower_bound)}; remove the file."
            )
        session.prove(self.lower_bound, self.bound_scenarios)
        session.keep(self.scenarios)


class StateFile(Observer):
    """
    The state of one search on disk; this process holds the file until it is closed.

    Parameters
    ----------
    path
        Made when something is first saved; a lock file beside it keeps a second process away.
    objective
        Name of what is minimised: a bound of one objective says nothing about another.
    """

    def __init__(self, path: Path, problem: TwoStageProblem, objective: str = "worst") -> None:
        _check_file(path)
        self._path, self._problem = path, problem
        self._digest = digest(problem) + ("" if objective == "worst" else f" {objective}")
        self._saved_at = -math.inf
        self._lock = os.open(path.with_name(f".{path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o644)
        try:
            lock(self._lock, path)
            self.before = self._read()
        except BaseException:
            self.release()
            raise

    def record(self, session: SearchSession, step: Iteration) -> None:
        """Store where the session is, unless that was done within the last second."""
        if time.monotonic() - self._saved_at >= _SECONDS_BETWEEN_SAVES:
            self._save(session)

    def close(self, session: SearchSession) -> None:
        """Store where the session ended."""
        try:
            self._save(session)
        finally:
            self.release()

    def release(self) -> None:
        """Let another process have the file."""
        os.close(self._lock)

    def _save(self, session: SearchSession) -> None:
        """A full disk does not cost the search."""
        self._saved_at = time.monotonic()
        try:
            replace_file(self._path, self._content(SearchState.of(session, self.before.seconds)))
        except StorageError as error:
            warnings.warn(f"{error} The search goes on.", RuntimeWarning, stacklevel=2)

    def _content(self, state: SearchState) -> bytes:
        data: dict[str, Any] = {
            "format": FORMAT,
            "problem": self._digest,
            "lower_bound": state.lower_bound if math.isfinite(state.lower_bound) else None,
            "bound_scenarios": list(state.bound_scenarios),
            "scenarios": list(state.scenarios),
            "decisions": [x.tolist() for x in state.decisions],
            "seconds": state.seconds,
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
            another = "another problem or objective"
            raise InputError(f"{self._path} holds the state of {another}; choose another file or remove it.")
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
        return SearchState(bound, bound_scenarios, scenarios, decisions, float(data.get("seconds", 0.0)))


def resume(session: SearchSession, path: Path) -> None:
    """Give a session what the file holds of an earlier search on this problem, and keep it up to date from now on."""
    file = StateFile(path, session.problem, session.objective)
    try:
        file.before.give_to(session)
    except BaseException:  # the file stays as it is
        file.release()
        raise
    if file.before != SearchState():
        bound = session.shown(session.lower_bound) if math.isfinite(session.lower_bound) else "none yet"
        tell(f"resumed from {path} (bound {bound}, {file.before.seconds:.0f} s)")
    session.observe(file)


def _check_file(path: Path) -> None:
    """Refuse a folder, and a file in no folder."""
    if path.is_dir():
        raise InputError(f"state must be a file, got the folder {str(path)!r}; add a name, such as search.state.")
    if not path.resolve().parent.is_dir():
        raise InputError(f"state must be a file in an existing folder, got {str(path)!r}; create the folder first.")


def _checksum(data: dict[str, Any]) -> str:
    """Of everything else in the file; numbers are written as JSON writes them, so that a round trip changes nothing."""
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()
