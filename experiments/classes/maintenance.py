"""Maintenance: service machines now, repair what fails, and buy the output that is missing; matrices are uncertain."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from experiments.classes.outcomes import num_scenarios, outcomes
from neurprise.arrays import frozen
from neurprise.problem import TwoStageProblem
from neurprise.problem.stages import Changes, FirstStage, Recourse


def draw(seed: int) -> TwoStageProblem:
    """
    x: machines serviced now. y: machines repaired (both binary), output bought per product.

    A machine that fails in a scenario keeps a part of its capacity unless it was serviced or is repaired. Rows per
    product: kept output + (lost output)'(x + y) + bought >= demand; per machine: x + y <= 1. Scenarios change the lost
    output, on x and on y, what is kept, and the demand.
    """
    rng = np.random.default_rng(seed)
    machines, products, count = int(rng.integers(6, 12)), int(rng.integers(1, 4)), num_scenarios(rng)
    makes = (np.arange(machines) % products == np.arange(products)[:, None]).astype(float)
    output = rng.uniform(10, 30, machines)
    failing = rng.random((count, machines)) < rng.uniform(0.2, 0.6, machines)
    lost = np.round(failing * output * rng.uniform(0.3, 1.0, (count, machines)), 2)  # (S, machines)
    demand = outcomes(rng, rng.uniform(0.7, 0.95) * makes @ output, count)
    service = rng.uniform(10, 40, machines)
    repair = service * rng.uniform(1.5, 3.0)
    rows = sparse.csr_array(makes)
    one = sparse.eye_array(machines, format="csr")
    technology = sparse.csr_array(sparse.vstack([rows, -one]))
    matrix = sparse.csr_array(
        sparse.vstack(
            [
                sparse.hstack([rows, sparse.eye_array(products)]),
                sparse.hstack([-one, sparse.csr_array((machines, products))]),
            ]
        )
    )
    limits = demand - (output - lost) @ makes.T
    integer = np.repeat([True, False], [machines, products])
    return TwoStageProblem(
        FirstStage(
            costs=frozen(service),
            matrix=sparse.csr_array((0, machines)),
            row_lower=frozen(np.zeros(0)),
            row_upper=frozen(np.zeros(0)),
            lower=frozen(np.zeros(machines)),
            upper=frozen(np.ones(machines)),
            integer=frozen(np.ones(machines, dtype=bool)),
        ),
        Recourse(
            costs=frozen(np.concatenate([repair, rng.uniform(3, 12, products)])),
            x_costs=frozen(np.zeros(machines)),
            technology=technology,
            matrix=matrix,
            row_lower=frozen(np.concatenate([np.zeros(products), -np.ones(machines)])),
            row_upper=frozen(np.full(products + machines, np.inf)),
            lower=frozen(np.zeros(machines + products)),
            upper=frozen(np.where(integer, 1.0, np.inf)),
            integer=frozen(integer),
        ),
        {
            "row_lower": Changes(np.arange(products), frozen(limits)),
            "technology": _on_machines(technology, products, lost),
            "matrix": _on_machines(matrix, products, lost),
        },
        count,
    )


def _on_machines(matrix: sparse.csr_array, products: int, lost: np.ndarray) -> Changes:
    """The lost output of each machine in the rows of products; entries in other columns stay."""
    end = int(matrix.indptr[products])
    column = matrix.indices[:end]
    places = np.flatnonzero(column < lost.shape[1])
    return Changes(places.astype(np.int64), frozen(lost[:, column[places]].copy()))
