"""What was best within a number of seconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from experiments.methods import METHODS
from experiments.row import Row
from experiments.spec import Spec
from experiments.views.aggregates import by_budget, mean_field, median_field
from experiments.views.text_table import seconds, text_table

#: Seconds that a reader may have.
AFFORDABLE = (0.01, 0.1, 1.0, 10.0, 100.0)


#: What was measured on fewer instances is not compared.
FEWEST = 2


def winners_table(spec: Spec, rows: Sequence[Row]) -> str:
    """For each set and number of seconds, what returned the lowest regret through nr.solve, and what proved most."""
    lines = []
    for panel in spec.panels:
        own = [row for row in rows if row.instances == panel.instances.name]
        exact = [row for row in own if row.method == "exact"]
        exactly = f"{seconds(median_field(exact, 'seconds_solve'))} s" if exact else "-"
        for limit in AFFORDABLE:
            found = [one for one in _answers(own) if one.seconds <= limit]
            if found:
                regret = min(found, key=lambda one: (round(one.regret, 3), one.seconds))
                proof = min(found, key=lambda one: (round(one.bound, 3), one.seconds))
                cells = (f"{regret.title}: {regret.regret:.2f}", f"{proof.title}: {proof.bound:.2f}")
                lines.append((panel.instances.name, f"{limit:g} s", *cells, exactly, str(regret.count)))
    columns = ("instances", "within", "lowest regret %", "best proof: regret at most %", "exact search takes", "n")
    return text_table(columns, lines, left=4)


@dataclass(frozen=True)
class Answer:
    """One method at one budget: median seconds of nr.solve, mean regret of what it returns, and what it proves."""

    title: str
    seconds: float
    regret: float
    bound: float
    count: int


def _answers(rows: Sequence[Row]) -> list[Answer]:
    """Methods whose answers always have recourse and a proof, by their means."""
    answers = []
    for method in dict.fromkeys(row.method for row in rows):
        for k, part in by_budget([row for row in rows if row.method == method]):
            if len(part) >= FEWEST and all(
                row.solve_regret is not None and row.regret_bound is not None for row in part
            ):
                title = METHODS[method].title + ("" if k is None else f", k = {k}")
                regret, proved = (mean_field(part, field) or 0.0 for field in ("solve_regret", "regret_bound"))
                answers.append(Answer(title, median_field(part, "seconds_solve"), regret, proved, len(part)))
    return answers
