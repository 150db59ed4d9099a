"""A dive: a cheap integer recourse of one scenario, by rounding its linear relaxation step by step."""

from __future__ import annotations

import math

import numpy as np

from neurprise.arrays import Bools, Floats
from neurprise.clock import Deadline
from neurprise.problem import TwoStageProblem
from neurprise.recourse.lean_lp import LeanRelaxation

#: Entries this close to whole numbers are whole: stricter than engines, so that no engine disagrees.
WHOLE = 1e-9
#: Linear programs of one dive.
_MAX_STEPS = 60


def fractions(y: Floats, integer: Bools) -> Floats:
    """Fractional parts of the integer entries, shape (m,); 0 where an entry is whole or need not be."""
    parts = y - np.floor(y + WHOLE)
    return np.where(integer & (parts > WHOLE), parts, 0.0)


class Diver:
    """
    Looks for any recourse below a target.

    Relaxations fill rows to the brim, so that rounding up hits a limit again and again. So a first relaxation leaves
    room for one more integer column in every row that is in use; what is whole in it and not zero stays, and the rest
    is rounded with the true limits.

    Parameters
    ----------
    problem
        With integer recourse.
    lean
        Has solved the relaxation of the scenario in question.
    """

    def __init__(self, problem: TwoStageProblem, lean: LeanRelaxation) -> None:
        self._lean = lean
        self._integer = problem.recourse.integer
        self._weights = problem.recourse.matrix * self._integer.astype(float)
        self._largest = abs(self._weights).max(axis=1).toarray().ravel()

    def dive(self, y: Floats, target: float, deadline: Deadline) -> tuple[float, Floats] | None:
        """
        A recourse of the scenario just solved that costs less than `target`, with its cost; None if none is found.

        Parameters
        ----------
        y
            The relaxation's solution, shape (m,).
        target
            Without q_s'x, like the cost returned.
        """
        lower, upper = self._lean.bounds
        roomy = self._with_room(y, target, deadline)
        if roomy is not None:
            stays = np.where(self._stays(roomy), np.round(roomy), lower)
            found = self._descend(stays, upper, self._lean.tightened(stays, upper, target, deadline), target, deadline)
            if found is not None or deadline.passed:
                return found
        return self._descend(lower, upper, self._lean.tightened(lower, upper, target, deadline), target, deadline)

    def _with_room(self, y: Floats, target: float, deadline: Deadline) -> Floats | None:
        """A solution of the relaxation that leaves room in rows that y uses; None if it reaches the target."""
        used = np.abs(self._weights @ y) >= 2 * self._largest
        value = self._lean.tightened(*self._lean.bounds, target, deadline, room=np.where(used, self._largest, 0.0))
        return self._lean.current.values() if value is not None and value < target else None

    def _stays(self, y: Floats) -> Bools:
        return np.asarray(self._integer & (fractions(y, self._integer) == 0.0) & (y > 0.5))

    def _descend(
        self, lower: Floats, upper: Floats, value: float | None, target: float, deadline: Deadline
    ) -> tuple[float, Floats] | None:
        """
        Round the largest fraction up and let what is whole and not zero stay, again and again.

        Where that leads to the target or beyond, the last fraction that was rounded up is rounded down instead.
        """
        rounded_down: list[tuple[Floats, Floats]] = []
        for _ in range(_MAX_STEPS):
            if value is not None and value < target:
                y = self._lean.current.values()
                parts = fractions(y, self._integer)
                place = int(np.argmax(parts))
                if parts[place] == 0.0:
                    return value, np.where(self._integer, np.round(y), y)
                rounded_down.append((lower, _with(upper, place, math.floor(y[place]))))
                lower = _with(np.where(self._stays(y), np.round(y), lower), place, math.ceil(y[place]))
            elif rounded_down:
                lower, upper = rounded_down.pop()
            else:
                return None
            if deadline.passed:
                return None
            value = self._lean.tightened(lower, upper, target, deadline)
        return None


def _with(bounds: Floats, place: int, bound: float) -> Floats:
    """A copy with one entry replaced."""
    copy = np.array(bounds)
    copy[place] = bound
    return copy
