"""What an experiment is: data, and nothing that runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from experiments.instances.sets import Instances
from experiments.views.statistics import Printed
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
        The set, and how many of it are measured: as many as the paper's test set has, where the paper says so.
    methods
        Names in `methods.METHODS`, in the order of the table.
    budgets
        Scenarios kept, one after another.
    paper
        Regret in percent by method, a number per budget.
    paper_seconds
        Wall-clock seconds for all instances of the paper's test set, likewise.
    paper_digits
        How many decimals of the regret the paper prints.
    variants
        Methods that are one but for the seed of their training, by the name of what they are.
    baseline
        The method that the others are compared with, where seconds are what is measured; "" for none.
    """

    instances: Instances
    count: int
    methods: tuple[str, ...]
    budgets: tuple[int, ...]
    paper: Mapping[str, PaperRow] = field(default_factory=dict)
    paper_seconds: Mapping[str, PaperRow] = field(default_factory=dict)
    paper_digits: int = 2
    variants: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    baseline: str = ""

    def paper_regret(self, method: str, k: int | None) -> float | None:
        """What the paper printed; None where it has no such number."""
        return _at(self.paper.get(method, ()), self.budgets, k)

    def printed(self, method: str, k: int | None) -> Printed | None:
        """The same with what it takes to compare it."""
        value = self.paper_regret(method, k)
        return None if value is None else Printed(value, self.count, self.paper_digits)

    def paper_time(self, method: str, k: int | None) -> float | None:
        """Mean seconds an instance in the paper."""
        total = _at(self.paper_seconds.get(method, ()), self.budgets, k)
        return None if total is None else total / self.count

    def smaller(self) -> Panel:
        """The same panel at smoke size: one tiny instance, one budget."""
        return replace(self, instances=self.instances.smaller(), count=1, budgets=self.budgets[:1])


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
    view
        Name in `tables.VIEWS`: how the rows are shown.
    figure
        Name in `figures.FIGURES`; "" for none.
    rows_of
        Other experiments whose rows are shown; an experiment of nothing else needs no run.
    note
        What one must know to read the table.
    """

    name: str
    title: str
    panels: tuple[Panel, ...]
    source: str = ""
    view: str = "regret"
    figure: str = ""
    rows_of: tuple[str, ...] = ()
    note: str = ""

    def only(self, sets: Sequence[str] | None, methods: Sequence[str] | None = None) -> Spec:
        """The same experiment on some of its sets and methods, None for all; refuses others."""
        _refuse_unknown(self.name, "sets", sets or (), [panel.instances.name for panel in self.panels])
        _refuse_unknown(self.name, "methods", methods or (), [name for panel in self.panels for name in panel.methods])
        panels = [panel for panel in self.panels if sets is None or panel.instances.name in sets]
        if methods is not None:
            panels = [replace(one, methods=tuple(name for name in one.methods if name in methods)) for one in panels]
        return replace(self, panels=tuple(panels))

    def smaller(self) -> Spec:
        """The same experiment at smoke size."""
        return replace(self, panels=tuple(panel.smaller() for panel in self.panels))


def _refuse_unknown(spec: str, what: str, asked: Sequence[str], known: Sequence[str]) -> None:
    unknown = [name for name in asked if name not in known]
    if unknown:
        raise InputError(f"the {what} of {spec} are {', '.join(dict.fromkeys(known))}, got {unknown[0]!r}.")


def _at(printed: PaperRow, budgets: tuple[int, ...], k: int | None) -> float | None:
    """The number for budget k; methods without budgets have one number."""
    if k is None:
        return printed[0] if printed else None
    place = budgets.index(k) if k in budgets else len(printed)
    return printed[place] if place < len(printed) else None
