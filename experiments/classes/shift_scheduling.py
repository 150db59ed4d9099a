"""Shift scheduling: staff shifts now, extend some of them or call temporary workers when the demand is known."""

from __future__ import annotations

import numpy as np

from experiments.classes.outcomes import num_scenarios, outcomes
from neurprise.problem import TwoStageProblem


def draw(seed: int) -> TwoStageProblem:
    """
    x: workers per shift. y: workers whose shift is extended by two hours (both integer), temporary workers per hour.

    Rows: extended_j <= x_j; workers on duty + extended + temporary >= demand per hour.
    """
    rng = np.random.default_rng(seed)
    hours, shifts, count = int(rng.integers(8, 13)), int(rng.integers(4, 8)), num_scenarios(rng)
    length = int(rng.integers(3, 6))
    begin = np.linspace(0, hours - 1, shifts).astype(int)
    clock = np.arange(hours)[:, None]
    on_duty = ((clock - begin) % hours < length).astype(float)
    extended = ((clock - begin - length) % hours < 2).astype(float)
    demand = rng.uniform(2, 9, hours)
    wage = rng.uniform(8, 12, shifts) * length
    return TwoStageProblem.from_matrices(
        c=wage,
        A=None,
        d=None,
        G=np.vstack(
            [
                np.hstack([extended, np.eye(hours)]),
                np.hstack([-np.eye(shifts), np.zeros((shifts, hours))]),
            ]
        ),
        h=np.zeros(hours + shifts),
        E=np.vstack([on_duty, np.eye(shifts)]),
        M=np.vstack([-np.eye(hours), np.zeros((shifts, hours))]),
        xi=np.round(outcomes(rng, demand, count)),
        b=np.concatenate([rng.uniform(22, 32, shifts), rng.uniform(20, 60, hours)]),
        x_integer=True,
        y_integer=np.repeat([True, False], [shifts, hours]),
        x_upper=12,
        y_upper=np.repeat([12.0, np.inf], [shifts, hours]),
    )
