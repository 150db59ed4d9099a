"""
What the encoding "lp" tells of the instances of a label set, kept beside the labels: linear programs are solved once.

The file is derived: it may be deleted at any time, and is made anew when the encoding changes.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from neurprise.clock import Deadline
from neurprise.io.archive import read_arrays, write_arrays
from neurprise.networks.scenario_graph import Floats32
from neurprise.networks.universal import VERSION, universal_features
from neurprise.search.relaxed_costs import relaxed_costs
from neurprise.solvers import get_engine
from neurprise.training.labels import Config

FILE = "features.npz"
#: Written after so many new instances.
SAVED_EVERY = 25


def stored_features(folder: Path, config: Config, count: int) -> list[Floats32]:
    """Features of the first `count` instances, shape (S, F) of each; what is missing is computed and stored."""
    path = folder / FILE
    known = _read(path)
    for index in range(len(known), count):
        problem = config.problem(index)
        known.append(universal_features(problem, relaxed_costs(problem, get_engine("highs"), Deadline())))
        if len(known) % SAVED_EVERY == 0 or index == count - 1:
            _write(path, known)
    return known[:count]


def _read(path: Path) -> list[Floats32]:
    if not path.exists():
        return []
    members = read_arrays(path)
    if int(members["version"][0]) != VERSION:
        return []
    ends = np.cumsum(members["counts"])
    return [part.astype(np.float32) for part in np.split(members["features"], ends[:-1])]


def _write(path: Path, features: list[Floats32]) -> None:
    members = {
        "version": np.array([VERSION]),
        "counts": np.array([len(part) for part in features]),
        "features": np.concatenate(features).astype(np.float64),
    }
    write_arrays(path, members)
