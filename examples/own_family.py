"""
A problem family of your own: book lorries now, hire the missing ones when the freight is known.

    python examples/own_family.py

A family pays when it answers Q(x, s) faster than an engine. Everything else comes with `TwoStageProblem`; one call of
`register` makes it known, so that it can be labelled, learned and read from files like the shipped families.
"""

import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import neurprise as nr
from neurprise.networks.scenario_graph import feature, scaled, undirected
from neurprise.networks.view import LearnedView
from neurprise.problems import Family, register
from neurprise.testing import check_family


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
        general = nr.TwoStageProblem.from_matrices(
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
        self.load = load  # before super().__init__, which seals the problem
        super().__init__(**general.general_form())

    # Each argument of the constructor is an attribute: files store them, and `restrict` replaces the scenarios.

    @property
    def booking_costs(self):
        return self.first_stage.costs

    @property
    def hire_costs(self):
        return self.recourse.costs

    @property
    def freight(self):
        return self.changes["row_lower"].values

    def name_stems(self):
        n = self.num_first_stage
        return {"x": [("lorries", (n,))], "y": [("hired", (n,))], "x_row": [], "y_row": [("carried", (n,))]}

    @property
    def oracle(self):
        return FleetOracle(self.load, self.freight, self.hire_costs)

    @property
    def learned(self):
        return FleetView(self)


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


@dataclass(frozen=True, eq=False)
class FleetView(LearnedView):
    """A network sees depots around a node that stands for the firm."""

    encodings = ("cv", "ps")
    default_encoding = "ps"

    def compact_graph(self):
        """Features: depot, firm, booking cost, hire cost, freight."""
        fleet, n = self.problem, self.problem.num_first_stage
        nodes = np.zeros((n + 1, 5))
        nodes[:n, 0] = nodes[n, 1] = 1.0
        nodes[:n, 2], nodes[:n, 3] = scaled(fleet.booking_costs), scaled(fleet.hire_costs)
        depots = np.arange(n)
        return undirected(nodes, feature(depots, 4), scaled(fleet.freight), depots, np.full(n, n), np.ones(n))


def make_fleet(num_depots: int, num_scenarios: int, seed: int) -> Fleet:
    """A random fleet; freight follows a busy or quiet week at all depots."""
    rng = np.random.default_rng(seed)
    week = rng.uniform(0.5, 1.5, size=(num_scenarios, 1))
    freight = np.round(week * rng.uniform(40, 160, size=(num_scenarios, num_depots)))
    return Fleet(rng.integers(40, 80, num_depots), rng.integers(6, 12, num_depots), 10.0, freight)


FLEET = Family("fleet", Fleet, make_fleet)


def learn(folder: Path, count: int = 40, epochs: int = 5) -> nr.reducers.NeurPRISE:
    """Label fleets, train a network on them, and return the reducer that uses it."""
    from neurprise.training.labels import label
    from neurprise.training.neurprise import train
    from neurprise.training.options import TrainingOptions

    label(folder / "labels", family="fleet", size=4, scenarios=12, count=count, budget=4)
    small = TrainingOptions(max_epochs=epochs, hidden=16, embedding=16, attention_heads=2, regret_instances=0)
    train(folder / "labels", folder / "network", small)
    return nr.reducers.NeurPRISE(folder / "network")


def main() -> nr.Report:
    check_family(FLEET)  # the contract that every shipped family keeps: oracle against engine, and much more
    register(FLEET)
    problem = make_fleet(num_depots=8, num_scenarios=200, seed=5)
    report = nr.solve(problem)
    print(f"book {report.x.astype(int).tolist()} lorries at {problem.num_first_stage} depots\n")
    print(report)
    with tempfile.TemporaryDirectory() as folder:
        problem.write(Path(folder) / "fleet.npz")
        again = nr.read(Path(folder) / "fleet.npz")
        print(f"\na file gives back a {type(again).__name__}, equal to the one written: {again == problem}")
        try:
            reducer = learn(Path(folder))
        except nr.MissingDependencyError as missing:
            print(missing, file=sys.stderr)
            return report
        few = nr.solve(again, reducer, budget=4)
        print(f"a network of its own keeps {len(few.scenarios)} of {problem.num_scenarios} scenarios: at most "
              f"{few.regret_bound:.1f} % above the best")  # fmt: skip
    return report


if __name__ == "__main__":
    main()
