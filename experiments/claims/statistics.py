"""Statistics of rows that claims are judged by, other than the mean regret of a table's cell."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import combinations, pairwise

import numpy as np

from experiments.claims.rules import Rows, cells_of
from experiments.row import Row
from experiments.views.aggregates import spread_of_networks, traces_of
from experiments.views.growth import PAPER_GROWTH, growth_ratios
from experiments.views.statistics import Mean, mean_of, ratio_of, share_of
from experiments.views.traces import NOISE, compression_budget, gains_are_nonincreasing, stop_step

SMALL_SETS = ("SEL-20-50", "VC-20-50")
#: Scenarios of those sets, and steps after which a trace that came to no end counts as that long.
SCENARIOS, STEPS = 50, 8
#: Columns of the compression table behind the averages: within so many percent of the scenarios, or never.
COMPRESSION_COLUMNS = (2.0, 4.0, 8.0, 12.0, None)
#: The counterexample of the paper: total cost of decisions a, b, c in three scenarios.
COUNTEREXAMPLE = np.array([[9, 1, 5], [1, 9, 6], [4, 4, 8]])


def _traces(rows: Rows, instances: str, method: str = "prise") -> list[tuple[list[float], float]]:
    return traces_of([row for row in rows("compression") if (row.instances, row.method) == (instances, method)])


def compression_ratio(rows: Rows, method: str) -> dict[str, Mean]:
    """Mean share of the scenarios, in %, that brings V(R) within 1 % of the optimum."""
    found = {name: mean_of([_ratio(*trace) for trace in _traces(rows, name, method)]) for name in SMALL_SETS}
    return {name: mean for name, mean in found.items() if mean is not None}


def _ratio(values: list[float], optimum: float) -> float:
    return 100 * (compression_budget(values, optimum) or STEPS) / SCENARIOS


def compression_mean(rows: Rows, instances: str, method: str) -> dict[str, Mean]:
    """Of one set."""
    return {f"{name}, mean": mean for name, mean in compression_ratio(rows, method).items() if name == instances}


def compression_share(rows: Rows, instances: str, method: str, percent: float | None) -> dict[str, Mean]:
    """Share of instances, in %, within that many percent of the scenarios; None: that never came close."""
    reached = [compression_budget(*trace) for trace in _traces(rows, instances, method)]
    hits = sum(k is None if percent is None else k is not None and 100 * k / SCENARIOS <= percent for k in reached)
    name = f"{instances}, {'never' if percent is None else f'within {percent:g} %'}"
    return {name: share_of(hits, len(reached))} if reached else {}


def more_scenarios(rows: Rows) -> dict[str, Mean]:
    """Compression ratios of Random and MaxSum over those of PRISE on the same instances."""
    found = {}
    for name in SMALL_SETS:
        base = [_ratio(*trace) for trace in _traces(rows, name)]
        for method in ("random", "maxsum"):
            others = [_ratio(*trace) for trace in _traces(rows, name, method)]
            if len(others) == len(base) and base:
                found[f"{name}, {method}"] = ratio_of(others, base)
    return found


def falling_by_instance(rows: Rows) -> dict[str, Mean]:
    """Share of PRISE traces, in %, whose every gain is at most the one before."""
    found = {}
    for name in SMALL_SETS:
        falls = [gains_are_nonincreasing(values) for values, _ in _traces(rows, name)]
        if falls:
            found[f"{name}, by instance"] = share_of(sum(falls), len(falls))
    return found


def falling_by_step(rows: Rows) -> dict[str, Mean]:
    """Share of steps, in %, that gain at most what the step before gained; steps after a trace's end do not count."""
    found = {}
    for name in SMALL_SETS:
        falls = [fall for values, _ in _traces(rows, name) for fall in _falls(values)]
        if falls:
            found[f"{name}, by step"] = share_of(sum(falls), len(falls))
    return found


def _falls(values: Sequence[float]) -> list[bool]:
    gains = np.diff(values, prepend=0.0)[: stop_step(values)]
    return [later <= earlier + NOISE * max(values) for earlier, later in pairwise(gains)]


def gains_fall_on_average(rows: Rows) -> tuple[bool | None, str]:
    """Figure (a): mean gain by step."""
    if not all(_traces(rows, name) for name in SMALL_SETS):
        return None, "no rows"
    means = {name: np.mean([np.diff(v, prepend=0.0) for v, _ in _traces(rows, name)], axis=0) for name in SMALL_SETS}
    text = "<br>".join(f"{name}: {', '.join(f'{gain:.1f}' for gain in gains)}" for name, gains in means.items())
    return all((np.diff(gains) <= 0).all() for gains in means.values()), text


def stop_steps(rows: Rows) -> tuple[bool | None, str]:
    """Figure (b): in how many percent of the instances PRISE's last gain came at step 1, 2, ...; most stop before 8."""
    if not all(_traces(rows, name) for name in SMALL_SETS):
        return None, "no rows"
    said, before = [], True
    for name in SMALL_SETS:
        steps = [stop_step(values) for values, _ in _traces(rows, name)]
        shares = [100 * steps.count(step) / len(steps) for step in range(1, STEPS + 1)]
        said.append(f"{name}: {', '.join(f'{share:.0f}' for share in shares)} %")
        before &= max(shares) > shares[-1]
    return before, "<br>".join(said)


def values_never_fall(rows: Rows) -> tuple[bool | None, str]:
    """Proposition 1 in the rows: V(R_1) <= V(R_2) <= ... <= V(all)."""
    traces = [trace for name in SMALL_SETS for m in ("random", "maxsum", "prise") for trace in _traces(rows, name, m)]
    wrong = sum(not _rises(values, optimum) for values, optimum in traces)
    return (
        wrong == 0 if traces else None,
        f"{len(traces)} sequences of eight reduced problems, {wrong} that fall or exceed the optimum",
    )


def _rises(values: Sequence[float], optimum: float) -> bool:
    allowed = NOISE * abs(optimum)
    return all(later >= earlier - allowed for earlier, later in pairwise([*values, optimum]))


def _value(kept: Sequence[int]) -> int:
    return int(COUNTEREXAMPLE[:, list(kept)].max(axis=1).min()) if kept else 0


def counterexample_holds(rows: Rows) -> tuple[bool, str]:
    """V of all subsets, by enumeration: adding s_2 gains more where s_1 is there already."""
    table = {kept: _value(kept) for size in (1, 2, 3) for kept in combinations(range(3), size)}
    printed = {(0,): 1, (1,): 1, (2,): 5, (0, 1): 4, (0, 2): 6, (1, 2): 5, (0, 1, 2): 8}
    early, late = _value((1, 2)) - _value((2,)), _value((0, 1, 2)) - _value((0, 2))
    return (
        table == printed and early < late,
        f"all 7 values by enumeration; the gain of s_2 rises from {early} to {late}",
    )


def greedy_trace_holds(rows: Rows) -> tuple[bool, str]:
    """PRISE on the counterexample."""
    kept: tuple[int, ...] = ()
    gains = []
    while len(kept) < 3:
        best = max((j for j in range(3) if j not in kept), key=lambda j: _value((*kept, j)))
        gains.append(_value((*kept, best)) - _value(kept))
        kept = (*kept, best)
    names = ", ".join(f"s_{j + 1}" for j in kept)
    return gains == [5, 1, 2] and kept == (2, 0, 1), f"order {names}, gains {', '.join(map(str, gains))}"


def pipeline_speedup(rows: Rows) -> dict[str, Mean]:
    """Seconds of choosing, solving, evaluating with PRISE over those with NeurPRISE, k = 6, on the same instances."""
    found = {}
    for spec in ("small", "medium", "large"):
        for name in dict.fromkeys(row.instances for row in rows(spec)):
            seconds = [
                {r.seed: r.seconds for r in rows(spec) if (r.instances, r.method, r.k) == (name, method, 6)}
                for method in ("prise", "neurprise")
            ]
            both = sorted(set(seconds[0]) & set(seconds[1]))
            if both:
                found[name] = ratio_of([seconds[0][s] for s in both], [seconds[1][s] for s in both])
    return found


def against_exact(rows: Rows) -> dict[str, Mean]:
    """Seconds of exact search over those of NeurPRISE at k = 6."""
    found = {}
    for spec in ("small", "medium", "large"):
        for name in dict.fromkeys(row.instances for row in rows(spec)):
            exact = {r.seed: r.seconds for r in rows(spec) if (r.instances, r.method) == (name, "exact")}
            ours = {r.seed: r.seconds for r in rows(spec) if (r.instances, r.method, r.k) == (name, "neurprise", 6)}
            both = sorted(set(exact) & set(ours))
            if both:
                found[name] = ratio_of([exact[s] for s in both], [ours[s] for s in both])
    return found


def labelling_hours(rows: Rows) -> dict[str, Mean]:
    """Hours for 2,250 labels of both small sets at the mean seconds of Algorithm 1 and of accelerated PRISE."""
    found = {}
    for method, title in (("algorithm-1", "Algorithm 1"), ("prise-alone", "accelerated")):
        for name in SMALL_SETS:
            mine = [r.seconds_solve for r in rows("prise") if (r.instances, r.method) == (name, method)]
            hours = mean_of([2250 * seconds / 3600 for seconds in mine])
            if hours is not None:
                found[f"{name}, {title}"] = hours
    return found


def solves(rows: Rows) -> dict[str, Mean]:
    """Reduced problems that an engine solves for one trace of at most eight steps."""
    found = {}
    for method, title in (("algorithm-1", "Algorithm 1"), ("prise-alone", "accelerated")):
        for name in dict.fromkeys(row.instances for row in rows("prise")):
            mine = [r for r in rows("prise") if (r.instances, r.method) == (name, method)]
            mean = mean_of([r.measured.get("solves", 0.0) for r in mine])
            if mean is not None:
                found[f"{name}, {title}"] = mean
    return found


def tolerance_speedup(rows: Rows, gap: str) -> dict[str, Mean]:
    """Large vertex covers, k = 4: seconds at the usual gap over those at a loose one."""
    found = {}
    for name in ("VC-50-50", "VC-50-100"):
        exact, loose = (_by_seed(rows("tolerance"), name, method) for method in ("neurprise", f"neurprise-gap-{gap}"))
        both = sorted(set(exact) & set(loose))
        if both:
            found[name] = ratio_of([exact[s].seconds for s in both], [loose[s].seconds for s in both])
    return found


def tolerance_regret(rows: Rows, gap: str) -> dict[str, Mean]:
    """The same instances: regret at the loose gap minus regret at the usual one, in percentage points."""
    found = {}
    for name in ("VC-50-50", "VC-50-100"):
        exact, loose = (_by_seed(rows("tolerance"), name, method) for method in ("neurprise", f"neurprise-gap-{gap}"))
        more = mean_of([(loose[s].regret or 0.0) - (exact[s].regret or 0.0) for s in sorted(set(exact) & set(loose))])
        if more is not None:
            found[name] = more
    return found


def _by_seed(rows: Sequence[Row], instances: str, method: str, k: int = 4) -> dict[int, Row]:
    return {row.seed: row for row in rows if (row.instances, row.method, row.k) == (instances, method, k)}


def growth(rows: Rows, part: str, drawn: str) -> dict[str, Mean]:
    """Seconds of one part with the most scenarios over those with the fewest."""
    ratios = growth_ratios(rows("growth"), drawn)
    most = max(PAPER_GROWTH[drawn])
    return {f"{drawn}, S = {most}": ratios[most][part]} if most in ratios else {}


def solving_share(rows: Rows) -> dict[str, Mean]:
    """Solving's share of NeurPRISE's seconds at k = 6, in %, on medium and large vertex covers."""
    found = {}
    for spec, name in (("medium", "VC-50-50"), ("large", "VC-50-100")):
        mine = [r for r in rows(spec) if (r.instances, r.method, r.k) == (name, "neurprise", 6)]
        share = mean_of([100 * r.seconds_solving / r.seconds for r in mine])
        if share is not None:
            found[name] = share
    return found


def throughput(rows: Rows) -> dict[str, Mean]:
    """Training passes an instance: seconds with constraint-variable graphs over those with compact ones."""
    passes = [row for row in rows("passes") if row.instances == "CFLP-30-30-50"]
    seconds = {
        encoding: [row.seconds_solve for row in passes if row.method == f"shared-{encoding}"]
        for encoding in ("cv", "ps")
    }
    return {"CFLP-30-30-50": ratio_of(seconds["cv"], seconds["ps"])} if all(seconds.values()) else {}


def infeasible_share(rows: Rows, method: str, budgets: Sequence[int]) -> dict[str, Mean]:
    """Share of small facility locations, in %, without recourse in some scenario."""
    found = {}
    for k in budgets:
        part = [r for r in rows("small") if (r.instances, r.method, r.k) == ("CFLP-30-30-50", method, k)]
        if part:
            found[f"k = {k}"] = share_of(sum(row.infeasible for row in part), len(part))
    return found


def infeasibility_falls(rows: Rows, method: str) -> tuple[bool | None, str]:
    """With every further scenario fewer decisions fail, and with six none."""
    shares = infeasible_share(rows, method, (1, 2, 4, 6))
    if not shares:
        return None, "no rows"
    values = [one.value for one in shares.values()]
    falls = len(values) == 4 and all(later <= earlier for earlier, later in pairwise(values)) and values[-1] == 0
    return falls, "; ".join(f"{name}: {one.value:.1f} %" for name, one in shares.items())


def seed_deviation(rows: Rows) -> dict[str, Mean]:
    """Standard deviation of the mean regrets of networks that were trained with five seeds."""
    found = {}
    for cell in cells_of("seeds", rows):
        part = [r for r in rows("seeds") if r.instances == cell.panel.instances.name and r.k == cell.k]
        spread = spread_of_networks([r for r in part if r.method in cell.panel.methods])
        if spread is not None:
            found[f"{cell.panel.instances.name}, k = {cell.k}"] = Mean(spread, spread, spread, cell.ours.count)
    return found


#: A statistic with its further arguments given.
with_ = partial
