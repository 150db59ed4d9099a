"""Seconds of several methods on the same instances, and the speed-up of each over their baseline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import geometric_mean

from experiments.methods import METHODS
from experiments.methods.answers import OVER
from experiments.row import Row
from experiments.spec import Panel, Spec
from experiments.views.aggregates import by_budget, code_of, mean_field, median_field, rows_of
from experiments.views.statistics import Mean, geometric_mean_of
from experiments.views.text_table import number, seconds, text_table

#: Room for rounding when a proved gap is compared with the one that was asked for.
CLOSED = 1.01


def speed_table(spec: Spec, rows: Sequence[Row]) -> str:
    """One line per set, budget and method; the geometric means over all sets below, where there are several."""
    lines = [line for panel in spec.panels for line in _panel_lines(panel, rows)]
    further = list(dict.fromkeys(name for line in lines for row in line.rows for name in row.measured if name != OVER))
    columns = [column for column in _COLUMNS if any(_cell(line, column) != "-" for line in lines)] + further
    cells = [[_cell(line, column) for column in columns] for line in lines]
    made_by = code_of([row for line in lines for row in line.rows])
    return "\n".join([made_by, text_table(columns, cells, left=2), *_over_all_sets(spec, lines)])


def is_closed(row: Row) -> bool:
    """Whether the search closed its gap; a method that only has seconds always counts as finished."""
    if row.solve_objective is None and row.bound is None:
        return not row.solve_infeasible
    return row.regret_bound is not None and row.regret_bound <= 100 * CLOSED * row.gap


@dataclass(frozen=True)
class _Line:
    """
    One method on one set at one budget.

    Parameters
    ----------
    times
        Seconds of the baseline over seconds of the method, on instances that both finished; None without any.
    at_least
        The same on instances that the method finished and the baseline did not.
    same_choice
        Number of instances on which both chose the same scenarios in the same order; None if choices are not compared.
    """

    panel: Panel
    method: str
    k: int | None
    rows: list[Row]
    times: Mean | None
    at_least: Mean | None
    same_choice: int | None


def _panel_lines(panel: Panel, rows: Sequence[Row]) -> Iterator[_Line]:
    for k, part in by_budget(rows_of(panel, rows)):
        for method in panel.methods:
            mine = [row for row in part if row.method == method]
            if mine:
                yield _line(panel, method, k, mine, [row for row in part if row.method == panel.baseline])


def _line(panel: Panel, method: str, k: int | None, mine: list[Row], compared: list[Row]) -> _Line:
    """Rows of other code are not compared: a ratio is of one version."""
    beside = {(row.seed, row.commit): row for row in compared} if method != panel.baseline else {}
    pairs = [(beside[key], row) for row in mine if (key := (row.seed, row.commit)) in beside and is_closed(row)]
    ended = [(other, row) for other, row in pairs if is_closed(other)]
    cut = [(other, row) for other, row in pairs if not is_closed(other)]
    chosen = [other.chosen == row.chosen for other, row in pairs if other.chosen and row.chosen]
    return _Line(panel, method, k, mine, _times(ended), _times(cut), sum(chosen) if chosen else None)


def _times(pairs: list[tuple[Row, Row]]) -> Mean | None:
    ratios = [other.seconds_solve / row.seconds_solve for other, row in pairs if row.seconds_solve > 0]
    return geometric_mean_of(ratios) if ratios else None


_COLUMNS = (
    "instances",
    "method",
    "k",
    "n",
    "seconds",
    "speed-up",
    "95 % interval",
    "same choice",
    "value",
    "gap %",
)


def _cell(line: _Line, column: str) -> str:
    if column not in _COLUMNS:
        numbers = [row.measured[column] for row in line.rows if column in row.measured]
        return f"{sum(numbers) / len(numbers):.4g}" if numbers else "-"
    single = line.rows[0] if len(line.rows) == 1 else None
    known = {
        "instances": line.panel.instances.name,
        "method": METHODS[line.method].title,
        "k": "-" if line.k is None else str(line.k),
        "n": str(len(line.rows)),
        "seconds": seconds(median_field(line.rows, "seconds_solve") or None),  # none where an error ended it
        "speed-up": _speed_up(line),
        "95 % interval": _interval(line.times),
        "same choice": "-" if line.same_choice is None else f"{line.same_choice} of {len(line.rows)}",
        "value": "-" if single is None or single.solve_objective is None else f"{single.solve_objective:.6g}",
        "gap %": number(mean_field(line.rows, "regret_bound"), 3),
    }
    return known[column]


def _interval(times: Mean | None) -> str:
    return "-" if times is None or times.count < 2 else f"[{_ratio(times.low)}, {_ratio(times.high)}]"


def _speed_up(line: _Line) -> str:
    if line.times is not None:
        return _ratio(line.times.value)
    return "-" if line.at_least is None else f"> {_ratio(line.at_least.value)}"


def _ratio(times: float) -> str:
    """Three digits, large ones in full."""
    return f"{times:,.0f}" if times >= 100 else f"{times:.3g}"


def _over_all_sets(spec: Spec, lines: Sequence[_Line]) -> list[str]:
    """The speed-up of each method over all sets on which it and the baseline finished."""
    said = []
    for method in dict.fromkeys(name for panel in spec.panels for name in panel.methods):
        found = [line.times.value for line in lines if line.method == method and line.times is not None]
        if len(found) > 1:
            baseline = METHODS[next(panel.baseline for panel in spec.panels if method in panel.methods)].title
            said.append(
                f"{METHODS[method].title}: speed-up {_ratio(geometric_mean(found))} over {baseline} "
                f"(geometric mean of {len(found)} lines)"
            )
    return said
