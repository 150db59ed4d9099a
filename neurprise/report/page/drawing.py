"""A family's picture as inline SVG: drawn for one scenario here, redrawn by `page.js` for the others."""

from __future__ import annotations

from html import escape

import numpy as np

from neurprise.arrays import Floats
from neurprise.problem.picture import NO_VARIABLE, Picture

SIZE, MARGIN = 640, 24
MIN_HEIGHT = 240


def drawn(picture: Picture, x: Floats, y: Floats | None) -> str:
    """Points in the state that x and the recourse y (None: unknown) give them, lines that y uses, and a legend."""
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
        f'<p class="legend">{_legend(picture)}</p>'
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
    """Pixels, the second coordinate downwards, and the height of the picture."""
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
    """What fits into a point: the index of `cover[7]`, else the first letters."""
    inside = name[name.rfind("[") + 1 : -1] if name.endswith("]") else name.rsplit(" ", 1)[-1]
    return inside[:4]


def _legend(picture: Picture) -> str:
    words = picture.legend
    return "".join(f'<span class="key {state}">{escape(word)}</span> ' for state, word in words.items()).strip()
