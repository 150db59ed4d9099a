"""Set cover, network flow and fixed charges of a size that an engine closes in seconds."""

from __future__ import annotations

import numpy as np

from experiments.judges.random_problems.draft import Draft
from experiments.judges.random_problems.medium.production import ORDINARY_PENALTY


def draw_set_cover(rng: np.random.Generator) -> Draft:
    """Sets now, or later at the scenario's costs; a scenario says which elements must be covered."""
    sets, elements, size = int(rng.integers(12, 36)), int(rng.integers(10, 25)), int(rng.integers(5, 26))
    draft = Draft(size)
    whole = bool(rng.random() < 0.6)
    member = rng.random((elements, sets)) < rng.uniform(0.1, 0.25)
    member[np.arange(elements), rng.integers(0, sets, elements)] = True
    now = [draft.x(float(rng.integers(3, 20))) for _ in range(sets)]
    later = [draft.y(rng.integers(5, 40, size).astype(float), 1.0, whole) for _ in range(sets)]
    needed = (rng.random((size, elements)) < 0.7).astype(float)
    for e in range(elements):
        holding = np.flatnonzero(member[e]).tolist()
        draft.row({now[k]: 1.0 for k in holding}, {later[k]: 1.0 for k in holding}, low=needed[:, e])
    return draft


def draw_network_flow(rng: np.random.Generator) -> Draft:
    """Arcs are built now, some with integer capacities; flows and what does not arrive when demands are known."""
    nodes, size = int(rng.integers(5, 9)), int(rng.integers(5, 51))
    draft = Draft(size)
    pairs = [(i, j) for i in range(nodes) for j in range(nodes) if i != j and rng.random() < 0.5][:30]
    pairs += [(0, j) for j in range(1, nodes) if (0, j) not in pairs]
    demand = rng.integers(0, 12, (size, nodes)).astype(float)
    into: dict[int, dict[int, float]] = {node: {} for node in range(nodes)}
    for i, j in pairs:
        flow = draft.y(float(rng.integers(1, 8)))
        if rng.random() < 0.6:
            draft.switch_by_x(draft.x(float(rng.integers(10, 60))), flow, 12.0 * nodes)
        else:
            draft.row({draft.x(float(rng.integers(8, 30)), upper=4.0): -9.0}, {flow: 1.0}, high=0.0)
        into[i][flow], into[j][flow] = -1.0, 1.0
    for node in range(1, nodes):
        missing = draft.shortage(ORDINARY_PENALTY)
        draft.row({}, {**into[node], missing: 1.0}, low=demand[:, node])
    return draft


def draw_fixed_charge(rng: np.random.Generator) -> Draft:
    """Stock at depots now; shipments when demands are known, each with a fixed charge of its own."""
    depots, customers, size = int(rng.integers(5, 8)), int(rng.integers(3, 5)), int(rng.integers(5, 9))
    draft = Draft(size)
    demand = rng.integers(2, 15, (size, customers)).astype(float)
    opened = [draft.x(float(rng.integers(20, 60))) for _ in range(depots)]
    stock = [draft.x(float(rng.integers(1, 5)), upper=30.0, integer=bool(rng.random() < 0.5)) for _ in range(depots)]
    sent = [[draft.y(float(rng.integers(1, 12))) for _ in range(customers)] for _ in range(depots)]
    for i in range(depots):
        draft.first_row({opened[i]: 30.0, stock[i]: -1.0}, low=0.0)
        draft.row({stock[i]: -1.0}, dict.fromkeys(sent[i], 1.0), high=0.0)
        for j in range(customers):
            draft.switch_by_y(draft.y(float(rng.integers(2, 25)), 1.0, integer=True), sent[i][j], 15.0)
    for j in range(customers):
        missing = draft.shortage(ORDINARY_PENALTY)
        draft.row({}, {**{row[j]: 1.0 for row in sent}, missing: 1.0}, low=demand[:, j])
    return draft
