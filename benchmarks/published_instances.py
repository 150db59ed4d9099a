"""The instances of `benchmarks.published`: files of others, files of others sampled, and three generated kinds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from itertools import combinations
from pathlib import Path

import numpy as np

import neurprise as nr

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "data" / "smps"
#: Files whose scenarios are products of independent entries: so many of them are drawn.
SAMPLED = {"ssn": (500, 2_000), "storm": (500, 2_000)}


def instances() -> Mapping[str, Callable[[], nr.TwoStageProblem]]:
    """Name -> what makes the problem; files only where ../shared/data stands beside the checkout."""
    names = sorted(path.name for path in FOLDER.iterdir()) if FOLDER.is_dir() else []
    found: dict[str, Callable[[], nr.TwoStageProblem]] = {}
    for name in names:
        path = FOLDER / name / f"{name}.cor"
        for size in SAMPLED.get(name, ()):
            found[f"{name}-{size}"] = partial(nr.read, path, sample=size, seed=1)
        if name not in SAMPLED:
            found[name] = partial(nr.read, path)
    found["linear-300-2000"] = partial(linear_problem, 2_000)
    found["linear-100-10000"] = partial(linear_problem, 10_000, num_first_stage=100, num_recourse=50)
    found["linear-20-100000"] = partial(linear_problem, 100_000, num_first_stage=20, num_recourse=20, num_demands=10)
    found["disruptions-10-20-2"] = partial(disrupted_sites, 10, 20, 2)
    return found


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
