"""
Figures for notebooks and papers with matplotlib: `pip install 'neurprise[plot]'`.

Every function draws into the given axes or a new figure, and returns the axes.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from neurprise.arrays import Floats
from neurprise.errors import InputError, MissingDependencyError, visible
from neurprise.report.page.chart import line_widths, states
from neurprise.report.page.content import different, plan_of, scenario_costs
from neurprise.report.page.questions import proved_line
from neurprise.report.text import words_of

if TYPE_CHECKING:
    from neurprise.problem import TwoStageProblem
    from neurprise.report.comparison import Comparison
    from neurprise.report.report import Report
    from neurprise.report.tradeoff import Tradeoff

__all__ = ["comparison", "convergence", "costs", "gains", "picture", "tradeoff"]

#: Colours that colour-blind readers can distinguish [Okabe and Ito 2008].
WORST, BOUND, COST, IDLE = "#d55e00", "#0072b2", "#444444", "#ffffff"
_STATES = {"now": BOUND, "later": WORST, "idle": IDLE, "fixed": "#999999"}


def costs(
    report: Report,
    problem: TwoStageProblem | None = None,
    *,
    comparison: Comparison | None = None,
    ax: Any = None,
) -> Any:
    """
    The cost of the decision in every scenario, the worst first; kept scenarios are marked.

    Parameters
    ----------
    problem
        The problem; needed by reports read from JSON.
    comparison
        Other decisions over the same scenarios, as dots.
    ax
        Axes of matplotlib; None for a new figure.
    """
    shown = scenario_costs(report, plan_of(report, problem))
    if shown is None or not shown.numbers:
        raise InputError("costs need a decision and its problem; pass problem=nr.read(...) if the report has none.")
    ax = _axes(ax)
    order, ranks = list(shown.order), np.arange(1, len(shown.order) + 1)
    if comparison is not None and len(order) == comparison.totals.shape[1]:
        for k in different(report, comparison):
            ax.plot(ranks, _finite(comparison.totals[k][order]), ".", markersize=3, label=visible(comparison.names[k]))
    ranked = _finite(shown.costs[order])
    ax.plot(ranks, ranked, color=COST, label="this decision")
    kept = np.isin(np.array(shown.numbers)[order], report.scenarios)
    ax.plot(ranks[kept], ranked[kept], "o", color=WORST, label="scenarios kept")
    _level(ax, report.value, WORST)
    _level(ax, report.lower_bound, BOUND)
    return _labelled(ax, "scenarios, the worst first", words_of(report).cost)


def convergence(report: Report, *, ax: Any = None) -> Any:
    """Worst case and proved bound over time, up to the end of the search."""
    steps, words = report.iterations, words_of(report)
    if not steps:
        raise InputError("no reduced problem was solved in time, so there is no history to draw.")
    ax = _axes(ax)
    seconds = np.array([*(step.seconds for step in steps), report.runtime])
    for name, colour, values in (
        (words.worst, WORST, [*(step.worst_case for step in steps), report.value]),
        (words.bound, BOUND, [*(step.lower_bound for step in steps), report.lower_bound]),
    ):
        ax.step(seconds, _finite(np.array(values, dtype=float)), where="post", color=colour, marker=".", label=name)
    ax.set_xlim(0.0, 1.04 * seconds[-1])
    return _labelled(ax, "seconds", words.cost)


def gains(report: Report, *, ax: Any = None) -> Any:
    """Gain in V(R) of each chosen scenario, in the order of choice, or the reducer's scores."""
    if not report.gains and not report.scores:
        raise InputError(f"{report.reducer!r} computes neither gains nor scores; use 'prise' or 'maxsum'.")
    ax = _axes(ax)
    heights = report.gains or report.scores or ()
    places = np.arange(len(heights))
    ax.bar(places, heights, color=BOUND)
    ax.set_xticks(places, [report.scenario_name(s) for s in report.scenarios[: len(places)]])
    ax.set_xlabel("scenarios in the order of choice")
    ax.set_ylabel("score" if not report.gains else words_of(report).gain)
    return ax


def comparison(compared: Comparison, *, ax: Any = None) -> Any:
    """Distribution of each decision's totals: median, quartiles, extremes; the worst case is marked."""
    ax = _axes(ax)
    finite = [row[np.isfinite(row)] for row in compared.totals]
    places = np.arange(1, len(finite) + 1)
    ax.boxplot(finite, positions=places, whis=(0, 100), medianprops={"color": COST})
    ax.plot(places, _finite(compared.worst_case), "o", color=WORST, label="worst")
    names = [
        f"{name}\n(no recourse in {count})" if count else name
        for name, count in zip(compared.names, compared.num_infeasible, strict=True)
    ]
    ax.set_xticks(places, list(map(visible, names)))
    return _labelled(ax, "", words_of(compared).cost)


def tradeoff(found: Tradeoff, *, ax: Any = None) -> Any:
    """The frontier: worst case across, the other objective up. It lies between the two stairs."""
    if not found.points:
        raise InputError("the trade-off has no points, because no decision was found in time.")
    ax = _axes(ax)
    ax.plot(*np.array(proved_line(found)).reshape(-1, 2).T, "--", color=BOUND, linewidth=1, label=found.words.bound)
    ax.plot(
        *np.array([(p.worst_case, p.value) for p in found.points]).T,
        "o-",
        color=COST,
        drawstyle="steps-post",
        label="decisions",
    )
    ax.set_title(found.lesson, fontsize="small", wrap=True)
    return _labelled(ax, found.words.worst, f"{found.objective} {found.words.cost}")


def picture(report: Report, scenario: Any = None, problem: TwoStageProblem | None = None, *, ax: Any = None) -> Any:
    """
    The family's picture under one scenario: the graph of a vertex cover, the map of a facility location.

    Parameters
    ----------
    scenario
        Name or number; None for the worst one.
    problem
        The problem; needed by reports read from JSON.
    """
    plan = plan_of(report, problem)
    drawn = None if plan is None else plan.problem.picture
    if plan is None or drawn is None or report.x is None:
        raise InputError(
            "this problem has no picture: vertex covers have one, and facility locations that were given coordinates."
        )
    asked = report.worst_scenario if scenario is None else plan.problem.scenario_index(scenario)
    y = None if asked is None else plan.recourse_vector(asked)
    ax = _axes(ax)
    widths = line_widths(drawn, y)
    for (start, end), width in zip(drawn.places[drawn.lines], widths, strict=True):
        if width > 0:
            ax.plot(*np.array([start, end]).T, color="#bbbbbb", linewidth=0.3 + 0.9 * width, zorder=1)
    found = np.array(states(drawn, report.x, y))
    for state, word in drawn.legend.items():
        at = drawn.places[found == state]
        size = 30 if state == "fixed" else 90
        ax.scatter(at[:, 0], at[:, 1], s=size, color=_STATES[state], edgecolors="#555555", label=word, zorder=2)
    ax.set_aspect("equal")
    ax.set_axis_off()
    named = "" if asked is None else f" in scenario {plan.problem.scenario_name(asked)}"
    ax.set_title(f"{drawn.title}{named}")
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, 0.02), ncols=len(drawn.legend), frameon=False)
    return ax


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError:
        raise MissingDependencyError(
            "neurprise.plot needs matplotlib; install it with: pip install 'neurprise[plot]'."
        ) from None
    return pyplot.subplots(figsize=(7, 3.5), layout="constrained")[1]


def _labelled(ax: Any, x_title: str, y_title: str) -> Any:
    ax.set_xlabel(x_title)
    ax.set_ylabel(y_title)
    ax.grid(alpha=0.3)
    ax.legend()
    return ax


def _level(ax: Any, value: float, colour: str) -> None:
    if math.isfinite(value):
        ax.axhline(value, color=colour, linestyle="--", linewidth=1)


def _finite(values: Floats) -> Floats:
    """Infinite values as nan, which leaves gaps in the figure."""
    return np.where(np.isfinite(values), values, np.nan)
