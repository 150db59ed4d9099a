"""Network design as mpi-sppy stores it: costs, capacities and demands all differ by scenario."""

import numpy as np
import pytest
from scipy import sparse

import neurprise as nr
from neurprise.io.linear import LinearModel, Place
from neurprise.io.staging import two_stage
from tests.io.expected_value import expected_value


def read_netdes(path):
    """Arcs, fixed costs (E,), probabilities (S,), and per scenario arc costs, capacities (S, E) and demands (S, n)."""
    content = path.read_text().split("+", 1)[1].splitlines()
    lines = [line.strip() for line in content if line.strip() and not line.startswith("--")]
    table = [np.array([row.split(",") for row in line.split(";")], dtype=float) for line in (lines[3], lines[4])]
    arcs = np.argwhere(table[0] > 0)
    pick = tuple(arcs.T)
    per_scenario = lines[7:]
    later = [np.array([row.split(",") for row in line.split(";")], dtype=float) for line in per_scenario]
    return {
        "nodes": int(lines[0]),
        "arcs": arcs,
        "fixed": table[1][pick],
        "probabilities": np.array(lines[6].split(","), dtype=float),
        "costs": np.array([block[pick] for block in later[0::3]]),
        "capacities": np.array([block[pick] for block in later[1::3]]),
        "demands": np.array([block.ravel() for block in later[2::3]]),
    }


def network_design(data):
    """min f'x + d_s'y;  flow balance = b_s;  y_e - u_es x_e <= 0;  x binary."""
    n, arcs = data["nodes"], data["arcs"]
    e = len(arcs)
    balance = sparse.lil_array((n, 2 * e))
    for k, (tail, head) in enumerate(arcs):
        balance[tail, e + k], balance[head, e + k] = 1.0, -1.0
    capacity = sparse.hstack([-sparse.diags_array(data["capacities"][0]), sparse.eye_array(e)])
    model = LinearModel(
        columns=tuple([f"open{k}" for k in range(e)] + [f"flow{k}" for k in range(e)]),
        rows=tuple([f"balance{i}" for i in range(n)] + [f"capacity{k}" for k in range(e)]),
        costs=np.concatenate([data["fixed"], data["costs"][0]]),
        matrix=sparse.csr_array(sparse.vstack([balance, capacity])),
        row_lower=np.concatenate([data["demands"][0], np.full(e, -np.inf)]),
        row_upper=np.concatenate([data["demands"][0], np.zeros(e)]),
        lower=np.zeros(2 * e),
        upper=np.concatenate([np.ones(e), np.full(e, np.inf)]),
        integer=np.arange(2 * e) < e,
    )
    places = [Place("costs", column=e + k) for k in range(e)]
    places += [Place(side, row=i) for side in ("row_lower", "row_upper") for i in range(n)]
    places += [Place("matrix", row=n + k, column=k) for k in range(e)]
    values = np.hstack([data["costs"], data["demands"], data["demands"], -data["capacities"]])
    return two_stage(model, model.integer, places, values, probabilities=data["probabilities"])


@pytest.fixture(scope="module")
def problem(shared_data):
    """Ten nodes, ten scenarios."""
    return network_design(read_netdes(shared_data / "netdes" / "network-10-10-L-01.dat"))


def test_expected_value_is_the_published_one(problem):
    """88557.3, with mpi-sppy's probabilities."""
    assert expected_value(problem, gap=1e-4) == pytest.approx(88557.3, rel=1e-4)


def test_worst_case_is_the_independent_one(problem):
    """90538, from one extensive form."""
    assert nr.solve(problem).worst_case == pytest.approx(90538, rel=1e-4)
