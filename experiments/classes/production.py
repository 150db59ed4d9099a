"""Production for profit: sign supply contracts now; make, sell and buy at spot prices when the market is known."""

from __future__ import annotations

import numpy as np

from experiments.classes.outcomes import num_scenarios, outcomes
from neurprise.problem import TwoStageProblem


def draw(seed: int) -> TwoStageProblem:
    """
    x: contract (binary) and amount per material. y: output per product, spot purchases per material, what is owed per
    product; a maximisation.

    Rows: amount <= largest contract; materials in products <= amount + spot; output + owed = demand.
    """
    rng = np.random.default_rng(seed)
    materials, products, count = int(rng.integers(3, 7)), int(rng.integers(4, 10)), num_scenarios(rng)
    needs = rng.uniform(0.5, 2.0, (materials, products)) * (rng.random((materials, products)) < 0.6)
    demand, price = rng.uniform(10, 40, products), rng.uniform(2, 4, materials)
    value = needs.T @ price * rng.uniform(1.0, 1.6, products) + rng.uniform(1, 5, products)
    use = needs @ demand
    sales = outcomes(rng, value, count)
    spot = outcomes(rng, 1.6 * price, count)
    penalty = rng.uniform(0.3, 1.5) * value
    fixed = rng.uniform(0.05, 0.2, materials) * use * price
    return TwoStageProblem.from_matrices(
        c=-np.concatenate([fixed, price]),
        A=np.hstack([np.diag(1.2 * use), -np.eye(materials)]),
        d=np.zeros(materials),
        G=np.vstack(
            [
                np.hstack([-needs, np.eye(materials), np.zeros((materials, products))]),
                np.hstack([np.eye(products), np.zeros((products, materials)), np.eye(products)]),
            ]
        ),
        h=np.zeros(materials + products),
        E=np.vstack(
            [
                np.hstack([np.zeros((materials, materials)), np.eye(materials)]),
                np.zeros((products, 2 * materials)),
            ]
        ),
        M=np.vstack([np.zeros((materials, products)), -np.eye(products)]),
        xi=outcomes(rng, demand, count),
        b=np.hstack([sales, -spot, np.tile(-penalty, (count, 1))]),
        x_integer=np.repeat([True, False], materials),
        y_integer=False,
        x_upper=np.repeat([1.0, np.inf], materials),
        y_row_sense=[">="] * materials + ["="] * products,
        maximize=True,
    )
