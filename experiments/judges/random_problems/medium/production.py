"""Lot sizing, unit commitment and generalised assignment of a size that an engine closes in seconds."""

from __future__ import annotations

import numpy as np

from experiments.judges.random_problems.draft import Draft

#: Price of a unit of shortage at ordinary scale.
ORDINARY_PENALTY = 400.0


def draw_lot_sizing(rng: np.random.Generator) -> Draft:
    """Setups now; production, stock and shortage when demands are known."""
    products, periods, size = int(rng.integers(1, 4)), int(rng.integers(5, 9)), int(rng.integers(5, 41))
    periods = max(periods, -(-10 // products))
    draft = Draft(size)
    whole = bool(rng.random() < 0.15)
    for _ in range(products):
        hold = float(rng.integers(1, 4))
        previous = None
        for _ in range(periods):
            setup = draft.x(float(rng.integers(20, 90)))
            demand = rng.integers(0, 30, size).astype(float)
            made, stock = draft.y(float(rng.integers(1, 6)), integer=whole), draft.y(hold)
            missing = draft.shortage(ORDINARY_PENALTY)
            carried = {} if previous is None else {previous: 1.0}
            draft.row({}, {made: 1.0, stock: -1.0, missing: 1.0, **carried}, low=demand, high=demand)
            draft.switch_by_x(setup, made, 30.0 * periods)
            previous = stock
    return draft


def draw_unit_commitment(rng: np.random.Generator) -> Draft:
    """Which unit runs when, and where it starts, now; power and load that is not served when the load is known."""
    units, hours, size = int(rng.integers(2, 6)), int(rng.integers(3, 7)), int(rng.integers(5, 61))
    draft = Draft(size)
    load = np.round(rng.uniform(30, 50, (size, hours)) * units * rng.uniform(0.6, 1.1, hours), 1)
    power: list[list[int]] = []
    for _ in range(units):
        most = float(rng.integers(40, 90))
        least, price = round(most * 0.3, 1), float(np.round(rng.uniform(2, 9), 2))
        start_cost, run_cost, before = float(rng.integers(50, 200)), float(rng.integers(10, 40)), None
        power.append([])
        for _ in range(hours):
            on, start, made = draft.x(run_cost), draft.x(start_cost), draft.y(price)
            draft.first_row({on: -1.0, start: 1.0, **({} if before is None else {before: 1.0})}, low=0.0)
            draft.row({on: -least}, {made: 1.0}, low=0.0)
            draft.row({on: -most}, {made: 1.0}, high=0.0)
            power[-1].append(made)
            before = on
    for hour in range(hours):
        unserved, spilled = draft.shortage(ORDINARY_PENALTY), draft.y(1.0)
        made = {row[hour]: 1.0 for row in power}
        draft.row({}, {**made, unserved: 1.0, spilled: -1.0}, low=load[:, hour], high=load[:, hour])
    return draft


def draw_assignment(rng: np.random.Generator) -> Draft:
    """Machines and their extra shifts now; jobs to machines, or to a subcontractor, when it is known which come."""
    machines, jobs, size = int(rng.integers(5, 7)), int(rng.integers(6, 12)), int(rng.integers(5, 9))
    draft = Draft(size)
    comes = rng.random((size, jobs)) < 0.75
    opened = [draft.x(float(rng.integers(30, 90))) for _ in range(machines)]
    shifts = [draft.x(float(rng.integers(5, 25)), upper=2.0) for _ in range(machines)]
    whole = bool(rng.random() < 0.7)
    weights = rng.integers(3, 12, (machines, jobs)).astype(float)
    done = [[draft.y(float(rng.integers(1, 20)), 1.0, whole) for _ in range(jobs)] for _ in range(machines)]
    for i in range(machines):
        draft.first_row({opened[i]: 2.0, shifts[i]: -1.0}, low=0.0)
        used = {done[i][j]: weights[i, j] for j in range(jobs)}
        draft.row({opened[i]: -14.0, shifts[i]: -6.0}, used, high=0.0)
    for j in range(jobs):
        out = draft.shortage(ORDINARY_PENALTY, 1.0)
        draft.row({}, {**{row[j]: 1.0 for row in done}, out: 1.0}, low=comes[:, j].astype(float))
    return draft
