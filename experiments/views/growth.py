"""Seconds as the number of scenarios grows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from experiments.row import Row
from experiments.spec import Spec
from experiments.views.statistics import Mean, Printed, ratio_of
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
        ratios = growth_ratios(rows, drawn)
        if ratios:
            lines = [_line(s, part, ours, printed[s]) for s, parts in ratios.items() for part, ours in parts.items()]
            count = next(iter(next(iter(ratios.values())).values())).count
            columns = ("seconds of", "S", "paper", "ours", "diff", "95 % interval")
            shown.append(f"{drawn}: {count} instances\n{text_table(columns, lines)}")
    return "\n\n".join(shown)


def growth_ratios(rows: Sequence[Row], drawn: str) -> dict[int, dict[str, Mean]]:
    """By number of scenarios and part: seconds over those with the fewest scenarios, on the same instances."""
    counts = PAPER_GROWTH[drawn]
    names = {s: f"{drawn}[:{s}]" if s != max(counts) else drawn for s in counts}
    measured = {s: {row.seed: row for row in rows if row.instances == name} for s, name in names.items()}
    common = sorted(set.intersection(*(set(by_seed) for by_seed in measured.values())))
    if not common:
        return {}
    first, *larger = counts
    seconds = {s: {part: [of(measured[s][seed]) for seed in common] for part, of in PARTS.items()} for s in counts}
    return {s: {part: ratio_of(seconds[s][part], seconds[first][part]) for part in PARTS} for s in larger}


def _line(s: int, part: str, ours: Mean, printed: tuple[float, ...]) -> tuple[str, ...]:
    paper = Printed(printed[list(PARTS).index(part)], PAPER_COUNT, 1)
    return (part, str(s), number(paper.value, 1), number(ours.value, 1), compared(ours, paper), interval(ours, 1))
