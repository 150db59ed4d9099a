"""Rows as figures in SVG; the same rows give the same file."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Sequence
from statistics import mean
from typing import Any

from experiments.methods import METHODS
from experiments.row import Row
from experiments.spec import Panel, Spec
from experiments.views.aggregates import by_budget, mean_field, median_field, rows_of, traces_of
from experiments.views.traces import stop_step
from neurprise.errors import MissingDependencyError

#: Draws one panel on its axes.
Drawing = Callable[[Any, Panel, Sequence[Row]], None]
#: Regrets below this are drawn here: a logarithmic axis has no zero.
SMALLEST = 0.01
#: Axes side by side.
MOST_ACROSS = 3


def figure(spec: Spec, rows: Sequence[Row]) -> str:
    """The spec's figure, one set of axes per panel that has rows."""
    plt = _pyplot()
    drawing = FIGURES[spec.figure]
    parts = [(panel, rows_of(panel, rows)) for panel in spec.panels]
    shown = [(panel, own) for panel, own in parts if own] or parts[:1]
    across = min(len(shown), MOST_ACROSS)
    down = math.ceil(len(shown) / across)
    canvas, axes = plt.subplots(down, across, figsize=(4.6 * across, 3.6 * down), squeeze=False, layout="constrained")
    for unused in axes.flat[len(shown) :]:
        unused.remove()
    for place, (panel, own) in zip(axes.flat, shown, strict=False):
        place.set_title(f"{panel.instances.name} ({len({row.seed for row in own})} instances)", fontsize=10)
        drawing(place, panel, own)
    _add_legend(canvas)
    text = io.StringIO()
    canvas.savefig(text, format="svg", metadata={"Date": None, "Creator": "python -m experiments"})
    plt.close(canvas)
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines()) + "\n"


def pareto(axes: Any, panel: Panel, rows: Sequence[Row]) -> None:
    """Regret against seconds, a line per budget through all tolerances."""
    sweep = [name for name in panel.methods if name.startswith("neurprise")]
    for k in panel.budgets:
        _line(
            axes, [[row for row in rows if (row.method, row.k) == (name, k)] for name in sweep], f"NeurPRISE, k = {k}"
        )
    _line(axes, [[row for row in rows if row.method == "neur2ro"]], "Neur2RO", marker="*")
    _seconds_axes(axes, "regret of the reduced problem's solution (%)")


def anytime(axes: Any, panel: Panel, rows: Sequence[Row]) -> None:
    """Regret against seconds, a line per kind of search through its time limits."""
    for start, title in (
        ("milp", "one model of all scenarios"),
        ("solve", "nr.solve"),
        ("refine", "NeurPRISE, refined"),
    ):
        names = [name for name in panel.methods if name.startswith(f"{start}-")]
        _line(axes, [[row for row in rows if row.method == name] for name in names], title, "solve_regret")
    _seconds_axes(axes, "regret (%)")


def tradeoff(axes: Any, panel: Panel, rows: Sequence[Row]) -> None:
    """What nr.solve returns: regret against seconds, a line per method through its budgets."""
    for name in dict.fromkeys(row.method for row in rows):
        parts = [part for _, part in by_budget([row for row in rows if row.method == name])]
        alone = len(parts) == 1
        _line(axes, parts, METHODS[name].title, "solve_regret", marker="*" if alone else "o")
    _seconds_axes(axes, "regret of what nr.solve returns (%)")


def prise(axes: Any, panel: Panel, rows: Sequence[Row]) -> None:
    """Mean gain of each step of PRISE (line), and the share of instances that end there (bars)."""
    traces = [values for values, _ in traces_of([row for row in rows if row.method == "prise"])]
    if not traces:
        return
    steps = range(1, len(traces[0]) + 1)
    gains = [mean(t[0] if s == 1 else t[s - 1] - t[s - 2] for t in traces) for s in steps]
    ends = [100 * sum(stop_step(t) == s for t in traces) / len(traces) for s in steps]
    axes.bar(steps, ends, color="0.8")
    axes.set_xlabel("step")
    axes.set_ylabel("% of instances whose last gain is here (bars)")
    other = axes.twinx()
    other.plot(steps, [max(gain, SMALLEST) for gain in gains], marker="o", color="C0")
    other.set_yscale("log")
    other.set_ylabel("mean gain (line)", color="C0")


#: name in specs -> what draws a panel
FIGURES: dict[str, Drawing] = {"pareto": pareto, "anytime": anytime, "tradeoff": tradeoff, "prise": prise}


def _line(axes: Any, parts: Sequence[Sequence[Row]], title: str, field: str = "regret", marker: str = "o") -> None:
    """A point per part: median seconds and mean regret; left out where any answer is infeasible."""
    clock = "seconds_solve" if field == "solve_regret" else "seconds"
    feasible = [part for part in parts if part and all(getattr(row, field) is not None for row in part)]
    points = [(median_field(part, clock), mean_field(part, field) or 0.0) for part in feasible]
    drawn = [(max(x, 1e-4), max(y, SMALLEST)) for x, y in points]
    if drawn:
        size = 9 if marker == "*" else 4
        look = {"color": _color_of(axes.figure, title), "marker": marker, "markersize": size}
        axes.plot(*zip(*drawn, strict=True), linewidth=1, label=title, **look)


def _color_of(canvas: Any, title: str) -> Any:
    """The same in all axes of a figure."""
    import matplotlib

    known = {line.get_label(): line.get_color() for axes in canvas.axes for line in axes.lines}
    return known.get(title, matplotlib.colormaps["tab20"](len(known) % 20))


def _add_legend(canvas: Any) -> None:
    """Every title once, beside the axes."""
    lines = {line.get_label(): line for axes in canvas.axes for line in axes.lines}
    shown = {title: line for title, line in lines.items() if not title.startswith("_")}
    if shown:
        canvas.legend(list(shown.values()), list(shown), loc="outside right upper", fontsize=7)


def _seconds_axes(axes: Any, regret: str) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("seconds an instance (median)")
    axes.set_ylabel(regret)
    axes.grid(alpha=0.3)


def _pyplot() -> Any:
    try:
        import matplotlib
    except ImportError:
        raise MissingDependencyError(
            "figures need matplotlib; install it with: pip install 'neurprise[plot]'."
        ) from None
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "neurprise", "svg.fonttype": "none", "font.size": 9})
    from matplotlib import pyplot

    return pyplot
