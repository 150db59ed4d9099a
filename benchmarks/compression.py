"""
How few scenarios PRISE needs, from the labels in labels/: the paper's compression ratios and gain statistics.

    python -m benchmarks.compression [LABELS ...]
"""

from __future__ import annotations

import statistics
from collections import Counter
from pathlib import Path

import numpy as np

from benchmarks.record import RESULTS, new_parser, publish
from neurprise.diagnostics import compression_budget, share_nonincreasing, stop_step
from neurprise.learn.labels import LabelSet, read_labels

#: Table "compression ratio": mean and median in %, share of instances within 2 / 4 / 8 / 12 %, not converged.
PAPER = {
    "selection": "4.2, 4.0; 34 / 80 / 95 / 96 %; 3.6 %",
    "vertex-cover": "7.8, 8.0; 1 / 19 / 72 / 92 %; 5.6 %",
}


def describe(labels: LabelSet) -> dict[str, object]:
    """Compression ratio, stop steps and the share of non-increasing gains of one label set."""
    traces = [np.cumsum(label.gains).tolist() for label in labels.labels]
    optima = [label.optimum for label in labels.labels]
    reached = [compression_budget(t, v) for t, v in zip(traces, optima, strict=True) if v is not None]
    unreached = reached.count(None) / len(reached)
    # The paper counts an instance that never comes close as the whole budget.
    ratios = [100 * (k or labels.config.budget) / labels.config.scenarios for k in reached]
    within = [sum(k is not None and 100 * k / labels.config.scenarios <= p for k in reached) for p in (2, 4, 8, 12)]
    steps = Counter(map(stop_step, traces))
    return {
        "family": labels.config.family,
        "instances": len(labels),
        "mean %": statistics.mean(ratios),
        "median %": statistics.median(ratios),
        "within 2/4/8/12 %": " / ".join(f"{100 * count / len(reached):.0f}" for count in within),
        "not reached %": 100 * unreached,
        "stop step 1, 2, ... (%)": " / ".join(f"{100 * steps[k] / len(traces):.0f}" for k in range(1, max(steps) + 1)),
        "gains non-increasing %": 100 * share_nonincreasing(traces),
        "paper (mean, median; within; not reached)": PAPER.get(labels.config.family, ""),
    }


def main(argv: list[str] | None = None) -> None:
    parser = new_parser(__doc__)
    parser.add_argument("labels", nargs="*", type=Path, help="label directories; default: all in labels/")
    options = parser.parse_args(argv)
    folders = options.labels or sorted((RESULTS.parent / "labels").iterdir())
    sets = [read_labels(folder) for folder in folders]
    rows = [describe(labels) for labels in sets if labels.labels[0].gains]  # test sets hold optima only
    tables = [
        (
            f"{row['family']}, {row['instances']} instances",
            ["what", "value"],
            [item for item in row.items() if item[0] not in ("family", "instances")],
        )
        for row in rows
    ]
    publish(options, "compression", rows, tables)


if __name__ == "__main__":
    main()
