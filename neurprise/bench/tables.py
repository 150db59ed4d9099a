"""Rows as tables: the paper's number, ours, the difference, the interval, and what the paper does not have."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import mean, median, stdev

from neurprise.bench.methods import METHODS
from neurprise.bench.rows import Row
from neurprise.bench.spec import Panel, Spec
from neurprise.bench.statistics import mean_of, share_of
from neurprise.bench.text_table import difference, number, seconds, text_table
from neurprise.diagnostics import compression_budget, share_nonincreasing

#: Percent: a smaller gap is the engine's precision.
OPEN = 0.002
#: Shows one panel from its rows.
View = Callable[[Panel, Sequence[Row]], str]


def table(spec: Spec, rows: Sequence[Row]) -> str:
    """Every panel of the spec that has rows; rows of methods that it does not list are left out."""
    if spec.view in WHOLE_VIEWS:
        return WHOLE_VIEWS[spec.view](spec, rows) if rows else _nothing(spec)
    shown = []
    for panel in spec.panels:
        own = [row for row in rows if row.instances == panel.instances.name and row.method in panel.methods]
        shown += [f"{_heading(panel, own)}\n{VIEWS[spec.view](panel, own)}"] if own else []
    return "\n\n".join(shown) if shown else _nothing(spec)


def regret_table(panel: Panel, rows: Sequence[Row]) -> str:
    """Mean regret in percent: paper, ours, difference, interval, ties; what nr.solve returns and proves; seconds."""
    columns = (
        "method", "k", "paper", "ours", "diff", "95 % interval", "ties", "best", "nr.solve", "proved", "infeasible",
        "n", "seconds", "paper s", "nr.solve s",
    )  # fmt: skip
    lines = []
    for method in panel.methods:
        measured = [row for row in rows if row.method == method]
        lines += [_regret_line(panel, method, k, list(part)) for k, part in by_budget(measured)]
    return text_table(columns, lines)


def _regret_line(panel: Panel, method: str, k: int | None, rows: list[Row]) -> tuple[str, ...]:
    ours = mean_of([row.regret for row in rows])
    paper = panel.paper_regret(method, k)
    gap = None if ours is None or paper is None else ours.value - paper
    infeasible = 100 * sum(row.infeasible for row in rows) / len(rows)
    return (
        METHODS[method].title,
        "-" if k is None else str(k),
        number(paper),
        number(mean_field(rows, "regret")),
        difference(gap),
        "-" if ours is None else f"[{ours.low:.2f}, {ours.high:.2f}]",
        number(mean_field(rows, "regret_ties")),
        number(mean_field(rows, "regret_best_tie")),
        number(mean_field(rows, "solve_regret")),
        number(mean_field(rows, "regret_bound")),
        f"{infeasible:.0f} %" if infeasible else "-",
        str(len(rows)),
        seconds(median_field(rows, "seconds")),
        seconds(panel.paper_time(method, k)),
        seconds(median_field(rows, "seconds_solve")),
    )


def mean_field(rows: Sequence[Row], field: str) -> float | None:
    """Of the rows that have a number there."""
    found = [value for row in rows if (value := getattr(row, field)) is not None]
    return mean(found) if found else None


def median_field(rows: Sequence[Row], field: str) -> float:
    """Of seconds: a few instances take far longer than the others, and a busy machine makes some of them so."""
    return median(float(getattr(row, field)) for row in rows)


def infeasibility_table(panel: Panel, rows: Sequence[Row]) -> str:
    """Share of instances, in percent, whose decision leaves a scenario without recourse."""
    lines = []
    for method in panel.methods:
        for k, part in by_budget([row for row in rows if row.method == method]):
            ours = share_of(sum(row.infeasible for row in part), len(part))
            served = share_of(sum(row.solve_infeasible for row in part), len(part))
            paper = panel.paper_regret(method, k)
            change = None if paper is None else ours.value - paper
            interval = f"[{ours.low:.1f}, {ours.high:.1f}]"
            budget = "-" if k is None else str(k)
            cells = (number(paper, 1), number(ours.value, 1), difference(change, 1), interval, number(served.value, 1))
            lines.append((METHODS[method].title, budget, *cells, str(len(part))))
    return text_table(("method", "k", "paper", "ours", "diff", "95 % interval", "nr.solve", "n"), lines)


def compression_table(panel: Panel, rows: Sequence[Row]) -> str:
    """How many scenarios bring V(R) within 1 % of the optimum, as a share of all; the paper's line above ours."""
    columns = ("method", "whose", "mean %", "95 % interval", "median %", "<= 2 %", "<= 4 %", "<= 8 %", "<= 12 %",
               "never %", "n", "gains fall %")  # fmt: skip
    lines = []
    for method in panel.methods:
        traces = traces_of([row for row in rows if row.method == method])
        if not traces:
            continue
        paper = panel.paper.get(method, ())
        title = METHODS[method].title
        if paper:
            shares = [number(value, 1) for value in paper]
            lines.append((title, "paper", shares[0], "-", *shares[1:], "-", "-"))
        lines.append((title, "ours", *_compression(panel, traces)))
    return text_table(columns, lines, left=2)


def traces_of(rows: Sequence[Row]) -> list[tuple[list[float], float]]:
    """V(R_1), V(R_2), ... and the optimum of every instance that was measured at all its budgets."""
    traces = []
    most = max((row.k or 0 for row in rows), default=0)
    for _, part in groupby(sorted(rows, key=lambda row: (row.seed, row.k or 0)), key=lambda row: row.seed):
        steps = list(part)
        values = [row.bound for row in steps if row.bound is not None]
        if len(values) == most and steps[0].optimum is not None:
            traces.append((values, steps[0].optimum))
    return traces


def _compression(panel: Panel, traces: list[tuple[list[float], float]]) -> tuple[str, ...]:
    scenarios = panel.instances.kept_scenarios or panel.instances.scenarios
    reached = [compression_budget(values, optimum) for values, optimum in traces]
    ratios = [100 * (k or panel.budgets[-1]) / scenarios for k in reached]
    within = [sum(k is not None and 100 * k / scenarios <= p for k in reached) for p in (2, 4, 8, 12)]
    average = mean_of(ratios)
    assert average is not None
    return (
        number(average.value, 1),
        f"[{average.low:.1f}, {average.high:.1f}]",
        number(median(ratios), 1),
        *(number(100 * count / len(reached), 1) for count in within),
        number(100 * reached.count(None) / len(reached), 1),
        str(len(reached)),
        number(100 * share_nonincreasing([values for values, _ in traces]), 1),
    )


def seeds_table(panel: Panel, rows: Sequence[Row]) -> str:
    """Regret in percent by seed, and mean and standard deviation over the seeds beside the paper's."""
    columns = ("network", *(f"k={k}" for k in panel.budgets), "n")
    by_seed = []
    lines = []
    for method in panel.methods:
        own = [row for row in rows if row.method == method]
        if own:
            means = [mean_field([row for row in own if row.k == k], "regret") for k in panel.budgets]
            by_seed.append(means)
            lines.append((METHODS[method].title, *map(number, means), str(len({row.seed for row in own}))))
    columns_of = [[value for value in column if value is not None] for column in zip(*by_seed, strict=True)]
    ours = [f"{mean(values):.2f} ± {stdev(values) if len(values) > 1 else 0:.2f}" for values in columns_of]
    printed = [[panel.paper_regret(what, k) for what in ("mean", "deviation")] for k in panel.budgets]
    paper = [f"{number(value)} ± {number(spread)}" for value, spread in printed]
    return text_table(columns, [*lines, ("ours, all", *ours, ""), ("paper", *paper, "")])


#: S, then inference, solve and total as multiples of the first row, as the paper prints them.
PAPER_GROWTH = {
    "VC-50-50": {10: (1.0, 1.0, 1.0), 20: (1.9, 1.2, 1.2), 50: (4.6, 1.5, 1.7)},
    "VC-50-100": {20: (1.0, 1.0, 1.0), 50: (2.5, 1.1, 1.3), 100: (5.0, 1.2, 1.6)},
}


def growth_table(spec: Spec, rows: Sequence[Row]) -> str:
    """Mean seconds of choosing, solving and both, as multiples of those with the fewest scenarios."""
    shown = []
    for drawn, printed in PAPER_GROWTH.items():
        names = {s: f"{drawn}[:{s}]" if s != max(printed) else drawn for s in printed}
        parts = {s: [row for row in rows if row.instances == name] for s, name in names.items()}
        common = set.intersection(*({row.seed for row in part} for part in parts.values()))
        if common:
            shown.append(f"{drawn}: {len(common)} instances\n{_growth(printed, parts, common)}")
    return "\n\n".join(shown)


def _growth(printed: Mapping[int, tuple[float, ...]], parts: dict[int, list[Row]], common: set[int]) -> str:
    seconds_by = {}
    for s, part in parts.items():
        own = [row for row in part if row.seed in common]
        choosing, solving = mean_field(own, "seconds_choosing"), mean_field(own, "seconds_solving")
        assert choosing is not None
        assert solving is not None
        seconds_by[s] = (choosing, solving, choosing + solving)
    first = seconds_by[min(seconds_by)]
    lines = [
        (
            str(s),
            *(f"{now / then:.1f} ({theirs:.1f})" for now, then, theirs in zip(own, first, printed[s], strict=True)),
        )
        for s, own in seconds_by.items()
    ]
    return text_table(("S", "choosing (paper)", "solving (paper)", "both (paper)"), lines, left=0)


#: name in specs -> view
VIEWS: dict[str, View] = {
    "regret": regret_table,
    "infeasibility": infeasibility_table,
    "compression": compression_table,
    "seeds": seeds_table,
}


#: Seconds that a reader may have.
AFFORDABLE = (0.01, 0.1, 1.0, 10.0, 100.0)


def winners_table(spec: Spec, rows: Sequence[Row]) -> str:
    """For each set and number of seconds, what returned the lowest regret through nr.solve, and what proved most."""
    lines = []
    for panel in spec.panels:
        own = [row for row in rows if row.instances == panel.instances.name]
        exact = [row for row in own if row.method == "exact"]
        exactly = f"{seconds(median_field(exact, 'seconds_solve'))} s" if exact else "-"
        for limit in AFFORDABLE:
            found = [one for one in _answers(own) if one.seconds <= limit]
            if found:
                regret = min(found, key=lambda one: (round(one.regret, 3), one.seconds))
                proof = min(found, key=lambda one: (round(one.bound, 3), one.seconds))
                cells = (f"{regret.title}: {regret.regret:.2f}", f"{proof.title}: {proof.bound:.2f}")
                lines.append((panel.instances.name, f"{limit:g} s", *cells, exactly, str(regret.count)))
    columns = ("instances", "within", "lowest regret %", "best proof: regret at most %", "exact search takes", "n")
    return text_table(columns, lines, left=4)


@dataclass(frozen=True)
class Answer:
    """One method at one budget: median seconds of nr.solve, mean regret of what it returns, and what it proves."""

    title: str
    seconds: float
    regret: float
    bound: float
    count: int


def _answers(rows: Sequence[Row]) -> list[Answer]:
    """Methods whose answers always have recourse and a proof, by their means."""
    answers = []
    for method in dict.fromkeys(row.method for row in rows):
        for k, part in by_budget([row for row in rows if row.method == method]):
            if all(row.solve_regret is not None and row.regret_bound is not None for row in part):
                title = METHODS[method].title + ("" if k is None else f", k = {k}")
                regret, proved = (mean_field(part, field) or 0.0 for field in ("solve_regret", "regret_bound"))
                answers.append(Answer(title, median_field(part, "seconds_solve"), regret, proved, len(part)))
    return answers


#: name in specs -> view of all panels together
WHOLE_VIEWS: dict[str, Callable[[Spec, Sequence[Row]], str]] = {"growth": growth_table, "winners": winners_table}


def _nothing(spec: Spec) -> str:
    return f"no rows yet; make them with: neurprise bench run {' or '.join(spec.rows_of) or spec.name}"


def _heading(panel: Panel, rows: Sequence[Row]) -> str:
    """The set, how many of its instances were measured, and how many of their optima are not proved."""
    count = len({row.seed for row in rows})
    gaps = {row.seed: math.inf if row.optimum_gap is None else row.optimum_gap for row in rows}
    still_open = [gap for gap in gaps.values() if gap > OPEN]
    closed = f"; {len(still_open)} not closed, gap at most {max(still_open):.2f} %" if still_open else ""
    return f"{panel.instances.name}: {count} of {panel.count} instances{closed}"


def by_budget(rows: Sequence[Row]) -> list[tuple[int | None, list[Row]]]:
    ordered = sorted(rows, key=lambda row: (row.k or 0, row.seed))
    return [(k, list(part)) for k, part in groupby(ordered, key=lambda row: row.k)]
