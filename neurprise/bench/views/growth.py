"""Seconds as the number of scenarios grows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from neurprise.bench.aggregates import mean_field
from neurprise.bench.rows import Row
from neurprise.bench.spec import Spec
from neurprise.bench.text_table import text_table

#: S, then inference, solve and total as multiples of the first row, as the paper prints them.
PAPER_GROWTH = {
    "VC-50-50": {10: (1.0, 1.0, 1.0), 20: (1.9, 1.2, 1.2), 50: (4.6, 1.5, 1.7)},
    "VC-50-100": {20: (1.0, 1.0, 1.0), 50: (2.5, 1.1, 1.3), 100: (5.0, 1.2, 1.6)},
}


def growth_table(spec: Spec, rows: Sequence[Row]) -> str:
    """Mean seconds of choosing, solving and both, as multiples of those with the fewest scenarios."""
    shown = []
    for drawn, printed in PAPER_GROWTH.items():
        names = {s: f"{drawn}[:{s}]" if s != max(printed) else drawn for s in printed}
        parts = {s: [row for row in rows if row.instances == name] for s, name in names.items()}
        common = set.intersection(*({row.seed for row in part} for part in parts.values()))
        if common:
            shown.append(f"{drawn}: {len(common)} instances\n{_growth(printed, parts, common)}")
    return "\n\n".join(shown)


def _growth(printed: Mapping[int, tuple[float, ...]], parts: dict[int, list[Row]], common: set[int]) -> str:
    seconds_by = {}
    for s, part in parts.items():
        own = [row for row in part if row.seed in common]
        choosing, solving = mean_field(own, "seconds_choosing"), mean_field(own, "seconds_solving")
        assert choosing is not None
        assert solving is not None
        seconds_by[s] = (choosing, solving, choosing + solving)
    first = seconds_by[min(seconds_by)]
    lines = [
        (
            str(s),
            *(f"{now / then:.1f} ({theirs:.1f})" for now, then, theirs in zip(own, first, printed[s], strict=True)),
        )
        for s, own in seconds_by.items()
    ]
    return text_table(("S", "choosing (paper)", "solving (paper)", "both (paper)"), lines, left=0)
