"""Network design as mpi-sppy stores it (examples/netdes): costs, capacities and demands all differ by scenario."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import sparse

from neurprise.arrays import Floats, Ints
from neurprise.io.linear import LinearModel, Place
from neurprise.io.staging import two_stage
from neurprise.problem import TwoStageProblem


@dataclass(frozen=True)
class Network:
    """
    Parameters
    ----------
    num_nodes, arcs
        n, and (tail, head) of every arc, shape (E, 2).
    fixed
        What opening an arc costs, shape (E,).
    probabilities
        Of the scenarios, shape (S,).
    costs, capacities, demands
        By scenario: shapes (S, E), (S, E), (S, n).
    """

    num_nodes: int
    arcs: Ints
    fixed: Floats
    probabilities: Floats
    costs: Floats
    capacities: Floats
    demands: Floats


def read_network(path: Path) -> Network:
    """The numbers of a .dat file."""
    content = path.read_text().split("+", 1)[1].splitlines()
    lines = [line.strip() for line in content if line.strip() and not line.startswith("--")]
    joined, fixed = _table(lines[3]), _table(lines[4])
    arcs = np.argwhere(joined > 0)
    pick = tuple(arcs.T)
    later = [_table(line) for line in lines[7:]]
    return Network(
        int(lines[0]),
        arcs,
        fixed[pick],
        np.array(lines[6].split(","), dtype=float),
        np.array([block[pick] for block in later[0::3]]),
        np.array([block[pick] for block in later[1::3]]),
        np.array([block.ravel() for block in later[2::3]]),
    )


def drawn_network(num_nodes: int, num_scenarios: int, num_pairs: int, seed: int) -> Network:
    """
    A network with the ranges of the .dat files: three arcs in ten, a ring that joins all nodes, some pairs to connect.

    Fixed costs 8,000..15,000, costs 20..80, capacities 20..40; each pair sends 5..20 units.
    """
    rng = np.random.default_rng(seed)
    joined = rng.random((num_nodes, num_nodes)) < 0.3
    np.fill_diagonal(joined, False)
    ring = rng.permutation(num_nodes)
    joined[ring, np.roll(ring, 1)] = joined[np.roll(ring, 1), ring] = True
    arcs = np.argwhere(joined)
    size = (num_scenarios, len(arcs))
    fixed, costs, capacities = rng.uniform(8000, 15000, size[1]), rng.uniform(20, 80, size), rng.uniform(20, 40, size)
    sent = np.round(rng.uniform(5, 20, (num_scenarios, num_pairs)))
    sources, sinks = rng.permutation(num_nodes)[: 2 * num_pairs].reshape(2, -1)
    demands = np.zeros((num_scenarios, num_nodes))
    demands[:, sources], demands[:, sinks] = sent, -sent
    even = np.full(num_scenarios, 1 / num_scenarios)
    return Network(num_nodes, arcs, np.round(fixed), even, np.round(costs), np.round(capacities), demands)


def network_design(data: Network) -> TwoStageProblem:
    """min f'x + d_s'y;  flow balance = b_s;  y_e - u_es x_e <= 0;  x binary."""
    n, e = data.num_nodes, len(data.arcs)
    balance = sparse.lil_array((n, 2 * e))
    for k, (tail, head) in enumerate(data.arcs):
        balance[tail, e + k], balance[head, e + k] = 1.0, -1.0
    capacity = sparse.hstack([-sparse.diags_array(data.capacities[0]), sparse.eye_array(e)])
    model = LinearModel(
        columns=tuple([f"open{k}" for k in range(e)] + [f"flow{k}" for k in range(e)]),
        rows=tuple([f"balance{i}" for i in range(n)] + [f"capacity{k}" for k in range(e)]),
        costs=np.concatenate([data.fixed, data.costs[0]]),
        matrix=sparse.csr_array(sparse.vstack([balance, capacity])),
        row_lower=np.concatenate([data.demands[0], np.full(e, -np.inf)]),
        row_upper=np.concatenate([data.demands[0], np.zeros(e)]),
        lower=np.zeros(2 * e),
        upper=np.concatenate([np.ones(e), np.full(e, np.inf)]),
        integer=np.arange(2 * e) < e,
    )
    places = [Place("costs", column=e + k) for k in range(e)]
    places += [Place(side, row=i) for side in ("row_lower", "row_upper") for i in range(n)]
    places += [Place("matrix", row=n + k, column=k) for k in range(e)]
    values = np.hstack([data.costs, data.demands, data.demands, -data.capacities])
    return two_stage(model, model.integer, places, values, probabilities=data.probabilities)


def _table(line: str) -> Floats:
    return np.array([row.split(",") for row in line.split(";")], dtype=float)
