"""The answer as printed text and as a notebook cell."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import TYPE_CHECKING, Any, Protocol

from neurprise.errors import counted, part_of, visible
from neurprise.report import text

if TYPE_CHECKING:
    from neurprise.report.report import Report

#: Longer decisions are shortened.
DECISION_SHOWN = 12
#: Longer lists of scenarios are shortened.
SCENARIOS_SHOWN = 6

_WIDTH = 100
_INDENT = 13
_UNBROKEN = "\0"  # a blank without line break; no name contains it


class _Signed(Protocol):
    """A report, a comparison or a problem."""

    @property
    def maximize(self) -> bool: ...


@dataclass(frozen=True)
class Words:
    """
    Names of the numbers in the user's sign, where they differ between costs and profits.

    Parameters
    ----------
    cost, worst, bound, gain
        Names of a total, of Z(x), of the proved bound, and of the change of V(R) with one more scenario.
    no_recourse
        Total of a scenario without recourse: inf, or -inf for profits.
    tail
        The scenarios whose mean is the CVaR at level 0.9.
    """

    cost: str
    worst: str
    bound: str
    gain: str
    no_recourse: float
    tail: str

    def amount(self, total: float) -> str:
        """A total as text; for an infinite one, the reason."""
        if math.isfinite(total):
            return number(total)
        return "no recourse" if total == self.no_recourse else "without limit"


#: The objective that needs no name.
WORST = "worst"
COSTS = Words("cost", "worst case", "lower bound", "gain", math.inf, "worst tenth")
PROFITS = Words("profit", "guaranteed", "upper bound", "change", -math.inf, "lowest tenth")


def words_of(answer: _Signed) -> Words:
    """The words for costs, or for the profits of a maximisation; another objective than the worst case is a "value"."""
    words = PROFITS if answer.maximize else COSTS
    if getattr(answer, "objective", WORST) == WORST:
        return words
    return replace(words, worst="value", bound=COSTS.bound if answer.is_regret else words.bound)  # type: ignore[attr-defined]


def printed(report: Report) -> str:
    """The report, one fact per line, names before values."""
    words = words_of(report)
    rows = {
        words.worst: value(report),
        words.bound: bound(report),
        "gap": gap(report),
        **other_rows(report),
        **({} if report.averages is None else {"expected": str(report.averages)}),
        "decision": decision(report),
        "status": status(report),
        "runtime": f"{report.runtime:.2f} s ({made_by(report)})",
    }
    if report.verification is not None:
        rows["checked"] = str(report.verification)
    return visible("\n".join(_wrapped(name, value) for name, value in rows.items()))


def summary(report: Report) -> dict[str, Any]:
    """The answer in numbers, by name, for tables."""
    words = words_of(report)
    return {
        words.worst: report.value,
        **({} if report.objective == WORST else {"objective": report.objective, **other_rows(report)}),
        "worst scenario": report.worst_scenario_name,
        words.bound: report.lower_bound,
        "gap, percent": report.gap_percent,
        "gap, absolute": report.absolute_gap,
        **({} if report.averages is None else {f"mean {words.cost}": report.averages.expected}),
        "status": report.status.value,
        "scenarios": report.num_scenarios,
        "scenarios kept": len(report.scenarios),
        "seconds": report.runtime,
        "method": made_by(report),
    }


def value(report: Report) -> str:
    """The attained value of the objective; of the worst case with its scenario."""
    if report.objective == WORST:
        return worst_case(report)
    if report.x is None:
        return "unknown: no decision was found"
    return f"{number(report.value) if math.isfinite(report.value) else 'not known'} ({report.objective})"


def other_rows(report: Report) -> dict[str, str]:
    """The worst case, where another objective was asked for."""
    if report.objective == WORST:
        return {}
    words = PROFITS if report.maximize else COSTS
    return {words.worst: worst_case(report)}


def verdict(report: Report) -> str:
    """The guarantee of the decision, in one sentence."""
    if report.x is None:
        return f"No decision was found ({report.status.value})."
    if report.objective != WORST and math.isfinite(report.value):
        return _verdict_on_value(report)
    if report.infeasible_scenarios:
        where = scenarios(report.scenario_name(s) for s in report.infeasible_scenarios)
        return f"This decision is infeasible: there is no recourse in some scenarios ({where})."
    if not math.isfinite(report.worst_case):
        return f"This decision was checked on {_checked(report)} only, so its worst case is not known."
    value, proved = number(report.worst_case), number(report.lower_bound)
    if report.maximize:
        promise, best = f"guarantees a profit of at least {value}", "no decision can guarantee more"
    elif report.worst_case < 0:  # "never costs more than -5" must be read twice
        promise, best = f"costs {value} in the worst case", "no decision can promise less"
    else:
        promise, best = f"never costs more than {value}", "no decision can promise less"
    promise = f"This decision {promise}, whichever scenario comes"
    if report.gap_percent == 0:  # only rounding is left
        return f"{promise}, and {best}: it is optimal."
    if not math.isfinite(report.absolute_gap):
        return f"{promise}; how far that is from the best is not proved."
    return f"{promise}, and {best} than {proved}: the gap is {gap(report)}."


def _verdict_on_value(report: Report) -> str:
    """The same for an objective other than the worst case."""
    profit = report.maximize and not report.is_regret
    attained = f"This decision has the value {number(report.value)} by the objective {report.objective!r}"
    best = f"no decision has a {'larger' if profit else 'smaller'} one"
    if report.gap_percent == 0:
        return f"{attained}, and {best}: it is optimal."
    if not math.isfinite(report.absolute_gap):
        return f"{attained}; how far that is from the best is not proved."
    return f"{attained}, and {best} than {number(report.lower_bound)}: the gap is {gap(report)}."


def worst_case(report: Report) -> str:
    """Z(x) with its worst scenario, or why it is not known."""
    if report.x is None:
        return "unknown: no decision was found"
    if report.infeasible_scenarios:
        where = scenarios(report.scenario_name(s) for s in report.infeasible_scenarios)
        lost = part_of(len(report.infeasible_scenarios), report.num_scenarios, "scenario")
        return f"none: no recourse in {lost} ({where})"
    if math.isinf(report.worst_case):
        return f"not known: checked on {_checked(report)}"
    value = ("at least " if report.maximize else "") + number(report.worst_case)
    return value if report.worst_scenario_name is None else f"{value} (scenario {report.worst_scenario_name})"


def bound(report: Report) -> str:
    """The proved bound, or that none is proved."""
    if math.isinf(report.lower_bound):
        return "none proved"
    meaning = ": no decision can guarantee more" if report.maximize and report.objective == WORST else ""
    return f"{number(report.lower_bound)} (proved){meaning}"


def gap(report: Report) -> str:
    """How far off the optimum x can be, in percent and in the unit of the costs."""
    if math.isinf(report.absolute_gap):
        return "not bounded"
    absolute = absolute_gap(report)
    if math.isfinite(report.gap_percent):
        return f"at most {report.gap_percent:.4g} % (proved), {absolute} in absolute terms"
    return f"at most {absolute} (proved); no percentage, because the optimum may be close to zero"


def absolute_gap(report: Report) -> str:
    """The gap in the unit of the costs; zero if only rounding is left."""
    return number(report.absolute_gap if report.gap_percent > 0 else 0.0)


def decision(report: Report) -> str:
    """The nonzero entries of x by name, shortened."""
    if report.decision is None:
        return "none found in time"
    values = report.decision
    chosen = {name: value for name, value in values.items() if value != 0}
    if not chosen:
        return "the only variable is 0" if len(values) == 1 else f"all {len(values):,} variables are 0"
    rest = len(values) - len(chosen)
    zeros = f"; the other {rest} are 0" if rest > 1 else "; the other one is 0" if rest else ""
    return assignments(chosen, "report.decision, --json or --out") + zeros


def made_by(report: Report) -> str:
    """The method, and the engine if it was used."""
    return f"{report.reducer}, {report.solver}" if report.num_solves else report.reducer


def _checked(report: Report) -> str:
    return part_of(report.num_checked, report.num_scenarios, "scenario")


def status(report: Report) -> str:
    """Why the search stopped, and the scenarios in its last reduced problem."""
    kept = scenarios(report.scenario_name(s) for s in report.scenarios)
    count = f"{part_of(len(report.scenarios), report.num_scenarios, 'scenario')} kept"
    return f"{report.status.value}, {counted(report.num_solves, 'solve')}, {count}" + (f": {kept}" if kept else "")


def assignments(values: Mapping[str, float], where: str) -> str:
    """`name = value, ...`, shortened; `where` says how to see all."""
    shown = [f"{name}{_UNBROKEN}={_UNBROKEN}{number(value)}" for name, value in list(values.items())[:DECISION_SHOWN]]
    more = len(values) - len(shown)
    return ", ".join(shown) + (f" and {more} more ({where} shows all)" if more else "")


def scenarios(names: Iterable[str]) -> str:
    """The first few names, and how many more there are."""
    listing = list(names)
    more = len(listing) - SCENARIOS_SHOWN
    return ", ".join(listing[:SCENARIOS_SHOWN]) + (f" and {more} more" if more > 0 else "")


def number(value: float) -> str:
    """Commas between thousands; whole numbers without decimals, others with two decimals or six digits."""
    if not math.isfinite(value) or float(value).is_integer():
        return f"{value:,.0f}"
    return f"{value:,.2f}" if abs(value) >= 10_000 else f"{value:,.6g}"


def in_columns(rows: Sequence[Sequence[str]], right: Collection[int]) -> str:
    """Rows of a table as lines of text; `right` numbers the columns that are right-aligned."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    aligned = ([f"{cell:{'>' if k in right else '<'}{widths[k]}}" for k, cell in enumerate(row)] for row in rows)
    return "\n".join("  ".join(cells).rstrip() for cells in aligned)


def _wrapped(name: str, value: str) -> str:
    """Name and value in two columns; long values are wrapped."""
    lines = textwrap.wrap(value, _WIDTH - _INDENT, break_long_words=False, break_on_hyphens=False) or [""]
    return f"{name:<{_INDENT}}" + ("\n" + " " * _INDENT).join(lines).replace(_UNBROKEN, " ")


#: Longer decisions are cut in a notebook.
MAX_ROWS = 200


def cell(report: Report) -> str:
    """The notebook cell: verdict, numbers, decision."""
    return visible(
        f"<div><p>{escape(text.verdict(report))}</p><pre>{escape(str(report))}</pre>{_decision(report)}</div>"
    )


def _decision(report: Report) -> str:
    """The nonzero entries of x as a table."""
    if report.decision is None:
        return "<p>None.</p>"
    chosen = [(name, value) for name, value in report.decision.items() if value != 0]
    rows = [f"<tr><td>{escape(name)}</td><td>{escape(text.number(value))}</td></tr>" for name, value in chosen]
    more = len(rows) - MAX_ROWS
    rest = f"<p>and {more} more; report.decision has all</p>" if more > 0 else ""
    return f"<p>Everything not listed is 0.</p><table>{''.join(rows[:MAX_ROWS])}</table>{rest}"
