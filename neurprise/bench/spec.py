"""What an experiment is: data, and nothing that runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from neurprise.bench.instances import InstanceSet
from neurprise.errors import InputError

#: What the paper printed for one method: one number per budget, or a single one for methods that take none.
PaperRow = tuple[float | None, ...]


@dataclass(frozen=True)
class Panel:
    """
    One set of instances, the methods that are compared on it, and the paper's numbers.

    Parameters
    ----------
    instances, count
        The set, and how many of it are measured.
    methods
        Names in `methods.METHODS`, in the order of the table.
    budgets
        Scenarios kept, one after another.
    paper
        Regret in percent by method, a number per budget.
    paper_seconds
        Wall-clock seconds for all instances of the paper's test set, likewise.
    paper_count
        How many instances that test set had.
    fewer
        Methods that are measured on fewer instances, because they take long.
    """

    instances: InstanceSet
    count: int
    methods: tuple[str, ...]
    budgets: tuple[int, ...]
    paper: Mapping[str, PaperRow] = field(default_factory=dict)
    paper_seconds: Mapping[str, PaperRow] = field(default_factory=dict)
    paper_count: int = 250
    fewer: Mapping[str, int] = field(default_factory=dict)

    def count_of(self, method: str) -> int:
        """Instances that the method is measured on."""
        return min(self.count, self.fewer.get(method, self.count))

    def paper_regret(self, method: str, k: int | None) -> float | None:
        """What the paper printed; None where it has no such number."""
        return _at(self.paper.get(method, ()), self.budgets, k)

    def paper_time(self, method: str, k: int | None) -> float | None:
        """Mean seconds an instance in the paper."""
        total = _at(self.paper_seconds.get(method, ()), self.budgets, k)
        return None if total is None else total / self.paper_count

    def smaller(self, count: int, scenarios: int, size: int) -> Panel:
        """The same panel at smoke size: small instances with few scenarios, at most two budgets."""
        small = replace(
            self.instances,
            size=(size,) * len(self.instances.size),
            scenarios=scenarios,
            kept_scenarios=None if self.instances.kept_scenarios is None else max(scenarios // 2, 1),
        )
        return replace(self, instances=small, count=count, budgets=self.budgets[:2], fewer={})


@dataclass(frozen=True)
class Spec:
    """
    One table or figure.

    Parameters
    ----------
    name
        On the command line.
    title
        What a reader learns, in a few words.
    source
        Where the paper shows it; "" for what it lacks.
    panels
        What is measured.
    views
        Names in `tables.VIEWS`: how the rows are shown.
    note
        What one must know to read the table.
    """

    name: str
    title: str
    panels: tuple[Panel, ...]
    source: str = ""
    views: tuple[str, ...] = ("regret",)
    note: str = ""

    def only(self, sets: Sequence[str]) -> Spec:
        """The same experiment on some of its sets; refuses others."""
        known = [panel.instances.name for panel in self.panels]
        unknown = [name for name in sets if name not in known]
        if unknown:
            raise InputError(f"the sets of {self.name} are {', '.join(known)}, got {unknown[0]!r}.")
        return replace(self, panels=tuple(panel for panel in self.panels if panel.instances.name in sets))


def _at(printed: PaperRow, budgets: tuple[int, ...], k: int | None) -> float | None:
    """The number for budget k; methods without budgets have one number."""
    if k is None:
        return printed[0] if printed else None
    place = budgets.index(k) if k in budgets else len(printed)
    return printed[place] if place < len(printed) else None
