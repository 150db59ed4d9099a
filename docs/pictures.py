"""
Draws the pictures of docs/concepts.md and docs/tradeoff.md, all of them computed by the package.

    python -m docs.pictures            # writes docs/pictures/*.svg
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot

import neurprise as nr
from neurprise.report.plot import BOUND, COST, WORST

FOLDER = Path(__file__).parent / "pictures"
SETTINGS = {"svg.fonttype": "none", "svg.hashsalt": "neurprise", "font.size": 10, "axes.spines.top": False}
LATE = {"demand 8, price 5": "#56b4e9", "demand 14, price 2": "#009e73", "demand 11, price 12": "#cc79a7"}


def units_problem() -> nr.TwoStageProblem:
    """The example of the tour: make units now at 3 each, or buy what is missing late."""
    return nr.TwoStageProblem.from_matrices(
        [3], None, None, [[1]], [0], [[1]], [[-1]], [[8], [14], [11]], [[5], [2], [12]], x_integer=True, y_integer=True
    )


def two_stages(ax: pyplot.Axes) -> None:
    """Decide, see, repair: the order in which things happen."""
    ax.set_axis_off()
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 1)
    words = ("now\ndecide x\npay c'x", "a scenario s\nis seen", "later\nrepair with y\npay $b_s$'y")
    box = {"boxstyle": "round,pad=0.6", "fc": "#f0f4f8", "ec": COST}
    for x, text in zip((0.12, 0.5, 0.88), words, strict=True):
        ax.text(x, 0.58, text, ha="center", va="center", bbox=box)
    for start in (0.24, 0.62):
        ax.annotate("", (start + 0.14, 0.58), (start, 0.58), arrowprops={"arrowstyle": "->", "color": COST})
    ax.text(0.5, 0.02, "x is the same whatever comes; y may differ from scenario to scenario", ha="center", color=COST)


def worst_case(ax: pyplot.Axes) -> None:
    """Cost in every scenario by the number of units made now, and the largest of them."""
    problem, made = units_problem(), np.arange(6, 17)
    costs = np.array([nr.evaluate(problem, [x]).total_costs for x in made])
    for (name, colour), values in zip(LATE.items(), costs.T, strict=True):
        ax.plot(made, values, color=colour, label=name)
    ax.plot(made, costs.max(axis=1), color=WORST, linewidth=3, alpha=0.5, label="worst case Z(x)")
    best = nr.solve(problem)
    ax.plot(best.x, [best.worst_case], "o", color=WORST)
    ax.annotate(f"make {best.x[0]:.0f}: at most {best.worst_case:.0f}", (best.x[0], best.worst_case), (8.2, 68),
                arrowprops={"arrowstyle": "->", "color": COST})  # fmt: skip
    ax.set_xlabel("units made now, x")
    ax.set_ylabel("total cost")
    ax.legend()


def certificate(ax: pyplot.Axes) -> None:
    """Bound and worst case of an exact search after every reduced problem."""
    report = nr.solve(nr.make_vertex_cover(20, 50, seed=7))
    steps = np.arange(1, len(report.iterations) + 1)
    worst = np.array([step.worst_case for step in report.iterations])
    bound = np.array([step.lower_bound for step in report.iterations])
    ax.step(steps, worst, where="post", color=WORST, marker="o", label="worst case Z(x), evaluated on all scenarios")
    ax.step(steps, bound, where="post", color=BOUND, marker="o", label="lower bound V(R), proved on a few")
    ax.fill_between(steps, bound, worst, step="post", color="#dddddd", label="here lies the optimum")
    ax.set_xticks(steps, [str(step.num_scenarios) for step in report.iterations])
    ax.set_xlabel("scenarios in R")
    ax.set_ylabel("cost")
    ax.legend(loc="center left", bbox_to_anchor=(0.02, 0.7))


def few_scenarios(ax: pyplot.Axes) -> None:
    """Proved gap by the number of scenarios kept, chosen well and at random; the mean of ten instances."""
    budgets = np.arange(1, 9)
    for name, colour in (("prise", BOUND), ("maxsum", "#009e73"), ("random", WORST)):
        gaps = [
            np.mean([nr.solve(nr.make_vertex_cover(16, 50, seed=s), name, int(k)).regret_bound for s in range(10)])
            for k in budgets
        ]
        ax.plot(budgets, gaps, marker="o", color=colour, label=name)
    ax.set_xlabel("scenarios kept of 50")
    ax.set_ylabel("proved gap in percent")
    ax.set_ylim(bottom=0)
    ax.legend()


def frontier(ax: pyplot.Axes) -> None:
    """Worst day and mean of the restaurant's decisions, with the proved bound."""
    problem = nr.read(FOLDER.parent.parent / "examples" / "restaurant" / "plan.toml")
    nr.plot.tradeoff(nr.tradeoff(problem, "worst", "expected", points=5), ax=ax)


PICTURES = {
    "two-stages": two_stages,
    "worst-case": worst_case,
    "certificate": certificate,
    "few-scenarios": few_scenarios,
    "frontier": frontier,
}


def main() -> int:
    """Draw all of them."""
    FOLDER.mkdir(exist_ok=True)
    with mpl.rc_context(SETTINGS):
        mpl.use("svg")
        for name, draw in PICTURES.items():
            figure, ax = pyplot.subplots(figsize=(6.4, 1.8 if name == "two-stages" else 3.4), layout="constrained")
            figure.patch.set_facecolor("white")
            draw(ax)
            figure.savefig(FOLDER / f"{name}.svg", metadata={"Date": None})
            pyplot.close(figure)
            print(FOLDER / f"{name}.svg")
    return 0


if __name__ == "__main__":
    sys.exit(main())
