"""
The universal checkpoint on classes of problems that it never saw, beside every other reducer.

    python -m benchmarks.universal [--classes dcap sslp] [--instances 20] [--budgets 2 4 6] [--checkpoint universal]

For each drawn instance, method and budget: the regret of the x that `solve` returns against the optimum, how far the
proved bound lies below it, whether a scenario is left without recourse, and the milliseconds of choosing as many
scenarios as the largest budget asks for. Rows that are kept in results/universal.jsonl are not measured again;
`--table` prints what is there. The instances are drawn from ../shared/data (see benchmarks/unseen_classes.py).
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

import neurprise as nr
from benchmarks.record import RESULTS, Shown, new_parser, publish, save
from benchmarks.unseen_classes import CLASSES, DATA
from neurprise.reducers import CCG, KMeans, MaxSum, NeurPRISE, Random, Reducer, Relaxation, SingleValue
from neurprise.storage.rows import read_rows

NAME = "universal"
#: Methods that solve no integer program while they choose come first.
METHODS = ("neurprise", "relaxation", "maxsum", "kmeans", "random", "singlevalue", "ccg")
#: Seconds for an optimum, and for the answer on a reduced set.
OPTIMUM_SECONDS, ANSWER_SECONDS = 60.0, 10.0
#: Optima count as known when they are proved to this relative gap.
OPTIMUM_GAP = 1e-5
#: What rows say about the optimum.
OPTIMUM_FIELDS = ("optimum", "optimum_status")

Row = dict[str, Any]


def reducer_of(method: str, checkpoint: str) -> Reducer:
    """The method with its default options."""
    others = {"relaxation": Relaxation, "maxsum": MaxSum, "kmeans": KMeans, "random": Random}
    others |= {"singlevalue": SingleValue, "ccg": CCG}
    return NeurPRISE(checkpoint) if method == "neurprise" else others[method]()


def measured(problem: nr.TwoStageProblem, optimum: float, reducer: Reducer, budget: int, seed: int) -> Row:
    """One answer on `budget` scenarios, in percent of the optimum's absolute value."""
    report = nr.solve(problem, reducer, budget, seed=seed, time_limit=ANSWER_SECONDS)
    feasible = math.isfinite(report.worst_case)
    return {
        "regret": _percent(report.worst_case - optimum, optimum) if feasible else None,
        "below": _percent(optimum - report.lower_bound, optimum),
        "infeasible": not feasible,
        "status": str(report.status),
    }


def _percent(difference: float, optimum: float) -> float | None:
    """Of the optimum's absolute value; None where nothing is known or the optimum is zero."""
    return 100 * max(0.0, difference) / abs(optimum) if math.isfinite(difference) and optimum != 0 else None


def instance_rows(
    name: str, seed: int, missing: Sequence[tuple[str, int]], checkpoint: str, reference: Row | None
) -> Iterator[Row]:
    """
    What is missing of one instance: (method, budget) pairs.

    Parameters
    ----------
    reference
        A row of the same instance, which holds its optimum; None solves for it.
    """
    problem = CLASSES[name](seed)
    if problem.maximize:
        raise NotImplementedError("costs are assumed")
    known = optimum_of(problem) if reference is None else {key: reference[key] for key in OPTIMUM_FIELDS}
    most = max(budget for _, budget in missing)
    for method, budgets in _by_method(missing).items():
        reducer = reducer_of(method, checkpoint)
        milliseconds = 1e3 * reducer.reduce(problem, most, seed=seed).runtime
        for budget in budgets:
            place = {"class": name, "instance": seed, "method": method, "k": budget, "checkpoint": checkpoint}
            outcome = measured(problem, known["optimum"], reducer, budget, seed)
            yield {**place, **outcome, "milliseconds": milliseconds, **known}


def optimum_of(problem: nr.TwoStageProblem) -> Row:
    """The optimum, or the best that was found in time, and which of both it is."""
    exact = nr.solve(problem, gap=OPTIMUM_GAP, time_limit=OPTIMUM_SECONDS)
    return dict(zip(OPTIMUM_FIELDS, (exact.worst_case, str(exact.status)), strict=True))


def _by_method(pairs: Iterable[tuple[str, int]]) -> dict[str, list[int]]:
    """Budgets by method."""
    grouped: dict[str, list[int]] = {}
    for method, budget in pairs:
        grouped.setdefault(method, []).append(budget)
    return grouped


def place_of(row: Row) -> tuple[Any, ...]:
    """What a row measures; only NeurPRISE depends on a checkpoint."""
    checkpoint = row["checkpoint"] if row["method"] == "neurprise" else None
    return row["class"], row["instance"], row["method"], row["k"], checkpoint


def known_rows() -> dict[tuple[Any, ...], Row]:
    """Kept rows by what they measure, the newest of each."""
    return {place_of(row): row for row in read_rows(RESULTS / f"{NAME}.jsonl")}


def run(options: argparse.Namespace) -> list[Row]:
    """Measure what is not kept, keep it instance by instance, and return everything that was asked for."""
    known = {} if options.no_save else known_rows()
    asked: list[Row] = []
    for seed in range(options.instances):
        for name in options.classes:
            pairs = [(method, k) for method in options.methods for k in options.budgets]
            place = {"class": name, "instance": seed, "checkpoint": options.checkpoint}
            wanted = {pair: place_of({**place, "method": pair[0], "k": pair[1]}) for pair in pairs}
            missing = [] if options.table else [pair for pair in pairs if wanted[pair] not in known]
            alike = (row for row in known.values() if (row["class"], row["instance"]) == (name, seed))
            rows = instance_rows(name, seed, missing, options.checkpoint, next(alike, None)) if missing else ()
            fresh = list(rows)
            if fresh and not options.no_save:
                save(NAME, fresh)
            known |= {place_of(row): row for row in fresh}
            asked += [known[key] for key in wanted.values() if key in known]
    return asked


def complete(rows: Sequence[Row], num_asked: int) -> list[Row]:
    """The rows of instances on which everything was measured, so that every mean is over the same instances."""
    counts = Counter((row["class"], row["instance"]) for row in rows)
    return [row for row in rows if counts[row["class"], row["instance"]] == num_asked]


def means(rows: Iterable[Row]) -> tuple[float, float, int]:
    """Mean regret where feasible, mean distance of the bound, infeasible answers."""
    rows = list(rows)
    regrets = [row["regret"] for row in rows if row["regret"] is not None]
    below = [row["below"] for row in rows if row["below"] is not None]
    return (
        float(np.mean(regrets)) if regrets else math.nan,
        float(np.mean(below)) if below else math.nan,
        sum(row["infeasible"] for row in rows),
    )


def class_table(rows: Sequence[Row], methods: Sequence[str], budget: int) -> Shown:
    """Mean regret of every class and method, infeasible answers in brackets; the mean over classes last."""
    body, over_classes = [], {method: list[float]() for method in methods}
    for name in dict.fromkeys(row["class"] for row in rows):
        cells: list[Any] = [name, len({row["instance"] for row in rows if row["class"] == name})]
        for method in methods:
            found = means(r for r in rows if (r["class"], r["method"], r["k"]) == (name, method, budget))
            over_classes[method].append(found[0])
            cells.append(f"{found[0]:.2f}" + (f" ({found[2]})" if found[2] else ""))
        body.append(cells)
    body.append(["mean of classes", "", *(f"{np.nanmean(over_classes[method]):.2f}" for method in methods)])
    title = f"Mean regret in percent, k = {budget} (in brackets: answers with a scenario without recourse)"
    return title, ["instance", "instances", *methods], body


def method_table(rows: Sequence[Row], methods: Sequence[str], budgets: Sequence[int]) -> Shown:
    """Bound of every method, the mean over classes, and the median of its milliseconds."""
    body = []
    classes = list(dict.fromkeys(row["class"] for row in rows))
    for method in methods:
        mine = [row for row in rows if row["method"] == method]
        bounds = [
            np.nanmean([means(row for row in mine if (row["class"], row["k"]) == (name, k))[1] for name in classes])
            for k in budgets
        ]
        milliseconds = np.median([row["milliseconds"] for row in mine])
        body.append([method, *(f"{bound:.2f}" for bound in bounds), f"{milliseconds:.3g}"])
    columns = ["method", *(f"bound below optimum %, k = {k}" for k in budgets), "ms to choose, median"]
    return "Proved bound and time", columns, body


def main(argv: list[str] | None = None) -> None:
    parser = new_parser(__doc__)
    parser.add_argument("--classes", nargs="+", choices=list(CLASSES), default=list(CLASSES))
    parser.add_argument("--instances", type=int, default=20)
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--budgets", type=int, nargs="+", default=[2, 4, 6], metavar="K")
    parser.add_argument("--checkpoint", default="universal", help="of NeurPRISE: name or directory")
    parser.add_argument("--table", action="store_true", help="print the rows that are kept and measure nothing")
    options = parser.parse_args(argv)
    if not DATA.is_dir() and set(options.classes) != {"disruptions"} and not options.table:
        parser.error(f"the public instances ({DATA}) are not here; --classes disruptions needs none.")
    rows = complete(run(options), len(options.methods) * len(options.budgets))
    tables = [class_table(rows, options.methods, k) for k in options.budgets]
    tables.append(method_table(rows, options.methods, options.budgets))
    publish(options, NAME, rows, tables, saved=True)


if __name__ == "__main__":
    main()
