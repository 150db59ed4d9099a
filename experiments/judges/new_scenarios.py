"""
Draw scenarios, solve, and draw many more: how often is the risk of a new scenario above what `new_scenario_risk` says?

    python -m experiments run new-scenarios [--count 200] [--scenarios 30] [--confidence 0.5 0.9] [--seed 0]

Selections with costs of a known distribution: uniform, heavy-tailed, and one in which a rare scenario is dear. The
share of 10,000 new scenarios that cost more than the guarantee stands for its probability. The statement may be wrong
in a share 1 - confidence of the draws; the exit code is 1 if it is wrong more often than chance explains.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import neurprise as nr
from experiments.judges.record import new_parser, publish
from neurprise.arrays import Floats

ITEMS, TAKEN, NEW = 8, 3, 10_000

#: Name -> costs of so many scenarios, shape (count, ITEMS).
DISTRIBUTIONS: dict[str, Callable[[np.random.Generator, int], Floats]] = {
    "uniform": lambda rng, count: rng.uniform(1, 9, (count, ITEMS)),
    "heavy-tailed": lambda rng, count: 1 + rng.pareto(2.5, (count, ITEMS)),
    "rare": lambda rng, count: rng.uniform(1, 3, (count, ITEMS)) * np.where(rng.random((count, 1)) < 0.05, 5, 1),
}


def run(distribution: str, count: int, num_scenarios: int, confidence: float, seed: int) -> dict[str, Any]:
    """One row: how often a number was stated, how often it was too small, and how large it and the truth were."""
    draw, rng = DISTRIBUTIONS[distribution], np.random.default_rng(seed)
    stated, truths = list[float](), list[float]()
    for _ in range(count):
        problem = nr.Selection(rng.uniform(2, 7, ITEMS), draw(rng, num_scenarios), TAKEN)
        report = nr.solve(problem, gap=0)
        probability = report.new_scenario_risk(confidence).probability
        if probability is not None:
            later = nr.evaluate(problem, report.x, scenarios=draw(rng, NEW))
            stated.append(probability)
            truths.append(float((later.total_costs > report.worst_case).mean()))
    wrong = sum(truth > most for truth, most in zip(truths, stated, strict=True))
    return {
        "distribution": distribution,
        "scenarios": num_scenarios,
        "confidence": confidence,
        "draws": count,
        "stated": len(stated),
        "wrong": wrong,
        "mean_stated": float(np.mean(stated)),
        "mean_true": float(np.mean(truths)),
        "largest_true": max(truths),
    }


def is_refuted(row: dict[str, Any]) -> bool:
    """Whether more statements were wrong than three standard deviations above the share that is allowed."""
    allowed = (1 - row["confidence"]) * row["draws"]
    return bool(row["wrong"] > allowed + 3 * math.sqrt(allowed * row["confidence"]))


def main(argv: Sequence[str] | None = None) -> int:
    parser = new_parser(__doc__)
    parser.add_argument("--count", type=int, default=200, help="draws of each distribution")
    parser.add_argument("--scenarios", type=int, default=30, help="scenarios of each draw")
    parser.add_argument("--confidence", type=float, nargs="+", default=[0.5, 0.9], help="confidences to ask for")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(argv)
    rows = [
        run(name, options.count, options.scenarios, confidence, options.seed)
        for name in DISTRIBUTIONS
        for confidence in options.confidence
    ]
    publish(options, "new-scenarios", rows, "risk of a new scenario: what is said and what is true")
    return 1 if any(map(is_refuted, rows)) else 0
