"""Many sets and many methods side by side: what `nr.solve` returns and proves on each set, and in the mean of all."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from experiments.methods import METHODS
from experiments.row import Row
from experiments.spec import Panel, Spec
from experiments.views.aggregates import by_budget, code_of, mean_field, median_field, rows_of
from experiments.views.text_table import number, seconds, text_table


def classes_table(spec: Spec, rows: Sequence[Row]) -> str:
    """
    Mean regret in percent of what `nr.solve` returns, a table per budget; in brackets answers without recourse.

    Only instances on which every method of the set was measured count, so that all means are over the same ones.
    """
    methods = list(dict.fromkeys(name for panel in spec.panels for name in panel.methods))
    counted = [row for panel in spec.panels for row in _on_all(panel, rows)]
    return "\n\n".join([code_of(counted), *(_one_budget(k, part, methods) for k, part in by_budget(counted))])


def _on_all(panel: Panel, rows: Sequence[Row]) -> list[Row]:
    own = rows_of(panel, rows)
    measured = {key: {row.method for row in own if (row.seed, row.k) == key} for key in {(r.seed, r.k) for r in own}}
    return [row for row in own if measured[row.seed, row.k] == set(panel.methods)]


def _one_budget(k: int | None, rows: Sequence[Row], methods: Sequence[str]) -> str:
    sets = list(dict.fromkeys(row.instances for row in rows))
    cells = {(s, m): [row for row in rows if (row.instances, row.method) == (s, m)] for s in sets for m in methods}
    lines = []
    for name in sets:
        count = str(len({row.seed for row in rows if row.instances == name}))
        lines.append([name, count, *(_regret(cells[name, method]) for method in methods)])
    for title, field in (("mean of the above", "solve_regret"), ("proved: regret at most", "regret_bound")):
        lines.append([title, "", *(_mean_of_sets([cells[name, method] for name in sets], field) for method in methods)])
    taken = [[row for row in rows if row.method == method] for method in methods]
    lines.append(["seconds to choose", "", *(seconds(median_field(own, "seconds_choosing")) for own in taken)])
    titles = [METHODS[method].title for method in methods]
    return f"k = {k}\n" + text_table(["regret %", "n", *titles], lines)


def _regret(rows: Sequence[Row]) -> str:
    if not rows:
        return "-"
    infeasible = sum(row.solve_infeasible for row in rows)
    return number(mean_field(rows, "solve_regret")) + (f" ({infeasible})" if infeasible else "")


def _mean_of_sets(parts: Sequence[Sequence[Row]], field: str) -> str:
    """Of the sets' means; infeasible answers, which have none, counted in brackets."""
    found = [value for rows in parts if (value := mean_field(rows, field)) is not None]
    infeasible = sum(row.solve_infeasible for rows in parts for row in rows)
    return number(fmean(found) if found else None) + (f" ({infeasible})" if infeasible else "")
