"""
Regret of NeurPRISE and of what it must beat, on unseen instances, beside the paper's numbers.

    python -m benchmarks.regret_neurprise labels/selection-20-50 [--split test] [--instances 250] [--jobs 2]

The instances and their optima come from a label set; its test split is never trained on. Several x may be optimal for
the chosen scenarios: the regret is the mean over all of them, "best" the smallest (selection and vertex cover of up to
20 items or nodes, by enumeration). Elsewhere it is that of the engine's x; instances where that x leaves a scenario
without recourse are counted apart and not averaged.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.optimal_decisions import tied_worst_cases
from benchmarks.record import new_parser, publish, whole_table
from neurprise.convergence import regret_percent
from neurprise.graphs.scenario_graph import Floats32
from neurprise.inference.checkpoints import SHIPPED, load
from neurprise.inference.universal import graph_of_features
from neurprise.learn.dataset import split_of
from neurprise.learn.feature_store import stored_features
from neurprise.learn.labels import Label, LabelConfig, LabelSet, read_labels
from neurprise.learn.regret import regret
from neurprise.parallel.pools import Workers
from neurprise.parallel.shown import shown
from neurprise.parallel.units import completed
from neurprise.problem import TwoStageProblem
from neurprise.reducers import KMeans, MaxSum, NeurPRISE, Random, Reducer, SingleValue
from neurprise.reducers.base import largest_first

METHODS = ("neurprise", "prise", "ccg", "singlevalue", "maxsum", "kmeans", "random")

#: Means of the paper (five seeds where nothing was transferred), by labels and budget.
PAPER: dict[str, dict[int, float]] = {
    "selection 20 50 uniform": {1: 5.86, 2: 2.30, 4: 0.83, 6: 0.52},
    "selection 20 100 uniform": {2: 3.35, 4: 1.25, 8: 0.32},
    "selection 20 200 uniform": {4: 1.24, 8: 0.55, 16: 0.07},
    "selection 20 50 normal": {1: 2.27, 2: 2.18, 4: 1.89, 6: 1.56},
    "selection 20 50 multimodal": {1: 1.19, 2: 0.82, 4: 0.46, 6: 0.28},
    "vertex-cover 20 50 uniform": {1: 14.24, 2: 8.99, 4: 4.32, 6: 2.69},
    "vertex-cover 20 100 uniform": {2: 8.96, 4: 5.05, 8: 1.77},
    "vertex-cover 20 200 uniform": {4: 4.78, 8: 2.48, 16: 0.87},
    "vertex-cover 20 50 normal": {1: 4.56, 2: 3.71, 4: 2.39, 6: 0.89},
    "vertex-cover 20 50 multimodal": {1: 7.78, 2: 6.71, 4: 4.66, 6: 3.84},
    "facility-location 30 50 uniform": {6: 0.10},
}

#: Methods that neither the network nor a label answers for.
OTHERS: dict[str, Reducer] = {
    "singlevalue": SingleValue(),
    "maxsum": MaxSum(),
    "kmeans": KMeans(),
    "random": Random(),
}

#: (mean over optimal x, best optimal x) for one choice of scenarios.
Outcome = tuple[float, float]


def chosen(method: str, problem: TwoStageProblem, label: Label, budget: int) -> list[int]:
    """The scenarios a method keeps; traces of PRISE and of the exact search come from the label."""
    if method in ("prise", "ccg"):
        trace = label.indices if method == "prise" else label.ccg or ()
        return list(trace[:budget])
    return list(OTHERS[method].reduce(problem, budget, seed=label.index).indices)


def outcomes(
    config: LabelConfig,
    label: Label,
    features: Floats32 | None,
    checkpoint: str | None,
    methods: list[str],
    budgets: list[int],
) -> dict[str, list[Outcome]]:
    """
    Regret of every method at every budget on one instance.

    Parameters
    ----------
    features
        What the encoding "lp" tells of the scenarios, shape (S, F); None where the network is told something else.
    """
    problem = config.problem(label.index)
    measure = _measure(problem, label)
    found = {}
    for method in methods:
        if method == "neurprise":
            order = ranking(problem, checkpoint, features)
            found[method] = [measure(order[:budget]) for budget in budgets]
        else:
            found[method] = [measure(chosen(method, problem, label, budget)) for budget in budgets]
    return found


def _outcomes_of(
    config: LabelConfig, labels: list[Label], told: list[Floats32 | None], asked: dict[str, Any], place: int
) -> dict[str, list[Outcome]]:
    """On a worker, which has all labels: the outcomes of one."""
    return outcomes(config, labels[place], told[place], **asked)


def ranking(problem: TwoStageProblem, checkpoint: str | None, features: Floats32 | None) -> list[int]:
    """All scenarios in the order in which the network keeps them."""
    reducer = NeurPRISE(checkpoint)
    scores = reducer.scores(problem) if features is None else reducer.scores_of(problem, graph_of_features(features))
    return [int(s) for s in largest_first(scores)]


def told_features(stored: LabelSet, folder: Path, checkpoint: str | None, labels: list[Label]) -> list[Floats32 | None]:
    """What the network reads of each instance where that is "lp", solved for once and kept beside the labels."""
    if checkpoint is None or load(checkpoint).config.encoding != "lp":
        return [None] * len(labels)
    known = stored_features(folder, stored.config, max(label.index for label in labels) + 1)
    return [known[label.index] for label in labels]


def _measure(problem: TwoStageProblem, label: Label) -> Callable[[list[int]], Outcome]:
    if label.optimum is None:
        raise SystemExit("the labels must hold optima: label with exact=True.")
    optimum = label.optimum
    if problem.first_stage_list is None:
        return lambda scenarios: (regret(problem, scenarios, optimum),) * 2

    def measured(scenarios: list[int]) -> Outcome:
        worst = tied_worst_cases(problem, scenarios)
        return regret_percent(float(worst.mean()), optimum), regret_percent(float(worst.min()), optimum)

    return measured


def summary(config: LabelConfig, method: str, budgets: list[int], table: np.ndarray) -> list[dict[str, object]]:
    """One row per budget; table: (instances, budgets, 2)."""
    rows: list[dict[str, object]] = []
    size = "x".join(map(str, config.size))
    paper = PAPER.get(f"{config.family} {size} {config.scenarios} {config.distribution}", {})
    for place, budget in enumerate(budgets):
        mean, best = table[:, place].T
        finite = np.isfinite(mean)
        kept = mean[finite]
        rows.append(
            {
                "family": config.family,
                "method": method,
                "k": budget,
                "regret": float(kept.mean()) if len(kept) else None,
                "standard_error": float(kept.std() / np.sqrt(max(len(kept), 1))),
                "best": float(best[finite].mean()) if len(kept) else None,
                "infeasible": int((~finite).sum()),
                "paper": paper.get(budget) if method == "neurprise" else None,
                "instances": len(table),
            }
        )
    return rows


def write_card(family: str, rows: list[dict[str, object]]) -> None:
    """Put the table into the card of the family's shipped checkpoint, in place of an older one."""
    path = SHIPPED / family / "card.md"
    head = path.read_text().split("\n## Regret", 1)[0].rstrip("\n")
    lines = [
        "| method | k | regret % | standard error | best optimal x | infeasible | paper |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        cells = (row[name] for name in ("method", "k", "regret", "standard_error", "best", "infeasible", "paper"))
        lines.append("| " + " | ".join(_cell(cell) for cell in cells) + " |")
    title = f"## Regret on {rows[0]['instances']} unseen instances (`python -m benchmarks.regret_neurprise`)"
    path.write_text("\n".join([head, "", title, "", *lines]) + "\n")


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def main(argv: list[str] | None = None) -> None:
    parser = new_parser(__doc__)
    parser.add_argument("labels", help="directory of a label set")
    parser.add_argument("--split", choices=["test", "validation", "all"], default="test")
    parser.add_argument("--instances", type=int, default=250)
    parser.add_argument("--checkpoint", help="name or directory; the shipped one of the family if left out")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--budgets", type=int, nargs="+", default=[1, 2, 4, 6], metavar="K")
    parser.add_argument("--write-card", action="store_true", help="put the table into the shipped checkpoint's card")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args(argv)
    stored = read_labels(options.labels)
    test = [label for label in stored.labels if options.split in ("all", split_of(label.index))][: options.instances]
    told = told_features(stored, Path(options.labels), options.checkpoint, test)
    asked = {"checkpoint": options.checkpoint, "methods": options.methods, "budgets": options.budgets}
    work = partial(_outcomes_of, stored.config, test, told, asked)
    found = dict(shown(completed(work, range(len(test)), Workers(options.jobs)), "measuring", len(test)))
    measured = [found[place] for place in range(len(test))]
    rows = [
        row
        for method in measured[0]
        for row in summary(stored.config, method, options.budgets, np.array([one[method] for one in measured]))
    ]
    if options.write_card:
        write_card(stored.config.family, rows)
    origin = {"labels": options.labels, "checkpoint": options.checkpoint or "shipped"}
    table = whole_table(f"Regret in percent, {stored.config.family}", rows)
    publish(options, "regret_neurprise", [{**row, **origin} for row in rows], [table])


if __name__ == "__main__":
    main()
