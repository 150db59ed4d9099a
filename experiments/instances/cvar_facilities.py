"""Facility location under CVaR by Ramirez-Pico, Ljubic and Moreno: their instances, optima and seconds."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import neurprise as nr
from experiments.places import ROOT

FOLDER = ROOT.parent / "shared" / "data" / "flcvar"


def facility_location(path: Path, num_scenarios: int, seed: int) -> nr.TwoStageProblem:
    """One of their instances. They read opening costs and capacities in this order, OR-Library means the other."""
    if not path.exists():
        raise nr.InputError(f"{path.name} must be in {path.parent}, got nothing there; name other sets with --sets.")
    words = path.read_text().split()
    sites, customers = int(words[0]), int(words[1])
    numbers = np.array(words[2:], dtype=float)
    costs, capacities = numbers[: 2 * sites].reshape(sites, 2).T
    rows = numbers[2 * sites :].reshape(customers, sites + 1)
    demands, unit_costs = rows[:, 0], (rows[:, 1:] / rows[:, :1]).T
    drawn = (np.random.default_rng(seed).random((customers, num_scenarios)) * demands[:, None]).T
    received = np.tile(np.eye(customers), sites)
    sent = -np.kron(np.eye(sites), np.ones(customers))
    return nr.TwoStageProblem.from_matrices(
        c=costs, A=capacities[None], d=[demands.sum()], G=np.vstack([received, sent]), h=np.zeros(customers + sites),
        E=np.vstack([np.zeros((customers, sites)), np.diag(capacities)]),
        M=np.vstack([-np.eye(customers), np.zeros((sites, customers))]), xi=drawn, b=unit_costs.ravel(),
        x_integer=True, y_integer=False, x_upper=1.0,
    )  # fmt: skip


def published_answer(instance: str, num_scenarios: int, seed: int) -> tuple[float, float]:
    """The best value of their methods and the least seconds of any, Gurobi on two threads; nan where unknown."""
    key = (instance, str(num_scenarios), str(seed))
    found = [(float(row["value"]), float(row["seconds"])) for row in _rows() if _key(row) == key]
    return min((v for v, _ in found), default=np.nan), min((s for _, s in found), default=np.nan)


def _rows() -> Iterator[dict[str, str]]:
    path = FOLDER / "published.csv"
    if path.exists():
        with path.open() as lines:
            yield from csv.DictReader(lines)


def _key(row: dict[str, str]) -> tuple[str, str, str]:
    return row["instance"], row["scenarios"], row["seed"]
