"""The convergence history as an inline SVG: proved bound and best worst case, one step per reduced problem."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from neurprise.convergence import Iteration
from neurprise.report.text import bound_word, worst_word

WIDTH, HEIGHT, MARGIN = 640, 240, 24
_COLOURS = ("#d55e00", "#0072b2")  # told apart by colour-blind readers too

Point = tuple[float, float]


def convergence_chart(iterations: Sequence[Iteration], maximize: bool = False) -> str:
    """An <svg> element, or a sentence where there is nothing to draw; `maximize` only chooses the words."""
    curves = {
        worst_word(maximize): _finite([step.worst_case for step in iterations]),
        bound_word(maximize): _finite([step.lower_bound for step in iterations]),
    }
    colours = dict(zip(curves, _COLOURS, strict=True))
    points = [point for curve in curves.values() for point in curve]
    if not points:
        return "<p>No reduced problem was solved in time.</p>"
    place = _scale(points)
    drawn = "".join(
        _curve(name, colours[name], [place(point) for point in curve]) for name, curve in curves.items() if curve
    )
    end = f"{len(iterations)} reduced problems, {iterations[-1].seconds:.2f} s"
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="bounds by reduced problem" font-size="12">{drawn}'
        f'<text x="{WIDTH - MARGIN}" y="{HEIGHT - 4}" text-anchor="end" fill="currentColor">{end}</text></svg>'
        f"<p>{_legend(curves, colours)}</p>"
    )


def _finite(values: list[float]) -> list[Point]:
    return [(float(step), value) for step, value in enumerate(values) if math.isfinite(value)]


def _scale(points: list[Point]) -> Callable[[Point], Point]:
    """Steps from left to right, values between the margins, larger ones higher."""
    last = max(step for step, _ in points) or 1.0
    low, high = min(value for _, value in points), max(value for _, value in points)
    span = (high - low) or 1.0

    def place(point: Point) -> Point:
        x = MARGIN + point[0] / last * (WIDTH - 2 * MARGIN)
        y = HEIGHT - MARGIN - (point[1] - low) / span * (HEIGHT - 2 * MARGIN)
        return round(x, 1), round(y, 1)

    return place


def _curve(name: str, colour: str, places: list[Point]) -> str:
    """A staircase: a bound holds until the next one is known."""
    path = f"M{places[0][0]},{places[0][1]}" + "".join(f"H{x}V{y}" for x, y in places[1:])
    dots = "".join(f'<circle cx="{x}" cy="{y}" r="2.5"/>' for x, y in places)
    return (
        f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
        f'<g fill="{colour}"><title>{name}</title>{dots}</g>'
    )


def _legend(curves: dict[str, list[Point]], colours: dict[str, str]) -> str:
    parts = [
        f'<span style="color:{colours[name]}">&#9632;</span> {name} {curve[0][1]:,.6g} &rarr; {curve[-1][1]:,.6g}'
        for name, curve in curves.items()
        if curve
    ]
    return " &nbsp; ".join(parts)
