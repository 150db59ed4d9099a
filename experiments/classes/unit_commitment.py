"""Unit commitment: switch units on or off now; dispatch, shed load or spill when load and wind are known."""

from __future__ import annotations

import numpy as np

from experiments.classes.outcomes import num_scenarios, outcomes
from neurprise.problem import TwoStageProblem


def draw(seed: int) -> TwoStageProblem:
    """
    x: on and start per unit and hour (binary). y: output per unit and hour, shed and spilled power per hour.

    Rows: start_gt >= on_gt - on_g(t-1); smallest on <= output <= largest on; output + shed - spill = net load per hour.
    """
    rng = np.random.default_rng(seed)
    units, hours, count = int(rng.integers(3, 6)), int(rng.integers(3, 6)), num_scenarios(rng)
    largest = rng.uniform(20, 60, units)
    smallest = rng.uniform(0.2, 0.5, units) * largest
    load = rng.uniform(0.35, 0.7, hours) * largest.sum()
    cells = units * hours
    one = np.eye(cells)
    # Cells are ordered unit by unit; a unit's first hour follows an hour in which it was off.
    change = np.kron(np.eye(units), np.eye(hours) - np.eye(hours, k=-1))
    per_hour = np.kron(np.ones((1, units)), np.eye(hours))
    none, free = np.zeros((cells, hours)), np.zeros((cells, cells))
    fixed = np.repeat([rng.uniform(50, 200, units), rng.uniform(50, 400, units)], hours, axis=1).ravel()
    net_load = outcomes(rng, load, count)
    fuel, shedding = rng.uniform(5, 30, units), rng.uniform(60, 300)
    return TwoStageProblem.from_matrices(
        c=fixed,
        A=np.hstack([-change, one]),
        d=np.zeros(cells),
        G=np.vstack(
            [
                np.hstack([one, none, none]),
                np.hstack([-one, none, none]),
                np.hstack([per_hour, np.eye(hours), -np.eye(hours)]),
            ]
        ),
        h=np.zeros(2 * cells + hours),
        E=np.vstack(
            [
                np.hstack([-one * np.repeat(smallest, hours), free]),
                np.hstack([one * np.repeat(largest, hours), free]),
                np.zeros((hours, 2 * cells)),
            ]
        ),
        M=np.vstack([np.zeros((2 * cells, hours)), -np.eye(hours)]),
        xi=net_load,
        b=np.concatenate([np.repeat(fuel, hours), np.full(hours, shedding), np.full(hours, 2.0)]),
        x_integer=True,
        y_integer=False,
        x_upper=1,
        y_row_sense=[">="] * 2 * cells + ["="] * hours,
    )
