"""
Regret of every reducer at k = 1, 2, 4, 6 beside the paper's Table 1.

    python -m benchmarks.reducers [--instances 100] [--families SEL VC] [--methods random kmeans ...]

"regret" belongs to the decision that solved the reduced problem, as in the paper; "best tie" to the best of all
decisions that are optimal for the reduced problem (their difference is luck in breaking ties). Instances already in
results/reducers.jsonl of the same method and seed are not run again.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

from rich.console import Console
from rich.progress import track

import neurprise as nr
from benchmarks.optimal_decisions import tied_worst_cases
from benchmarks.record import RESULTS, new_parser, publish, save
from neurprise.convergence import regret_percent
from neurprise.evaluate import Evaluator
from neurprise.exact import reduced_solver
from neurprise.solvers import Limits, get_engine

BUDGETS = (1, 2, 4, 6)
METHODS = ("random", "kmeans", "maxsum", "sor", "singlevalue", "ccg", "prise")
#: A method whose k scenarios are the first k of its 6 is run once.
NESTED = ("maxsum", "singlevalue", "ccg", "prise", "neurprise")
FAMILIES: dict[str, Callable[[int], nr.TwoStageProblem]] = {
    "SEL": lambda seed: nr.make_selection(20, 50, seed),
    "VC": lambda seed: nr.make_vertex_cover(20, 50, seed),
}
PAPER = {
    ("SEL", "random"): (22.11, 16.13, 12.29, 9.72),
    ("SEL", "kmeans"): (10.89, 9.02, 7.35, 7.44),
    ("SEL", "maxsum"): (6.93, 4.50, 2.47, 1.96),
    ("SEL", "sor"): (5.45, 4.57, 3.44, 2.83),
    ("SEL", "prise"): (5.93, 2.14, 0.92, 0.82),
    ("VC", "random"): (16.11, 12.49, 10.58, 9.65),
    ("VC", "kmeans"): (12.13, 10.88, 9.33, 7.98),
    ("VC", "maxsum"): (11.75, 8.25, 5.76, 4.40),
    ("VC", "sor"): (11.15, 8.52, 6.71, 5.63),
    ("VC", "prise"): (13.85, 7.91, 3.00, 1.04),
}
#: Test instances are drawn far from the seeds that labels use.
FIRST_SEED = 900_000
#: Of more optimal decisions than this, evenly spread ones are evaluated.
MOST_TIES = 20_000


def measure(problem: nr.TwoStageProblem, method: str, seed: int) -> list[dict[str, float]]:
    """Regret of one method at every budget, in percent."""
    optimum = nr.solve(problem, gap=0).worst_case
    evaluator = Evaluator(problem)
    solver = reduced_solver(evaluator, get_engine("highs"))
    rows = []
    for budget, kept in _reductions(problem, method, seed):
        x = solver.solve(kept, Limits(cutoff=optimum + 0.5)).x  # V(R) <= V(all)
        assert x is not None
        best = float(tied_worst_cases(problem, kept, at_most=MOST_TIES).min())
        rows.append(
            {
                "k": budget,
                "regret": regret_percent(evaluator.evaluate(x).worst_case, optimum),
                "best_tie": regret_percent(best, optimum),
            }
        )
    return rows


def _reductions(problem: nr.TwoStageProblem, method: str, seed: int) -> Iterator[tuple[int, list[int]]]:
    reducer = nr.reducers.get_reducer(method)
    longest = reducer.reduce(problem, max(BUDGETS), seed=seed).indices if method in NESTED else ()
    for budget in BUDGETS:
        kept = longest[:budget] if method in NESTED else reducer.reduce(problem, budget, seed=seed).indices
        yield budget, list(kept)


def _kept() -> dict[tuple[str, str, int], list[dict[str, Any]]]:
    """Rows of earlier runs, by family, method and seed."""
    path = RESULTS / "reducers.jsonl"
    kept: dict[tuple[str, str, int], list[dict[str, Any]]] = {}
    for row in map(json.loads, path.read_text().splitlines() if path.exists() else []):
        kept.setdefault((row["family"], row["method"], row["seed"]), []).append(row)
    return kept


def summary(rows: list[dict[str, Any]]) -> list[list[str]]:
    """One line per family and method: mean regret +- standard error at each budget, and the paper's."""
    table = []
    for family, method in dict.fromkeys((row["family"], row["method"]) for row in rows):
        for what in ("regret", "best_tie"):
            cells = []
            for budget in BUDGETS:
                values = [r[what] for r in rows if (r["family"], r["method"], r["k"]) == (family, method, budget)]
                error = statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else 0.0
                cells.append(f"{statistics.mean(values):.2f} ± {error:.2f}")
            paper = " / ".join(f"{v:.2f}" for v in PAPER.get((family, method), ())) if what == "regret" else ""
            table.append([family, method, what.replace("_", " "), *cells, paper])
    return table


def main(argv: list[str] | None = None) -> None:
    parser = new_parser(__doc__)
    parser.add_argument("--instances", type=int, default=100)
    parser.add_argument("--families", nargs="+", choices=list(FAMILIES), default=list(FAMILIES))
    parser.add_argument("--methods", nargs="+", default=list(METHODS))
    options = parser.parse_args(argv)
    kept = {} if options.no_save else _kept()
    rows: list[dict[str, Any]] = []
    runs = list(product(options.families, options.methods, range(FIRST_SEED, FIRST_SEED + options.instances)))
    for family, method, seed in track(runs, console=Console(stderr=True)):
        if (family, method, seed) not in kept:
            measured = measure(FAMILIES[family](seed), method, seed)
            kept[family, method, seed] = [{"family": family, "method": method, "seed": seed, **row} for row in measured]
            if not options.no_save:
                save("reducers", kept[family, method, seed])
        rows += kept[family, method, seed]
    columns = ["family", "method", "which x", *(f"k={k}" for k in BUDGETS), "paper (k = 1 / 2 / 4 / 6)"]
    title = f"mean regret in % ± standard error, {options.instances} instances"
    publish(options, "reducers", rows, [(title, columns, summary(rows))], saved=True)


if __name__ == "__main__":
    main()
