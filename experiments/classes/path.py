"""A path through layers: rent arcs now, or when their prices are known."""

from __future__ import annotations

import numpy as np

from experiments.classes.outcomes import num_scenarios, outcomes
from neurprise.arrays import Floats
from neurprise.problem import TwoStageProblem


def draw(seed: int) -> TwoStageProblem:
    """
    x: arcs rented now (binary). y: the path, and arcs rented later; scenarios set the later prices.

    Rows: flow conservation at every node; path_a <= x_a + later_a.
    """
    rng = np.random.default_rng(seed)
    layers, width, count = int(rng.integers(3, 6)), int(rng.integers(2, 4)), num_scenarios(rng)
    flow = _incidence(layers, width)
    nodes, arcs = flow.shape
    now = rng.integers(5, 50, arcs).astype(float)
    supply = np.zeros(nodes)
    supply[0], supply[-1] = 1.0, -1.0
    one, none = np.eye(arcs), np.zeros((nodes, arcs))
    later = outcomes(rng, now * rng.uniform(0.8, 1.8), count)
    return TwoStageProblem.from_matrices(
        c=now,
        A=None,
        d=None,
        G=np.vstack([np.hstack([flow, none]), np.hstack([-one, one])]),
        h=np.concatenate([supply, np.zeros(arcs)]),
        E=np.vstack([none, one]),
        M=None,
        xi=None,
        b=np.hstack([np.zeros((count, arcs)), later]),
        x_integer=True,
        y_integer=False,
        x_upper=1,
        y_row_sense=["="] * nodes + [">="] * arcs,
    )


def _incidence(layers: int, width: int) -> Floats:
    """Node-arc incidence, shape (nodes, arcs): source, layers that are joined completely, sink."""
    levels = [[0], *(list(range(1 + k * width, 1 + (k + 1) * width)) for k in range(layers)), [1 + layers * width]]
    pairs = [(i, j) for k in range(len(levels) - 1) for i in levels[k] for j in levels[k + 1]]
    matrix = np.zeros((levels[-1][0] + 1, len(pairs)))
    for arc, (i, j) in enumerate(pairs):
        matrix[i, arc], matrix[j, arc] = 1.0, -1.0
    return matrix
