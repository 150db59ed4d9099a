"""Probabilities that may have moved between scenarios that are alike."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from neurprise import arrays
from neurprise.arrays import Floats
from neurprise.errors import InputError
from neurprise.objectives.base import Envelope, Objective, probabilities_of
from neurprise.problem import TwoStageProblem


class Wasserstein(Objective):
    """
    The largest mean cost over all probabilities of the scenarios that a transport within the radius makes.

    Parameters
    ----------
    radius
        sum_ij distance_ij * moved_ij <= radius, where moved_ij is the probability that goes from i to j.
    distances
        Of every two scenarios, shape (S, S), zero on the diagonal. None: by the scenarios' own uncertain numbers.
    power
        Of the Euclidean distance between the scenarios' own numbers. 2, the default: squared Euclidean distances; 1:
        Euclidean ones. A given matrix is taken as it is.
    """

    def __init__(self, radius: float, distances: Any = None, power: float = 2.0) -> None:
        self.radius = arrays.nonnegative_number("radius", radius)
        self.power = arrays.nonnegative_number("power", power)
        if not 0.0 < self.power < np.inf:
            raise InputError(f"power must be positive and finite, got {power!r}; 2 squares the distances.")
        self.distances = None if distances is None else _checked(distances)
        own = "" if self.power == 2.0 else f":{self.power:.15g}"
        self.name = f"wasserstein:{self.radius:.15g}" + (own if distances is None else ":given distances")
        self.words = f"Wasserstein {self.radius:g}"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Wasserstein) or self.name != other.name:
            return False
        return self.distances is other.distances or np.array_equal(self.distances, other.distances)  # type: ignore[arg-type]

    __hash__ = Objective.__hash__

    def envelope(self, problem: TwoStageProblem) -> Envelope:
        """Auxiliary u_ij is what moves from i to j: sum_j u_ij = p0_i, p_j = sum_i u_ij, sum_ij distance_ij u_ij."""
        p, distances, radius = probabilities_of(problem), self._distances(problem), self.radius
        size = len(p)
        one, ones = sparse.eye_array(size), np.ones((1, size))
        sent, received = sparse.kron(one, ones), sparse.kron(ones, one)
        cost, nothing = distances.reshape(1, -1), sparse.csr_array((size, size))
        rows = sparse.block_array([[nothing, sent], [one, -received], [sparse.csr_array((1, size)), cost]])
        reached = (distances <= 0.0) | (radius > 0.0)
        return Envelope(
            lower=np.zeros(size),
            upper=np.full(size, np.inf),
            rows=sparse.csr_array(rows),
            limits=np.concatenate([p, np.zeros(size), [radius]]),
            equal=np.arange(2 * size + 1) < 2 * size,
            heaviest=lambda costs: _transported(p, distances, radius, costs),
            possible=np.asarray(reached[p > 0].any(axis=0)),
        )

    def _distances(self, problem: TwoStageProblem) -> Floats:
        size = problem.num_scenarios
        if self.distances is not None:
            if self.distances.shape != (size, size):
                raise InputError(
                    f"distances must have a row and a column for each of {size} scenarios, got shape "
                    f"{self.distances.shape}."
                )
            return self.distances
        numbers = problem.finite_scenario_data
        squares = np.array([((numbers - one) ** 2).sum(axis=1) for one in numbers])
        return np.asarray(squares ** (self.power / 2.0))


def _checked(distances: Any) -> Floats:
    matrix = arrays.table("distances", distances, (None, None))
    if matrix.shape[0] != matrix.shape[1] or np.diag(matrix).any():
        raise InputError("distances must be a square matrix with zeros on its diagonal; one row per scenario.")
    return arrays.nonnegative("distances", matrix, "a distance has no sign")


def _transported(p: Floats, distances: Floats, radius: float, costs: Floats) -> Floats:
    """
    The best use of the radius, shape (S,): the steps of largest gain per distance first.

    From scenario i mass goes along the upper concave hull of the points (distance_ij, cost_j), so that its gains fall.
    """
    steps = [step for i in np.flatnonzero(p > 0) for step in _hull_steps(int(i), distances[i], costs)]
    steps.sort(key=lambda step: -step[0])
    moved, left = np.zeros(len(p)), radius
    for i in np.flatnonzero(p > 0).tolist():
        moved[_dearest_at_no_distance(distances[i], costs)] += p[i]
    for _, start, end, length, source in steps:
        share = min(float(p[source]), left / length)
        moved[start] -= share
        moved[end] += share
        left -= share * length
        if left <= 0.0:
            break
    return np.maximum(moved, 0.0)


def _hull_steps(i: int, distances: Floats, costs: Floats) -> list[tuple[float, int, int, float, int]]:
    """Steps along the hull from scenario i: gain per distance, from where, to where, distance, i; gains fall."""

    def gain(start: int, end: int) -> float:
        """Rise of the cost per distance."""
        return float((costs[end] - costs[start]) / (distances[end] - distances[start]))

    corners = [_dearest_at_no_distance(distances, costs)]
    order = np.lexsort((-costs, distances))
    for j in order[distances[order] > 0.0].tolist():
        if costs[j] <= costs[corners[-1]]:
            continue
        while len(corners) > 1 and gain(corners[-1], j) >= gain(corners[-2], corners[-1]):
            corners.pop()
        corners.append(j)
    pairs = pairwise(corners)
    return [(gain(start, end), start, end, float(distances[end] - distances[start]), i) for start, end in pairs]


def _dearest_at_no_distance(distances: Floats, costs: Floats) -> int:
    free = np.flatnonzero(distances <= 0.0)
    return int(free[np.argmax(costs[free])])
