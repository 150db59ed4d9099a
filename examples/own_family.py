"""
A problem family of your own: book lorries now, hire the missing ones when the freight is known.

    python examples/own_family.py

A family pays when it answers Q(x, s) faster than an engine. Everything else comes with `TwoStageProblem`.
"""

from dataclasses import dataclass

import numpy as np

import neurprise as nr


class Fleet(nr.TwoStageProblem):
    """
    Lorries x_d per depot; freight beyond their load is hired at each depot's price, and idle lorries earn nothing.

    Parameters
    ----------
    booking_costs, hire_costs
        Per lorry now, per ton later, shape (n,).
    load
        Tons per lorry.
    freight
        Tons per depot, shape (S, n).
    """

    family = "fleet"

    def __init__(self, booking_costs, hire_costs, load, freight):
        n = len(booking_costs)
        parts = nr.TwoStageProblem.from_matrices(
            c=booking_costs,
            A=None,
            d=None,
            G=np.eye(n),  # y_d >= freight_d - load * x_d
            h=np.zeros(n),
            E=load * np.eye(n),
            M=-np.eye(n),
            xi=freight,
            b=hire_costs,
            x_integer=True,
            y_integer=False,
            x_upper=50,
        )
        self.load = load
        super().__init__(**parts.general_form())

    @property
    def oracle(self):
        return FleetOracle(self.load, self.changes["row_lower"].values, self.recourse.costs)


@dataclass(frozen=True)
class FleetOracle:
    """What is hired for a freight of shape (S, n), and what it costs at prices of shape (n,)."""

    load: float
    freight: np.ndarray
    prices: np.ndarray

    def recourse_costs(self, x, scenarios=slice(None)):
        """Q(x, s) = hire for what the lorries cannot carry, shape (number of scenarios,)."""
        return np.maximum(self.freight[scenarios] - self.load * x, 0.0) @ self.prices

    def recourse_decision(self, x, scenario):
        """Tons hired at each depot, shape (n,)."""
        return np.maximum(self.freight[scenario] - self.load * x, 0.0)


def make_fleet(num_depots: int, num_scenarios: int, seed: int) -> Fleet:
    """A random fleet; freight follows a busy or quiet week at all depots."""
    rng = np.random.default_rng(seed)
    week = rng.uniform(0.5, 1.5, size=(num_scenarios, 1))
    freight = np.round(week * rng.uniform(40, 160, size=(num_scenarios, num_depots)))
    return Fleet(rng.integers(40, 80, num_depots), rng.integers(6, 12, num_depots), 10.0, freight)


def main() -> nr.Report:
    problem = make_fleet(num_depots=8, num_scenarios=200, seed=5)
    report = nr.solve(problem)
    print(f"book {report.x.astype(int).tolist()} lorries at {problem.num_first_stage} depots\n")
    print(report)
    generic = nr.TwoStageProblem(**problem.general_form())
    engine, oracle = (nr.evaluate(twin, report.x).recourse_costs for twin in (generic, problem))
    print(f"\noracle and engine differ by at most {np.abs(engine - oracle).max():.1e} over all scenarios")
    return report


if __name__ == "__main__":
    main()
