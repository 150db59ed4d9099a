"""docs/paper.md: every claim of the paper with its verdict, the deviations, and the cells in which ours is worse."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from experiments.claims import CLAIMS
from experiments.claims.claim import Claim
from experiments.claims.deviations import DEVIATIONS, UNKNOWN, WORSE
from experiments.claims.rules import DIFFERENT, REPRODUCED, UNJUDGED, Cell, Finding, Rows, cells_of
from experiments.runner import stored_rows
from experiments.specs import get_spec
from experiments.views.statistics import FEW
from experiments.views.text_table import number

_HEAD = """\
# The paper, claim by claim

Every sentence, table and figure of the paper that has a number in it: what it says, what was measured here, and whether
the two agree. `python -m experiments claims -o docs/paper.md` writes this page from the rows; no verdict is typed.

- **Measured here** is our mean with its 95 % interval, n instances, then the paper's number. A star marks a difference
  that chance does not explain: the paper's number lies outside our interval, widened by the sampling error of the
  paper's own instances and by its rounding.
- **{reproduced}**: chance explains all differences of the claim together (95 %). The numbers need not be equal; read
  the width of the intervals. **{different}**: chance does not explain them. **{unjudged}**: fewer than ten instances,
  another network than the paper's, a number that depends on the machine, or an order that the rows leave open.
- For "NeurPRISE has lower regret" the mean difference on the same instances must lie below zero with its interval.
- Regret is in percent of the optimum, for the reduced problem's own solution. `python -m experiments table NAME` prints
  the table that a claim names; [Results](results.md) explains the columns.

"""
#: Rows of these are compared cell by cell.
_COMPARED = ("small", "medium", "large", "size-5x", "scenarios", "normal", "multimodal")
#: Networks that ship, and those of the paper's recipe, as the page calls them.
_NETWORKS = {
    "neurprise": "NeurPRISE, shipped",
    "neurprise-paper": "NeurPRISE, the paper's recipe",
    "neur2ro": "Neur2RO",
}


def claims_page(folder: Path) -> str:
    """The whole page."""

    @cache
    def rows(spec: str) -> list:  # type: ignore[type-arg]
        return stored_rows(get_spec(spec), folder)

    found = {heading: [(claim, claim.rule.judged(rows)) for claim in claims] for heading, claims in CLAIMS.items()}
    head = _HEAD.format(reproduced=_title(REPRODUCED), different=_title(DIFFERENT), unjudged=_title(UNJUDGED))
    sections = [_section(heading, judged) for heading, judged in found.items()]
    return "\n".join([head + _totals(found), *sections, _worse(rows), _deviations()])


def _title(verdict: str) -> str:
    return verdict[0].upper() + verdict[1:]


def _totals(found: dict[str, list[tuple[Claim, Finding]]]) -> str:
    lines = ["| | " + " | ".join((REPRODUCED, DIFFERENT, UNJUDGED)) + " | claims |", "|---|---|---|---|---|"]
    counts = {name: Counter(finding.verdict for _, finding in judged) for name, judged in found.items()}
    counts["all"] = sum(counts.values(), Counter[str]())
    for heading, part in counts.items():
        cells = " | ".join(str(part[verdict]) for verdict in (REPRODUCED, DIFFERENT, UNJUDGED))
        lines.append(f"| {heading} | {cells} | {part.total()} |")
    return "\n".join([*lines, ""])


def _section(heading: str, judged: list[tuple[Claim, Finding]]) -> str:
    lines = [
        f"## {heading}\n",
        "| the paper says | where | measured here | verdict | why | table |",
        "|---|---|---|---|---|---|",
    ]
    for claim, finding in judged:
        tables = ", ".join(f"[{name}](results.md#all-tables)" for name in claim.tables)
        cells = (claim.says, claim.where, finding.measured, f"**{finding.verdict}**", claim.why, tables)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def worse_cells(rows: Rows) -> Iterator[tuple[str, Cell]]:
    """Cells in which a network is worse than the paper's by more than chance, with the experiment's name."""
    for spec in _COMPARED:
        for cell in cells_of(spec, rows, methods=tuple(_NETWORKS)):
            worse = cell.ours.value > cell.paper.value
            if worse and cell.ours.count >= FEW and not cell.paper.agrees(cell.ours):
                yield spec, cell


def _worse(rows: Rows) -> str:
    lines = [
        "## Where our networks are worse\n",
        "Every cell in which a network of ours has more regret than the paper's by more than chance.\n",
        "| instances | network | k | ours | paper | n | reason |",
        "|---|---|---|---|---|---|---|",
    ]
    for spec, cell in worse_cells(rows):
        name, title, k = cell.panel.instances.name, _NETWORKS[cell.method], "-" if cell.k is None else str(cell.k)
        reason = WORSE.get((cell.method, name, cell.k), UNKNOWN)
        numbers = (number(cell.ours.value), number(cell.paper.value, cell.paper.digits), str(cell.ours.count))
        lines.append(f"| {name} (`{spec}`) | {title} | {k} | {' | '.join(numbers)} | {reason} |")
    return "\n".join([*lines, ""])


def _deviations() -> str:
    lines = ["## Deviations\n", "| what | the paper | here | what it changes |", "|---|---|---|---|"]
    return "\n".join([*lines, *(f"| {' | '.join(cells)} |" for cells in DEVIATIONS), ""])
