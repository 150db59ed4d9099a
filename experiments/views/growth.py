"""Seconds as the number of scenarios grows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from experiments.row import Row
from experiments.spec import Spec
from experiments.views.statistics import Printed, ratio_of
from experiments.views.text_table import compared, interval, number, text_table

#: S, then inference, solve and total as multiples of the first row, as the paper prints them.
PAPER_GROWTH = {
    "VC-50-50": {10: (1.0, 1.0, 1.0), 20: (1.9, 1.2, 1.2), 50: (4.6, 1.5, 1.7)},
    "VC-50-100": {20: (1.0, 1.0, 1.0), 50: (2.5, 1.1, 1.3), 100: (5.0, 1.2, 1.6)},
}


#: Instances of the paper's populations.
PAPER_COUNT = 50
#: What is timed, and the seconds of a row that belong to it.
PARTS: dict[str, Callable[[Row], float]] = {
    "choosing": lambda row: row.seconds_choosing,
    "solving": lambda row: row.seconds_solving,
    "both": lambda row: row.seconds_choosing + row.seconds_solving,
}


def growth_table(spec: Spec, rows: Sequence[Row]) -> str:
    """Mean seconds of choosing, solving and both, as multiples of those with the fewest scenarios."""
    shown = []
    for drawn, printed in PAPER_GROWTH.items():
        names = {s: f"{drawn}[:{s}]" if s != max(printed) else drawn for s in printed}
        measured = {s: {row.seed: row for row in rows if row.instances == name} for s, name in names.items()}
        common = sorted(set.intersection(*(set(by_seed) for by_seed in measured.values())))
        if common:
            parts = {s: [by_seed[seed] for seed in common] for s, by_seed in measured.items()}
            shown.append(f"{drawn}: {len(common)} instances\n{_growth(printed, parts)}")
    return "\n\n".join(shown)


def _growth(printed: Mapping[int, tuple[float, ...]], rows: dict[int, list[Row]]) -> str:
    first, *larger = rows
    lines = []
    for s in larger:
        for (part, seconds), paper in zip(PARTS.items(), printed[s], strict=True):
            ours = ratio_of([seconds(row) for row in rows[s]], [seconds(row) for row in rows[first]])
            numbers = (
                number(paper, 1),
                number(ours.value, 1),
                compared(ours, Printed(paper, PAPER_COUNT, 1)),
                interval(ours, 1),
            )
            lines.append((part, str(s), *numbers))
    return text_table(("seconds of", "S", "paper", "ours", "diff", "95 % interval"), lines)
