"""A family that the package does not ship: stock bought now, what is missing bought later at a scenario's price."""

import numpy as np

import neurprise as nr
from neurprise.problem.contract import EVERY
from neurprise.problems import Family


class Stock(nr.TwoStageProblem):
    """Units x_i bought now at `costs` (n,); what `demand` (n,) needs more is bought later at `prices` (S, n)."""

    family = "stock"

    def __init__(self, costs, prices, demand, note="none"):
        n = len(demand)
        self.demand = np.asarray(demand, dtype=float)
        self.note = note
        general = nr.TwoStageProblem.from_matrices(
            c=costs, A=None, d=None, G=np.eye(n), h=demand, E=np.eye(n), M=None, xi=None, b=prices,
            x_integer=True, y_integer=False, x_upper=demand,
        )  # fmt: skip
        super().__init__(**general.general_form())

    @property
    def costs(self):
        return self.first_stage.costs

    @property
    def prices(self):
        return self.changes["costs"].values

    @property
    def oracle(self):
        return Shortage(self.prices, self.demand)

    @property
    def single_scenarios(self):
        return OnePrice(self.costs, self.prices, self.demand)


class Shortage:
    """What is missing, at the scenario's price."""

    def __init__(self, prices, demand):
        self.prices, self.demand = prices, demand

    def recourse_costs(self, x, scenarios=EVERY):
        return self.prices[scenarios] @ (self.demand - x)

    def recourse_decision(self, x, scenario):
        return self.demand - x


class OnePrice:
    """With one scenario everything is bought now or later, whatever is cheaper."""

    def __init__(self, costs, prices, demand):
        self.costs, self.prices, self.demand = costs, prices, demand

    def values(self):
        return np.minimum(self.costs, self.prices) @ self.demand

    def decisions(self, scenarios):
        return np.where(self.costs <= self.prices[list(scenarios)], self.demand, 0.0)


def make_stock(num_goods: int, num_scenarios: int, seed: int) -> Stock:
    """Random prices around random costs."""
    rng = np.random.default_rng(seed)
    costs = rng.integers(5, 15, num_goods).astype(float)
    return Stock(costs, rng.integers(1, 30, (num_scenarios, num_goods)), rng.integers(1, 9, num_goods), f"seed {seed}")


STOCK = Family("stock", Stock, make_stock)
