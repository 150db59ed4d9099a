"""The answer as tables (decision, costs with regret, recourse), as files and as data frames."""

from __future__ import annotations

import csv
import io
import math
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from neurprise.arrays import Floats, frozen
from neurprise.clock import Deadline
from neurprise.errors import InputError, MissingDependencyError
from neurprise.io.csv_cells import cell_of
from neurprise.progress import progress_line
from neurprise.recourse.plan import Plan
from neurprise.search.session import LiveLine, SearchSession
from neurprise.search.single_values import every_value
from neurprise.storage.whole_files import replacing

#: V({s}) of all scenarios as costs, kept as long as the plan exists.
_known: WeakKeyDictionary[Plan, Floats] = WeakKeyDictionary()


def hindsight_costs(plan: Plan, deadline: Deadline | None = None) -> Floats:
    """
    Best cost of each scenario if it were known in advance, V({s}), shape (S,), in the user's sign.

    nan without recourse, where V({s}) may not exist, and after the deadline. This takes one solve per scenario, so the
    result is stored: text, tables and page share it.
    """
    return plan.in_users_sign(_single_values(plan, deadline or Deadline()))


def _single_values(plan: Plan, deadline: Deadline) -> Floats:
    if plan not in _known:
        _known[plan] = frozen(_solved_in_hindsight(plan, deadline))
    return _known[plan]


def _solved_in_hindsight(plan: Plan, deadline: Deadline) -> Floats:
    problem = plan.problem
    finite = np.flatnonzero(np.isfinite(plan.recourse_costs))
    best = np.full(problem.num_scenarios, np.nan)
    if len(finite):
        with progress_line() as line:
            session = SearchSession(problem.restrict(finite.tolist()), plan.solver, deadline, LiveLine(line))
            best[finite] = every_value(session)
    return best


def regrets(plan: Plan) -> Floats:
    """
    Cost of the decision minus the best cost in hindsight, shape (S,); never negative, also for profits.

    inf without recourse, nan if one of the two costs is unknown. Not the gap, `gap_percent`.
    """
    cost, least = plan.scenario_costs, _single_values(plan, Deadline())
    unbounded = cost == -np.inf  # no cost is better
    return np.where(unbounded, 0.0, np.where(cost == np.inf, cost, np.maximum(cost - least, 0.0)))


Row = tuple[Any, ...]
#: Scenarios by keyword, name, number or a list of them; None: all, or those kept if all are too many.
Which = str | int | Iterable[str | int] | None

#: Headings of a maximisation.
_HEADINGS_OF_PROFITS = {"cost": "profit", "best_cost": "best_profit", "recourse_cost": "recourse_profit"}
#: By default, tables contain the recourse of all scenarios up to this many entries.
RECOURSE_ROWS = 1_000_000


@dataclass(frozen=True)
class AnswerTables:
    """
    Rows of tables without headers; all numbers in the user's sign.

    Parameters
    ----------
    plan
        The decision, its costs and its recourse.
    kept
        Scenarios in the last reduced problem.
    worst
        The worst scenario; None if unknown.
    summary
        The answer in numbers, by name, for the first sheet of a workbook.
    """

    plan: Plan
    kept: tuple[int, ...] = ()
    worst: int | None = None
    summary: Mapping[str, Any] = field(default_factory=dict)

    def decision(self) -> list[Row]:
        """(name, value) of every first-stage variable."""
        return list(self.plan.decision.items())

    def costs(self, regret: bool = False) -> dict[str, list[Any]]:
        """Columns, one entry per scenario: scenario and cost, with `regret` also best_cost and regret."""
        columns = {"scenario": list(self.plan.problem.scenario_labels), "cost": self.plan.total_costs.tolist()}
        if regret:
            columns |= {"best_cost": hindsight_costs(self.plan).tolist(), "regret": regrets(self.plan).tolist()}
        return columns

    def headed_costs(self, regret: bool = False) -> dict[str, list[Any]]:
        """The columns of `costs` by the headings that readers see: profits of a maximisation are called profits."""
        return {self.heading(name): values for name, values in self.costs(regret).items()}

    def heading(self, name: str) -> str:
        """The heading of a column of costs."""
        return _HEADINGS_OF_PROFITS.get(name, name) if self.plan.problem.maximize else name

    def frame_columns(self, regret: bool = False) -> dict[str, list[Any]]:
        """The columns of `headed_costs`, with recourse_cost and kept."""
        kept = np.isin(np.arange(self.plan.problem.num_scenarios), self.kept)
        recourse = {self.heading("recourse_cost"): self.plan.recourse_costs.tolist()}
        return self.headed_costs(regret) | recourse | {"kept": kept.tolist()}

    def recourse(self, which: Which = None) -> Iterator[Row]:
        """(scenario, name, value) of every recourse variable; scenarios without an optimal recourse are left out."""
        labels, finite = self.plan.problem.scenario_labels, ~np.isinf(self.plan.recourse_costs)
        for s in self.chosen(which):
            if finite[s]:
                named = self.plan.problem.named_recourse(self.plan.recourse_vector(s))
                yield from ((labels[s], name, value) for name, value in named.items())

    def chosen(self, which: Which) -> list[int]:
        """The numbers of these scenarios without repetition, in the given order."""
        if which is None:
            few = self.plan.problem.num_scenarios * self.plan.problem.num_recourse <= RECOURSE_ROWS
            which = "all" if few else "kept"
        several = [which] if isinstance(which, (str, int)) else list(which)
        return list(dict.fromkeys(s for one in several for s in self._meant_by(one)))

    def _meant_by(self, scenario: Any) -> tuple[int, ...]:
        """The scenarios of a keyword (all, kept, worst), a name or a number."""
        if scenario == "all":
            return tuple(range(self.plan.problem.num_scenarios))
        worst = () if self.worst is None else (self.worst,)
        if scenario == "kept":
            return (*self.kept, *worst)
        if scenario != "worst":
            return (self.plan.problem.scenario_index(scenario),)
        if not worst:
            raise InputError("the worst scenario is not known, because x was not checked on all scenarios; name one.")
        return worst


#: Files of `write_csv`.
CSV_FILES = ("decision.csv", "costs.csv", "recourse.csv")


def write_csv(
    tables: AnswerTables, folder: Path, recourse: Which = None, regret: bool = False, neutral: bool = True
) -> None:
    """decision.csv, costs.csv and recourse.csv, each complete or absent; `neutral` as in `cell_of`."""
    parts = sheets(tables, recourse, regret)
    check_folder(folder)
    folder.mkdir(exist_ok=True)
    for name, rows in parts.items():
        with replacing(folder / f"{name}.csv") as file:
            text = io.TextIOWrapper(file, encoding="utf-8", newline="")
            csv.writer(text, lineterminator="\n").writerows([_cell(entry, neutral) for entry in row] for row in rows)
            text.detach()


def frame(tables: AnswerTables, regret: bool = False) -> Any:
    """A pandas DataFrame with one row per scenario, by name."""
    try:
        import pandas
    except ImportError:
        raise MissingDependencyError(
            "to_frame needs pandas; install it with: pip install pandas, or write files with to_csv."
        ) from None
    return pandas.DataFrame(tables.frame_columns(regret)).set_index("scenario")


def check_folder(folder: Path) -> None:
    """Refuse an unusable output folder before the work begins."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"an output folder must be a folder, got the file {str(folder)!r}; choose another name.")
    if not folder.resolve().parent.is_dir():
        raise InputError(f"an output folder must be inside an existing folder, got {str(folder)!r}; create that.")
    try:
        tempfile.TemporaryFile(dir=folder if folder.is_dir() else folder.resolve().parent).close()
    except OSError as error:
        raise InputError(
            f"an output folder must be writeable, got {str(folder)!r} ({error.strerror}); choose another."
        ) from None


def sheets(tables: AnswerTables, recourse: Which, regret: bool) -> dict[str, Iterable[Row]]:
    """Name of a table -> its rows, the header first. Raises for unknown scenarios."""
    chosen, costs = tables.chosen(recourse), tables.headed_costs(regret)
    return {
        "decision": chain([("name", "value")], tables.decision()),
        "costs": chain([tuple(costs)], zip(*costs.values(), strict=True)),
        "recourse": chain([("scenario", "name", "value")], tables.recourse(chosen)),
    }


def _cell(entry: Any, neutral: bool) -> Any:
    return cell_of(entry, neutral) if isinstance(entry, str) else plain(entry)


def plain(entry: Any) -> Any:
    """Whole floats as int, infinite ones as text, nan as empty; other entries unchanged."""
    if not isinstance(entry, float):
        return entry
    if not math.isfinite(entry):
        return "" if math.isnan(entry) else str(entry)
    return int(entry) if entry.is_integer() and abs(entry) < 2**53 else entry
