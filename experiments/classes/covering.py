"""Covering with penalties: choose sets now, choose more of them later at uncertain prices, pay for what stays bare."""

from __future__ import annotations

import numpy as np

from experiments.classes.outcomes import num_scenarios, outcomes
from neurprise.problem import TwoStageProblem


def draw(seed: int) -> TwoStageProblem:
    """
    Binary sets x now and y later, continuous shortfall; scenarios say which elements need cover and what y costs.

    Rows per element e: sum over sets that hold e of (x + y) + shortfall_e >= required_e.
    """
    rng = np.random.default_rng(seed)
    num_sets, num_elements, count = int(rng.integers(6, 12)), int(rng.integers(8, 16)), num_scenarios(rng)
    holds = (rng.random((num_elements, num_sets)) < rng.uniform(0.2, 0.4)).astype(float)
    now = rng.integers(5, 30, num_sets).astype(float)
    later = outcomes(rng, now * rng.uniform(1.1, 2.0), count)
    penalty = rng.integers(10, 60, num_elements).astype(float)
    share = rng.uniform(0.3, 0.7)
    required = (rng.random((count, num_elements)).argsort(axis=1) < round(share * num_elements)).astype(float)
    return TwoStageProblem.from_matrices(
        c=now,
        A=None,
        d=None,
        G=np.hstack([holds, np.eye(num_elements)]),
        h=np.zeros(num_elements),
        E=holds,
        M=-np.eye(num_elements),
        xi=required,
        b=np.hstack([later, np.tile(penalty, (count, 1))]),
        x_integer=True,
        y_integer=np.repeat([True, False], [num_sets, num_elements]),
        x_upper=1,
        y_upper=np.repeat([1.0, np.inf], [num_sets, num_elements]),
    )
