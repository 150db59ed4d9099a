"""
Regret and seconds of Neur2RO beside NeurPRISE at k = 1, 4, 6 and beside the paper's numbers, on unseen instances.

    python -m benchmarks.neur2ro [CASE ...] [--instances N] [--budgets 1 4 6] [--exact-seconds 60]

Without cases: SEL-20-50, VC-20-50 and CFLP-30-30-50; --list names the others, on which the networks were never trained.
Optima come from the label sets of the checkout, elsewhere from `nr.solve` within --exact-seconds; where that does not
close the gap, regret is against the largest bound proved, so at most what is printed. Neur2RO's x is the best by true
worst case among its decisions ("first" and "last": those of its first and last main problem, where they have recourse),
NeurPRISE's the one that the exact search finds for the chosen scenarios. Seconds are those of one process on one core,
from a drawn problem to a decision whose true worst case is known; the certificate is left out.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

import neurprise as nr
from benchmarks.record import new_parser, publish, save, whole_table
from neurprise.convergence import regret_percent
from neurprise.exact.session import SearchSession
from neurprise.learn.labels import LabelConfig, read_labels
from neurprise.learn.regret import regret
from neurprise.surrogates.knowledge import knowledge_of
from neurprise.surrogates.search import SurrogateSearch


@dataclass(frozen=True)
class Case:
    """
    Instances of one distribution.

    Parameters
    ----------
    instances
        How many are measured unless told otherwise.
    paper
        Mean regret of Neur2RO in the paper, where it has such a row.
    labels
        Label set that draws them and holds their optima; None: drawn by `config`, optima by `nr.solve`.
    trained
        Whether the shipped network was trained on this distribution.
    """

    instances: int
    paper: float | None = None
    labels: str | None = None
    config: LabelConfig | None = None
    trained: bool = False


def _drawn(family: str, *size: int, distribution: str = "uniform") -> LabelConfig:
    return LabelConfig(family, size, 50, seed=2, distribution=distribution)


CASES = {
    "SEL-20-50": Case(250, 5.88, "labels/selection-20-50-test", trained=True),
    "VC-20-50": Case(250, 11.13, "labels/vertex-cover-20-50-test", trained=True),
    "CFLP-30-30-50": Case(100, 1.25, "labels/facility-location-30-50-test", trained=True),
    "SEL-20-100": Case(100, 6.35, "labels/selection-20-100-test"),
    "SEL-20-200": Case(100, 5.09, "labels/selection-20-200-test"),
    "SEL-100-50": Case(50, 6.85, "labels/selection-100-50-test"),
    "SEL-20-50-normal": Case(100, 3.32, "labels/selection-20-50-normal-test"),
    "SEL-20-50-multimodal": Case(100, 1.20, "labels/selection-20-50-multimodal-test"),
    "VC-20-100": Case(100, 12.29, "labels/vertex-cover-20-100-test"),
    "VC-20-200": Case(100, 10.52, "labels/vertex-cover-20-200-test"),
    "VC-20-50-normal": Case(100, 4.67, "labels/vertex-cover-20-50-normal-test"),
    "VC-20-50-multimodal": Case(100, 6.49, "labels/vertex-cover-20-50-multimodal-test"),
    "SEL-50-50": Case(50, 5.56, config=_drawn("selection", 50)),
    "VC-50-50": Case(10, 12.87, config=_drawn("vertex-cover", 50)),
    "CFLP-70-70-50": Case(10, 0.8, config=_drawn("facility-location", 70, 70)),
    "CFLP-30-30-50-normal": Case(25, 1.05, config=_drawn("facility-location", 30, 30, distribution="normal")),
    "CFLP-30-30-50-multimodal": Case(25, 2.13, config=_drawn("facility-location", 30, 30, distribution="multimodal")),
}


@dataclass(frozen=True)
class Outcome:
    """
    What a method achieved on one instance.

    Parameters
    ----------
    regret
        In percent of the optimum, or of the largest proved bound; inf where a scenario has no recourse.
    seconds
        Wall-clock seconds of choosing, solving and evaluating.
    scenarios
        How many were kept.
    first, last
        Regret of Neur2RO's first decision, which one scenario decides, and of its last.
    """

    regret: float
    seconds: float
    scenarios: int
    first: float = math.nan
    last: float = math.nan


def instances(case: Case, count: int, exact_seconds: float) -> Iterator[tuple[nr.TwoStageProblem, float, bool]]:
    """Problems, their optimum or a bound of it, and whether it is the optimum."""
    if case.labels is not None:
        stored = read_labels(case.labels)
        for label in stored.labels[:count]:
            yield stored.config.problem(label.index), label.optimum or math.nan, True
        return
    assert case.config is not None
    for index in range(count):
        problem = case.config.problem(index)
        report = nr.solve(problem, gap=1e-6, time_limit=exact_seconds)
        proved = report.status is nr.Status.OPTIMAL
        yield problem, report.worst_case if proved else report.lower_bound, proved


def neur2ro(problem: nr.TwoStageProblem, optimum: float, checkpoint: str | None = None) -> Outcome:
    """The shipped surrogate of the family, or another one."""
    start = time.perf_counter()
    network = nr.surrogates.Neur2RO.load(checkpoint or problem.family).network
    instance, session = knowledge_of(problem).describe(problem), SearchSession(problem)
    found = SurrogateSearch(session, network.folded(instance), gap=1e-4).run(instance.reference, certify=False)
    seconds = time.perf_counter() - start
    worst_cases = session.pool.totals.max(axis=1)
    first, last = (regret_percent(float(worst_cases[place]), optimum) for place in (0, -1))
    return Outcome(regret_percent(found.worst_case, optimum), seconds, len(found.scenarios), first, last)


def neurprise(budget: int) -> Callable[[nr.TwoStageProblem, float], Outcome]:
    """The shipped reducer of the family, and the reduced problem's decision."""

    def measured(problem: nr.TwoStageProblem, optimum: float) -> Outcome:
        start = time.perf_counter()
        kept = nr.reducers.NeurPRISE().reduce(problem, budget).indices
        found = regret(problem, kept, optimum)
        return Outcome(found, time.perf_counter() - start, len(kept))

    return measured


def measure(
    name: str, count: int | None, budgets: list[int], exact_seconds: float, checkpoint: str | None
) -> list[dict[str, object]]:
    """One row per method on one case."""
    case = CASES[name]
    methods = {
        "Neur2RO": partial(neur2ro, checkpoint=checkpoint),
        **{f"NeurPRISE k={k}": neurprise(k) for k in budgets},
    }
    outcomes: dict[str, list[Outcome]] = {method: [] for method in methods}
    exact = True
    for problem, optimum, proved in instances(case, count or case.instances, exact_seconds):
        exact &= proved
        for method, run in methods.items():
            outcomes[method].append(run(problem, optimum))
    return [_row(name, method, found, exact) for method, found in outcomes.items()]


def _row(name: str, method: str, outcomes: list[Outcome], exact: bool) -> dict[str, object]:
    regrets = np.array([one.regret for one in outcomes])
    kept = regrets[np.isfinite(regrets)]
    seconds = [one.seconds for one in outcomes]
    return {
        "instance": name,
        "method": method,
        "against": "optimum" if exact else "bound",
        "regret": float(kept.mean()) if len(kept) else None,
        "standard_error": float(kept.std() / np.sqrt(max(len(kept), 1))),
        "first": _mean([one.first for one in outcomes]),
        "last": _mean([one.last for one in outcomes]),
        "infeasible": int((~np.isfinite(regrets)).sum()),
        "scenarios": float(np.mean([one.scenarios for one in outcomes])),
        "seconds": float(np.mean(seconds)),
        "median_seconds": float(np.median(seconds)),
        "paper": CASES[name].paper if method == "Neur2RO" else None,
        "instances": len(outcomes),
    }


def _mean(regrets: list[float]) -> float | None:
    """Of the finite ones; None where the method has no such thing."""
    finite = [value for value in regrets if math.isfinite(value)]
    return float(np.mean(finite)) if finite else None


def warm_up(names: list[str]) -> None:
    """Compile the oracles and load the networks, so that no row pays for it."""
    made = {
        "SEL": nr.make_selection(8, 3, 0),
        "VC": nr.make_vertex_cover(8, 3, 0),
        "CFLP": nr.make_facility_location(4, 3, 3, 0),
    }
    for family in {name.split("-")[0] for name in names}:
        neur2ro(made[family], 1.0)
        neurprise(1)(made[family], 1.0)


def main(argv: list[str] | None = None) -> None:
    parser = new_parser(__doc__)
    parser.add_argument("cases", nargs="*", metavar="CASE", help="default: those that the networks were trained for")
    parser.add_argument("--instances", type=int, help="default: by case")
    parser.add_argument("--budgets", type=int, nargs="*", default=[1, 4, 6], metavar="K", help="of NeurPRISE")
    parser.add_argument("--exact-seconds", type=float, default=60.0, help="for the optimum where labels hold none")
    parser.add_argument("--checkpoint", help="a surrogate of your own; the shipped one of the family if left out")
    parser.add_argument("--list", action="store_true", help="name all cases")
    options = parser.parse_args(argv)
    if options.list:
        print("\n".join(CASES))
        return
    unknown = [name for name in options.cases if name not in CASES]
    if unknown:
        parser.error(f"unknown case {unknown[0]!r}; --list names them")
    names = options.cases or [name for name, case in CASES.items() if case.trained]
    warm_up(names)
    rows = []
    for name in names:
        rows += measure(name, options.instances, options.budgets, options.exact_seconds, options.checkpoint)
        if not options.no_save:
            save("neur2ro", rows[-1 - len(options.budgets) :])
    table = whole_table("Regret in percent and seconds an instance", rows)
    publish(options, "neur2ro", rows, [table], saved=True)


if __name__ == "__main__":
    main()
