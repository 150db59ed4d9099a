"""
How a verdict is found: rules that read rows and compare them with what the paper printed.

A number is reproduced if chance explains the difference: our interval, widened by the sampling error of the paper's own
instances and by its rounding, contains it. A claim of several numbers is held to 95 % for all of them together, so each
of its intervals is wider (Bonferroni). Means of fewer than ten instances are shown and not judged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from experiments.methods import METHODS
from experiments.row import Row
from experiments.spec import Panel
from experiments.specs import get_spec
from experiments.views.aggregates import mean_over_networks, rows_of
from experiments.views.statistics import CONFIDENCE, FEW, Mean, Printed, mean_of, share_of
from experiments.views.text_table import number

REPRODUCED, DIFFERENT, UNJUDGED = "reproduced", "not reproduced", "cannot be judged here"
#: The rows that an experiment shows, by its name.
Rows = Callable[[str], list[Row]]
#: Means by their names.
Statistic = Callable[[Rows], dict[str, Mean]]


@dataclass(frozen=True)
class Finding:
    """What was measured here, and whether it is what the paper says."""

    verdict: str
    measured: str


class Rule(Protocol):
    def judged(self, rows: Rows) -> Finding: ...


@dataclass(frozen=True)
class Cell:
    """One number of a table: ours, the paper's, and where it stands."""

    panel: Panel
    method: str
    k: int | None
    ours: Mean
    paper: Printed

    @property
    def at(self) -> str:
        return "" if self.k is None else f"k = {self.k}: "


def cells_of(spec: str, rows: Rows, sets: Sequence[str] = (), methods: Sequence[str] = ()) -> Iterator[Cell]:
    """The numbers of an experiment that the paper has too; those of some sets and methods, or of all."""
    shown = get_spec(spec)
    for panel in shown.panels:
        if sets and panel.instances.name not in sets:
            continue
        own = rows_of(panel, rows(spec))
        for name, members in _lines(panel).items():
            if not methods or name in methods:
                yield from _cells(panel, name, [row for row in own if row.method in members], shown.view)


def _lines(panel: Panel) -> dict[str, tuple[str, ...]]:
    """What the lines of a panel are the means of: one method each, or all seeds of one."""
    if panel.variants:
        return dict(panel.variants)
    if "mean" in panel.paper:
        return {"mean": panel.methods}
    return {name: (name,) for name in panel.methods}


def _cells(panel: Panel, name: str, rows: Sequence[Row], view: str) -> Iterator[Cell]:
    for k in dict.fromkeys(row.k for row in sorted(rows, key=lambda row: row.k or 0)):
        part = [row for row in rows if row.k == k]
        shares = view == "infeasibility"
        ours = share_of(sum(row.infeasible for row in part), len(part)) if shares else mean_over_networks(part)
        printed = panel.printed(panel.variants[name][0] if panel.variants else name, k)
        if ours is not None and printed is not None:
            yield Cell(panel, name, k, ours, printed)


@dataclass(frozen=True)
class Same:
    """
    The numbers of a table are the paper's.

    Parameters
    ----------
    spec, sets, methods
        Of these sets and methods; all where none is named.
    judge
        False where ours is measured for another network than the paper's, so that equal numbers are no proof.
    """

    spec: str
    sets: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    judge: bool = True

    def judged(self, rows: Rows) -> Finding:
        cells = list(cells_of(self.spec, rows, self.sets, self.methods))
        enough = [cell for cell in cells if cell.ours.count >= FEW]
        joint = 1 - (1 - CONFIDENCE) / max(len(enough), 1)
        outside = [cell for cell in enough if not cell.paper.agrees(cell.ours, joint)]
        verdict = DIFFERENT if outside else REPRODUCED
        if not self.judge or 2 * len(enough) <= len(cells):
            verdict = UNJUDGED
        return Finding(verdict, _numbers(cells, several=len({cell.method for cell in cells}) > 1))


def _numbers(cells: Sequence[Cell], several: bool) -> str:
    """One line for each set and method: ours with its interval, the paper's in brackets, a star if chance says no."""
    groups: dict[tuple[str, str], list[Cell]] = {}
    for cell in cells:
        groups.setdefault((cell.panel.instances.name, cell.method), []).append(cell)
    lines = []
    for (instances, method), part in groups.items():
        title = METHODS[method].title if method in METHODS else method
        counts = "/".join(str(count) for count in dict.fromkeys(cell.ours.count for cell in part))
        numbers = "; ".join(_number(cell) for cell in part)
        lines.append(f"{instances}{f', {title}' if several else ''} (n = {counts}): {numbers}")
    return "<br>".join(lines) or "no rows"


def _number(cell: Cell) -> str:
    return f"{cell.at}{_beside(cell.ours, cell.paper)}"


def _beside(ours: Mean, paper: Printed) -> str:
    digits = paper.digits
    star = "" if ours.count < FEW or paper.agrees(ours) else " \\*"
    bounds = f"{number(ours.low, digits)} to {number(ours.high, digits)}"
    return f"{number(ours.value, digits)} [{bounds}], paper {number(paper.value, digits)}{star}"


@dataclass(frozen=True)
class Equal:
    """
    Statistics other than a table's mean regret are the paper's.

    Parameters
    ----------
    statistics
        What is measured, and the paper's number.
    count, digits
        Instances of the paper, and decimals that it prints.
    judge
        False where the machine decides.
    """

    statistics: tuple[tuple[Statistic, float], ...]
    count: int
    digits: int = 1
    judge: bool = True

    def judged(self, rows: Rows) -> Finding:
        found = [
            (name, ours, Printed(paper, self.count, self.digits))
            for statistic, paper in self.statistics
            for name, ours in statistic(rows).items()
        ]
        joint = 1 - (1 - CONFIDENCE) / max(len(found), 1)
        differ = any(not paper.agrees(ours, joint) for _, ours, paper in found)
        enough = self.judge and bool(found) and min(ours.count for _, ours, _ in found) >= FEW
        verdict = UNJUDGED if not enough else DIFFERENT if differ else REPRODUCED
        lines = [f"{name} (n = {ours.count}): {_beside(ours, paper)}" for name, ours, paper in found]
        return Finding(verdict, "<br>".join(lines) or "no rows")


@dataclass(frozen=True)
class Lower:
    """
    A method has lower regret than others on the same instances.

    Reproduced if the interval of every mean difference lies below zero, not if one lies above. Differences that may be
    either sign cannot be judged.
    """

    spec: str
    sets: tuple[str, ...]
    method: str
    than: tuple[str, ...]
    budgets: tuple[int, ...]

    def judged(self, rows: Rows) -> Finding:
        told = [one for name in self.sets for one in self._compared(name, rows(self.spec))]
        if not told or min(difference.count for _, difference in told) < FEW:
            return Finding(UNJUDGED, "<br>".join(text for text, _ in told) or "no rows")
        above = any(difference.low > 0 for _, difference in told)
        below = all(difference.high <= 0 for _, difference in told)
        verdict = DIFFERENT if above else REPRODUCED if below else UNJUDGED
        return Finding(verdict, "<br>".join(text for text, _ in told))

    def _compared(self, instances: str, rows: Sequence[Row]) -> Iterator[tuple[str, Mean]]:
        """For every budget the competitor that comes closest, with the mean difference to it."""
        own = [row for row in rows if row.instances == instances]
        for k in self.budgets:
            differences = [(other, self._difference(own, other, k)) for other in self.than]
            known = [(other, one) for other, one in differences if one is not None]
            if known:
                other, worst = max(known, key=lambda pair: pair[1].value)
                text = f"{instances}, k = {k}: {worst.value:+.2f} against {METHODS[other].title}"
                yield f"{text} [{worst.low:+.2f} to {worst.high:+.2f}], n = {worst.count}", worst

    def _difference(self, rows: Sequence[Row], other: str, k: int) -> Mean | None:
        mine = {row.seed: row.regret for row in rows if row.method == self.method and row.k == k}
        theirs = {row.seed: row.regret for row in rows if row.method == other and row.k in (k, None)}
        pairs = [(mine[seed], theirs[seed]) for seed in mine if seed in theirs]
        return mean_of([a - b for a, b in pairs if a is not None and b is not None])


@dataclass(frozen=True)
class Between:
    """
    Statistics lie where the paper says; an interval that overlaps the range counts.

    Parameters
    ----------
    statistics
        From the rows to means by their names.
    low, high
        What the paper says.
    judge
        False where the machine or the number of instances decides.
    """

    statistics: Statistic
    low: float
    high: float
    judge: bool = True
    digits: int = 1

    def judged(self, rows: Rows) -> Finding:
        found = self.statistics(rows)
        inside = all(one.high >= self.low and one.low <= self.high for one in found.values())
        lines = [
            f"{name}: {number(one.value, self.digits)} "
            f"[{number(one.low, self.digits)} to {number(one.high, self.digits)}], n = {one.count}"
            for name, one in found.items()
        ]
        enough = self.judge and bool(found) and min(one.count for one in found.values()) >= FEW
        verdict = UNJUDGED if not enough else REPRODUCED if inside else DIFFERENT
        return Finding(verdict, "<br>".join(lines) or "no rows")


@dataclass(frozen=True)
class Holds:
    """A statement that is true or false, None without rows; the function says which, and what it saw."""

    check: Callable[[Rows], tuple[bool | None, str]]

    def judged(self, rows: Rows) -> Finding:
        true, seen = self.check(rows)
        return Finding(UNJUDGED if true is None else REPRODUCED if true else DIFFERENT, seen)


@dataclass(frozen=True)
class NotMeasured:
    """Nothing here can decide it; `seen` says what there is instead."""

    seen: str = "not measured"

    def judged(self, rows: Rows) -> Finding:
        return Finding(UNJUDGED, self.seen)
