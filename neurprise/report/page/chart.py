"""Charts as inline SVG, for readers without scripts; colours come from the page's style sheet, by class."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from neurprise.report.page.content import ScenarioCosts
from neurprise.report.text import bound_word, number, worst_word
from neurprise.search.convergence import Iteration

WIDTH, HEIGHT = 640, 260
LEFT, RIGHT, TOP, BOTTOM = 76, 12, 10, 40
#: A longer curve is thinned out.
MAX_POINTS = 400

Point = tuple[float, float]


@dataclass(frozen=True)
class Curve:
    """
    One line of a chart.

    Parameters
    ----------
    name, style
        What the legend calls it, and the class that gives its colour.
    points
        From left to right.
    stairs
        True: a value holds until the next one is known.
    line, dots
        Whether points are joined, and whether they are marked.
    """

    name: str
    style: str
    points: Sequence[Point]
    stairs: bool = False
    line: bool = True
    dots: bool = True


def convergence_chart(iterations: Sequence[Iteration], runtime: float, maximize: bool = False) -> str:
    """Proved bound and best worst case over time; a sentence where there is nothing to draw."""
    ends = [(step.seconds, step.worst_case, step.lower_bound) for step in iterations]
    if ends:
        ends.append((runtime, *ends[-1][1:]))
    curves = [
        Curve(worst_word(maximize), "worst", _finite([(t, worst) for t, worst, _ in ends]), stairs=True),
        Curve(bound_word(maximize), "bound", _finite([(t, bound) for t, _, bound in ends]), stairs=True),
    ]
    if not any(curve.points for curve in curves):
        return "<p>No reduced problem was solved in time.</p>"
    return xy_chart(curves, "seconds", "profit" if maximize else "cost", "bounds over time")


def costs_chart(scenarios: ScenarioCosts, kept: Sequence[int], maximize: bool = False) -> str:
    """The cost of the decision in every scenario, the worst first; kept ones are marked."""
    ranked = _finite([(rank, float(scenarios.costs[k])) for rank, k in enumerate(scenarios.order, start=1)])
    marked = set(kept)
    chosen = [point for point in ranked if scenarios.numbers[scenarios.order[round(point[0]) - 1]] in marked]
    if not ranked:
        return "<p>The decision has a recourse in no scenario.</p>"
    thin = ranked[:: max(1, math.ceil(len(ranked) / MAX_POINTS))]
    curves = [
        Curve("every scenario", "cost", thin, dots=len(thin) <= 60),
        Curve("scenarios kept", "kept", chosen, line=False),
    ]
    cost = "profit" if maximize else "cost"
    label = f"{cost} in every scenario, the worst first"
    return xy_chart(curves, "scenarios, the worst first", cost, label, whole_x=True)


def xy_chart(curves: Sequence[Curve], x_title: str, y_title: str, label: str, whole_x: bool = False) -> str:
    """An <svg> element with axes, numbers at their ticks, on whole numbers only where x counts, and a legend."""
    points = [point for curve in curves for point in curve.points]
    across, up = (
        _Axis.over([x for x, _ in points], LEFT, WIDTH - RIGHT),
        _Axis.over([y for _, y in points], HEIGHT - BOTTOM, TOP),
    )
    drawn = "".join(_drawn(curve, across, up) for curve in curves if curve.points)
    return (
        f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(label)}">'
        f"{_grid(across, up, x_title, y_title, 1.0 if whole_x else 0.0)}{drawn}</svg>"
        f'<p class="legend">{_legend(curves)}</p>'
    )


@dataclass(frozen=True)
class _Axis:
    """Values between `low` and `high` go to pixels between `start` and `end`."""

    low: float
    high: float
    start: float
    end: float

    @classmethod
    def over(cls, values: Sequence[float], start: float, end: float) -> _Axis:
        low, high = min(values), max(values)
        margin = 0.04 * (high - low) or 0.05 * abs(high) or 1.0
        return cls(low - margin, high + margin, start, end)

    def at(self, value: float) -> float:
        return round(self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start), 1)

    def ticks(self, least_step: float = 0.0, most: int = 6) -> list[float]:
        """Round numbers, at most so many, and at least so far from each other."""
        raw = max((self.high - self.low) / most, least_step)
        power = 10.0 ** math.floor(math.log10(raw))
        step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= raw)
        first = math.ceil(self.low / step)
        return [round(k * step, 12) for k in range(first, math.floor(self.high / step) + 1)]


def _grid(across: _Axis, up: _Axis, x_title: str, y_title: str, least_x_step: float) -> str:
    lines = [
        f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{up.at(y)}" y2="{up.at(y)}"/>'
        f'<text x="{LEFT - 6}" y="{up.at(y) + 4}" text-anchor="end">{escape(number(y))}</text>'
        for y in up.ticks()
    ]
    lines += [
        f'<text x="{across.at(x)}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{escape(number(x))}</text>'
        for x in across.ticks(least_x_step)
        if x >= 0
    ]
    middle, centre = (LEFT + WIDTH - RIGHT) / 2, (HEIGHT - BOTTOM + TOP) / 2
    return (
        "".join(lines) + f'<text x="{middle}" y="{HEIGHT - 6}" text-anchor="middle">{escape(x_title)}</text>'
        f'<text transform="translate(12 {centre}) rotate(-90)" text-anchor="middle">{escape(y_title)}</text>'
    )


def _drawn(curve: Curve, across: _Axis, up: _Axis) -> str:
    places = [(across.at(x), up.at(y)) for x, y in curve.points]
    join = "".join(f"H{x}V{y}" if curve.stairs else f"L{x},{y}" for x, y in places[1:])
    path = f'<path d="M{places[0][0]},{places[0][1]}{join}"/>' if curve.line and len(places) > 1 else ""
    dots = "".join(f'<circle cx="{x}" cy="{y}" r="3"/>' for x, y in places) if curve.dots else ""
    return f'<g class="{curve.style}"><title>{escape(curve.name)}</title>{path}{dots}</g>'


def _legend(curves: Sequence[Curve]) -> str:
    return "".join(
        f'<span class="key {curve.style}">{escape(curve.name)}</span> ' for curve in curves if curve.points
    ).strip()


def _finite(points: Sequence[Point]) -> list[Point]:
    return [(x, y) for x, y in points if math.isfinite(y)]
