"""
Classes of problems that no shipped checkpoint was trained on: public instances and one generated class, by name.

Instance `seed` of a class draws some scenarios of a public instance. Where a file has too few, the parts of its
scenarios are put together anew, each part as it occurs in the file.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np

import neurprise as nr
from experiments.instances.network_design import network_design, read_network
from experiments.places import ROOT

DATA = ROOT.parent / "shared" / "data"


@cache
def public_instance(name: str, sample: int | None = None) -> nr.TwoStageProblem:
    options = {} if sample is None else {"sample": sample, "seed": 1}
    return nr.read(DATA / "smps" / name / f"{name}.cor", **options)


def _drawn(problem: nr.TwoStageProblem, count: int, seed: int) -> nr.TwoStageProblem:
    """`count` of its scenarios."""
    kept = np.random.default_rng(seed).choice(problem.num_scenarios, count, replace=False)
    return problem.restrict(np.sort(kept).tolist())


def _recombined(problem: nr.TwoStageProblem, count: int, seed: int) -> nr.TwoStageProblem:
    """`count` scenarios in which every number comes from some scenario of the file, each by its own chance."""
    table = problem.scenario_data
    rows = np.random.default_rng(seed).integers(len(table), size=(count, table.shape[1]))
    return problem.with_scenarios(np.take_along_axis(table, rows, axis=0))


def sslp(seed: int) -> nr.TwoStageProblem:
    """Server location with penalties, 5 sites, 25 clients, binary recourse."""
    return _recombined(public_instance("sslp_5_25_15_BB"), 20, seed)


def dcap(seed: int) -> nr.TwoStageProblem:
    """Capacity acquisition and assignment, uncertain recourse matrix, binary recourse."""
    return _drawn(public_instance("dcap332_200"), 15, seed)


def drdcap(seed: int) -> nr.TwoStageProblem:
    """The same with uncertain recourse costs besides."""
    return _drawn(public_instance("drdcap_233_10_20"), 15, seed)


def lands(seed: int) -> nr.TwoStageProblem:
    """Electricity investment, linear."""
    return _drawn(public_instance("LandS"), 20, seed)


def pgp2(seed: int) -> nr.TwoStageProblem:
    """Power generation planning, linear."""
    return _drawn(public_instance("pgp2"), 30, seed)


def baa99(seed: int) -> nr.TwoStageProblem:
    """Two products with substitution, linear."""
    return _drawn(public_instance("baa99"), 30, seed)


def storm(seed: int) -> nr.TwoStageProblem:
    """Air cargo scheduling, linear."""
    return _drawn(public_instance("storm", 200), 20, seed)


def restaurant(seed: int) -> nr.TwoStageProblem:
    """Batches of seven ingredients, real days."""
    return _drawn(_restaurant(), 40, seed)


@cache
def _restaurant() -> nr.TwoStageProblem:
    plan = ROOT / "examples" / "restaurant" / "plan.toml"
    return nr.read(plan, scenarios=DATA / "real" / "yaz_demand.csv")


def netdes(seed: int) -> nr.TwoStageProblem:
    """Network design, 15 scenarios."""
    return recombined_network(15, seed)


def recombined_network(count: int, seed: int) -> nr.TwoStageProblem:
    """Network design; demands meet the costs and capacities of other scenarios of the file."""
    data = read_network(DATA / "netdes" / "network-10-10-L-01.dat")
    rng = np.random.default_rng(seed)
    prices, wishes = rng.integers(len(data.costs), size=(2, count))
    return network_design(
        replace(
            data,
            probabilities=np.full(count, 1 / count),
            costs=data.costs[prices],
            capacities=data.capacities[prices],
            demands=data.demands[wishes],
        )
    )


def sizes(seed: int) -> nr.TwoStageProblem:
    """Production of products that may replace each other; demands scaled by half to one and a half."""
    problem = public_instance("sizes3")
    rng = np.random.default_rng(seed)
    table = problem.scenario_data
    return problem.with_scenarios(np.round(table.mean(axis=0) * rng.uniform(0.5, 1.5, (8, table.shape[1]))))


def disruptions(seed: int) -> nr.TwoStageProblem:
    """
    Facility location with disruptions, generated: some sites fail, customers go to others or stay unserved.

    x: sites (binary). y: share of each customer served by each site, and unserved. Rows: shares sum to one; a site that
    is closed serves nobody, one that fails has no capacity.
    """
    rng = np.random.default_rng(seed)
    sites, customers, count = 8, 10, 30
    places = rng.random((sites + customers, 2))
    distance = np.linalg.norm(places[:sites, None] - places[None, sites:], axis=-1)
    demand = rng.uniform(5, 15, customers)
    alive = (rng.random((count, sites)) > rng.uniform(0.1, 0.4, sites)).astype(float)
    cells = sites * customers
    served = np.kron(np.ones((1, sites)), np.eye(customers))
    load = np.kron(np.eye(sites), demand[None])
    site_of = np.kron(np.eye(sites), np.ones((customers, 1)))
    bare = np.zeros((cells, customers))
    capacity = rng.uniform(0.4, 0.8) * demand.sum()
    return nr.TwoStageProblem.from_matrices(
        c=rng.uniform(50, 100, sites),
        A=None,
        d=None,
        G=np.vstack(
            [
                np.hstack([served, np.eye(customers)]),
                np.hstack([-np.eye(cells), bare]),
                np.hstack([-load, np.zeros((sites, customers))]),
            ]
        ),
        h=np.concatenate([np.ones(customers), np.zeros(cells + sites)]),
        E=np.vstack([np.zeros((customers, sites)), site_of, np.zeros((sites, sites))]),
        M=np.vstack([np.zeros((customers + cells, sites)), capacity * np.eye(sites)]),
        xi=alive,
        b=np.concatenate([(10 * distance * demand).ravel(), 30 * demand]),
        x_integer=True,
        y_integer=False,
        x_upper=1,
    )


_ALL = (disruptions, restaurant, lands, pgp2, baa99, storm, netdes, dcap, drdcap, sslp, sizes)
CLASSES: dict[str, Callable[[int], nr.TwoStageProblem]] = {draw.__name__: draw for draw in _ALL}
