"""Draws demand.csv: sixty days of portions that share a busy or quiet day. Run it to see how the file was made."""

import csv
from pathlib import Path

import numpy as np

MEAN_PORTIONS = {"calamari": 8, "fish": 6, "shrimp": 10, "chicken": 33, "koefte": 20, "lamb": 39, "steak": 26}


def draw(num_days: int = 60, seed: int = 7) -> np.ndarray:
    """Portions per day and ingredient, shape (num_days, 7)."""
    rng = np.random.default_rng(seed)
    busy = rng.lognormal(0.0, 0.3, size=(num_days, 1))
    return rng.poisson(busy * np.array(list(MEAN_PORTIONS.values())))


def main() -> None:
    with Path(__file__).with_name("demand.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(MEAN_PORTIONS)
        writer.writerows(draw().tolist())


if __name__ == "__main__":
    main()
