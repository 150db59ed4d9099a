"""Problems of no family by name: files of others, files of others sampled, and three generated kinds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from itertools import combinations

import numpy as np

import neurprise as nr
from experiments.instances.sets import Made
from experiments.places import ROOT

FOLDER = ROOT.parent / "shared" / "data" / "smps"
FILES = (
    "LandS", "baa99", "dcap233_200", "dcap233_500", "dcap243_200", "dcap332_200", "drdcap_233_10_20", "drslp_5_5_5_5",
    "farmer", "pgp2", "semi2", "sizes3", "sizes5", "smkp_1", "sslp_10_50_50", "sslp_10_50_500", "sslp_15_45_5",
    "sslp_5_25_15_BB", "sslp_5_25_15_BC", "sslp_5_25_15_CC",
)  # fmt: skip
#: Files whose scenarios are products of independent entries: so many of them are drawn.
SAMPLED = {"ssn": (500, 2_000), "storm": (500, 2_000)}


def published(name: str) -> Made:
    """The set whose one instance is the problem of that name."""
    return Made(name, partial(_the_only, INSTANCES[name]), tiny_problem)


def _the_only(make: Callable[[], nr.TwoStageProblem], number: int) -> nr.TwoStageProblem:
    return make()


def tiny_problem(number: int) -> nr.TwoStageProblem:
    """What stands for any of them at smoke size."""
    return linear_problem(3, num_first_stage=5, num_recourse=5, num_demands=4, seed=number)


def _read(name: str, sample: int | None = None) -> nr.TwoStageProblem:
    path = FOLDER / name / f"{name}.cor"
    if not path.exists():
        raise nr.InputError(f"{name} must be in {FOLDER}, got nothing there; name other sets with --sets.")
    return nr.read(path) if sample is None else nr.read(path, sample=sample, seed=1)


def linear_problem(
    num_scenarios: int, *, num_first_stage: int = 300, num_recourse: int = 100, num_demands: int = 50, seed: int = 0
) -> nr.TwoStageProblem:
    """Cover random demands by first-stage columns, recourse columns and an expensive last resort."""
    rng = np.random.default_rng(seed)
    n, r, m = num_first_stage, num_demands, num_recourse
    early = rng.uniform(1, 5, (r, n)) * (rng.random((r, n)) < 0.2)
    late = rng.uniform(1, 5, (r, m)) * (rng.random((r, m)) < 0.3)
    return nr.TwoStageProblem.from_matrices(
        c=rng.uniform(2, 10, n), A=None, d=None, G=np.hstack([late, np.eye(r)]), h=np.zeros(r), E=early, M=-np.eye(r),
        xi=rng.normal(100, 20, (num_scenarios, r)).clip(0), b=np.append(rng.uniform(5, 15, m), np.full(r, 30.0)),
        x_integer=False, y_integer=False, x_upper=10.0,
    )  # fmt: skip


def disrupted_sites(num_sites: int, num_customers: int, num_failing: int, seed: int = 0) -> nr.TwoStageProblem:
    """
    Facility location with disruptions: open sites, then assign each customer to one that has not failed, or pay.

    Scenarios are all sets of `num_failing` sites. Opening is binary, so is assigning; capacities hold.
    """
    rng = np.random.default_rng(seed)
    sites, customers = rng.uniform(0, 100, (num_sites, 2)), rng.uniform(0, 100, (num_customers, 2))
    demands = rng.integers(5, 36, num_customers).astype(float)
    capacities = rng.integers(60, 161, num_sites).astype(float)
    distances = np.linalg.norm(sites[:, None] - customers[None], axis=2)
    failing = np.zeros((0, num_sites)) if num_failing > num_sites else _indicators(num_sites, num_failing)
    # y: assignments, site by site, then customers left without service.
    served = np.hstack([np.tile(np.eye(num_customers), num_sites), np.eye(num_customers)])
    loads = np.hstack([np.kron(np.eye(num_sites), -demands), np.zeros((num_sites, num_customers))])
    each = -np.eye(num_sites * num_customers, (num_sites + 1) * num_customers)
    opened = np.repeat(np.eye(num_sites), num_customers, axis=0)
    return nr.TwoStageProblem.from_matrices(
        c=rng.integers(200, 601, num_sites), A=None, d=None,
        G=np.vstack([served, loads, each, each]),
        h=np.concatenate([np.ones(num_customers), np.zeros(num_sites + len(each)), -np.ones(len(each))]),
        E=np.vstack([np.zeros((num_customers, num_sites)), np.diag(capacities), opened, np.zeros_like(opened)]),
        M=-np.vstack([np.zeros((num_customers + num_sites + len(each), num_sites)), opened]),
        xi=failing, b=np.append((distances * demands / 10).ravel(), 40 * demands),
        x_integer=True, y_integer=True, x_upper=1.0, y_upper=1.0,
    )  # fmt: skip


def _indicators(size: int, chosen: int) -> np.ndarray:
    """All vectors of zeros and ones with so many ones, shape (count, size)."""
    rows = [np.isin(np.arange(size), places) for places in combinations(range(size), chosen)]
    return np.array(rows, dtype=float)


#: What makes the problem of each name.
INSTANCES: Mapping[str, Callable[[], nr.TwoStageProblem]] = {
    **{name: partial(_read, name) for name in FILES},
    **{f"{name}-{size}": partial(_read, name, size) for name, sizes in SAMPLED.items() for size in sizes},
    "linear-300-2000": partial(linear_problem, 2_000),
    "linear-100-10000": partial(linear_problem, 10_000, num_first_stage=100, num_recourse=50),
    "linear-20-100000": partial(linear_problem, 100_000, num_first_stage=20, num_recourse=20, num_demands=10),
    "few-rows-2000": partial(linear_problem, 2_000, num_first_stage=10, num_recourse=10, num_demands=6),
    "disruptions-10-20-2": partial(disrupted_sites, 10, 20, 2),
}
