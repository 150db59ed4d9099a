"""Inventory network: place stock at depots and stores now, ship between them and lose sales when demand is known."""

from __future__ import annotations

import numpy as np

from experiments.classes.outcomes import num_scenarios, outcomes
from neurprise.problem import TwoStageProblem


def draw(seed: int) -> TwoStageProblem:
    """
    x: stock at every depot and store. y: shipments from depots to stores, lost sales per store; all continuous.

    Rows: shipments from a depot <= its stock; stock + shipments + lost sales >= demand per store.
    """
    rng = np.random.default_rng(seed)
    depots, stores, count = int(rng.integers(2, 5)), int(rng.integers(5, 11)), num_scenarios(rng)
    demand = rng.uniform(10, 60, stores)
    places = rng.random((depots + stores, 2))
    distance = np.linalg.norm(places[:depots, None] - places[None, depots:], axis=-1)
    from_depot = np.kron(np.eye(depots), np.ones((1, stores)))
    to_store = np.kron(np.ones((1, depots)), np.eye(stores))
    sales = rng.uniform(5, 15, stores)
    freight = (1 + 4 * distance).ravel()
    prices = outcomes(rng, freight, count) if rng.random() < 0.5 else np.tile(freight, (count, 1))
    return TwoStageProblem.from_matrices(
        c=np.concatenate([rng.uniform(0.8, 1.5, depots), rng.uniform(1.5, 3.0, stores)]),
        A=None,
        d=None,
        G=np.vstack(
            [np.hstack([-from_depot, np.zeros((depots, stores))]), np.hstack([to_store, np.eye(stores)])],
        ),
        h=np.zeros(depots + stores),
        E=np.eye(depots + stores),
        M=np.vstack([np.zeros((depots, stores)), -np.eye(stores)]),
        xi=outcomes(rng, demand, count),
        b=np.hstack([prices, np.tile(sales, (count, 1))]),
        x_integer=False,
        y_integer=False,
        x_upper=np.concatenate([np.full(depots, 2 * demand.sum()), 1.5 * demand]),
    )
