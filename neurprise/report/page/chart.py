"""Charts and the family's picture as inline SVG for readers without scripts. The style sheet sets colours by class."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from neurprise.arrays import Floats
from neurprise.problem.display import NO_VARIABLE, Picture
from neurprise.report.page.content import ScenarioCosts
from neurprise.report.text import COSTS, Words, number
from neurprise.search.session import Iteration

WIDTH, HEIGHT = 640, 260
LEFT, RIGHT, TOP, BOTTOM = 76, 12, 10, 40
#: Longer curves are thinned.
MAX_POINTS = 400

Point = tuple[float, float]


@dataclass(frozen=True)
class Curve:
    """
    One line of a chart.

    Parameters
    ----------
    name, style
        Its name in the legend, and the class that sets its colour.
    points
        From left to right.
    stairs
        True: a value holds until the next point.
    line, dots
        Whether points are joined, and whether they are marked.
    """

    name: str
    style: str
    points: Sequence[Point]
    stairs: bool = False
    line: bool = True
    dots: bool = True


def convergence_chart(iterations: Sequence[Iteration], runtime: float, words: Words = COSTS) -> str:
    """Proved bound and best worst case over time; a sentence if there is nothing to draw."""
    ends = [(step.seconds, step.worst_case, step.lower_bound) for step in iterations]
    if ends:
        ends.append((runtime, *ends[-1][1:]))
    curves = [
        Curve(words.worst, "worst", _finite([(t, worst) for t, worst, _ in ends]), stairs=True),
        Curve(words.bound, "bound", _finite([(t, bound) for t, _, bound in ends]), stairs=True),
    ]
    if not any(curve.points for curve in curves):
        return "<p>No reduced problem was solved in time.</p>"
    return xy_chart(curves, "seconds", words.cost, "bounds over time")


def costs_chart(scenarios: ScenarioCosts, kept: Sequence[int], words: Words = COSTS) -> str:
    """The cost of the decision in every scenario, the worst first; kept scenarios are marked."""
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
    label = f"{words.cost} in every scenario, the worst first"
    return xy_chart(curves, "scenarios, the worst first", words.cost, label, whole_x=True)


def xy_chart(
    curves: Sequence[Curve], x_title: str, y_title: str, label: str, whole_x: bool = False, signed_x: bool = False
) -> str:
    """An <svg> element with axes, ticks and a legend; `whole_x`: ticks of x are whole, `signed_x`: also below zero."""
    points = [point for curve in curves for point in curve.points]
    across, up = (
        _Axis.over([x for x, _ in points], LEFT, WIDTH - RIGHT),
        _Axis.over([y for _, y in points], HEIGHT - BOTTOM, TOP),
    )
    drawn = "".join(_drawn(curve, across, up) for curve in curves if curve.points)
    return (
        f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(label)}">'
        f"{_grid(across, up, x_title, y_title, 1.0 if whole_x else 0.0, signed_x)}{drawn}</svg>"
        f'<p class="legend">{_legend((curve.style, curve.name) for curve in curves if curve.points)}</p>'
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
        """At most `most` round numbers, at least `least_step` apart."""
        raw = max((self.high - self.low) / most, least_step)
        power = 10.0 ** math.floor(math.log10(raw))
        step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= raw)
        first = math.ceil(self.low / step)
        return [round(k * step, 12) for k in range(first, math.floor(self.high / step) + 1)]


def _grid(across: _Axis, up: _Axis, x_title: str, y_title: str, least_x_step: float, signed_x: bool) -> str:
    lines = [
        f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{up.at(y)}" y2="{up.at(y)}"/>'
        f'<text x="{LEFT - 6}" y="{up.at(y) + 4}" text-anchor="end">{escape(number(y))}</text>'
        for y in up.ticks()
    ]
    lines += [
        f'<text x="{across.at(x)}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{escape(number(x))}</text>'
        for x in across.ticks(least_x_step)
        if signed_x or x >= 0
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


def _legend(names: Iterable[tuple[str, str]]) -> str:
    """Keys of a drawing from pairs of a style class and a name."""
    return " ".join(f'<span class="key {style}">{escape(name)}</span>' for style, name in names)


def _finite(points: Sequence[Point]) -> list[Point]:
    return [(x, y) for x, y in points if math.isfinite(y)]


SIZE, MARGIN = 640, 24
MIN_HEIGHT = 240


def drawn(picture: Picture, x: Floats, y: Floats | None) -> str:
    """The picture of x and the recourse y (None: unknown): points by state, lines in use, and a legend."""
    places, height = _scaled(picture.places)
    width = line_widths(picture, y)
    lines = "".join(
        f'<line x1="{places[a, 0]}" y1="{places[a, 1]}" x2="{places[b, 0]}" y2="{places[b, 1]}"{_stroke(width[k])}/>'
        for k, (a, b) in enumerate(picture.lines.tolist())
        if width[k] > 0
    )
    points = "".join(
        f'<g class="{state}" transform="translate({places[k, 0]} {places[k, 1]})">'
        f'<circle r="9"/><title>{escape(name)}</title><text y="4">{escape(_short(name))}</text></g>'
        for k, (name, state) in enumerate(zip(picture.point_names, states(picture, x, y), strict=True))
    )
    return (
        f'<svg class="picture" viewBox="0 0 {SIZE} {height}" role="img" aria-label="{escape(picture.title)}">'
        f"<g>{lines}</g>{points}</svg>"
        f'<p class="legend">{_legend(picture.legend.items())}</p>'
    )


def states(picture: Picture, x: Floats, y: Floats | None) -> list[str]:
    """ "now", "later", "idle" or "fixed" for each point."""
    found = []
    for now, later in zip(picture.chosen_now.tolist(), picture.chosen_later.tolist(), strict=True):
        if now == NO_VARIABLE and later == NO_VARIABLE:
            found.append("fixed")
        elif now != NO_VARIABLE and x[now] > 0:
            found.append("now")
        else:
            found.append("later" if later != NO_VARIABLE and y is not None and y[later] > 0 else "idle")
    return found


def _scaled(places: Floats) -> tuple[Floats, int]:
    """Positions in pixels, y downwards, and the height of the picture."""
    low, high = places.min(axis=0), places.max(axis=0)
    span = np.where(high > low, high - low, 1.0)
    scale = (SIZE - 2 * MARGIN) / span[0]
    height = round(float(np.clip(span[1] * scale + 2 * MARGIN, MIN_HEIGHT, SIZE)))
    scale = min(scale, (height - 2 * MARGIN) / span[1])
    middle = (low + high) / 2
    pixels = (places - middle) * [scale, -scale] + [SIZE / 2, height / 2]
    return np.round(pixels, 1), height


def line_widths(picture: Picture, y: Floats | None) -> Floats:
    """Between 0 (not drawn) and 1 (the largest); 1 for lines that are always there, shape (e,)."""
    shown = picture.line_variables != NO_VARIABLE
    values = np.zeros(len(picture.lines))
    if y is not None:
        values[shown] = y[picture.line_variables[shown]]
    largest = values.max(initial=0.0)
    return np.where(shown, values / largest if largest > 0 else 0.0, 1.0)


def _stroke(width: float) -> str:
    return f' stroke-width="{1 + 3 * width:.1f}"' if width < 1 else ""


def _short(name: str) -> str:
    """A label that fits into a point: the index of `cover[7]`, else the first letters."""
    inside = name[name.rfind("[") + 1 : -1] if name.endswith("]") else name.rsplit(" ", 1)[-1]
    return inside[:4]
