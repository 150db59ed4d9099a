"""
Is exact search faster from the scenarios that the universal checkpoint chooses?

CPU seconds until the proved gap is first below 1 %, choosing included: plain search; refined search; and what choices
would give if they cost nothing, that of the checkpoint (given) and that of the scenarios which plain search ends with
(told). Besides, plain search as it was at an earlier commit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from time import process_time
from typing import Any

from experiments.instances.network_design import drawn_network, network_design
from experiments.instances.published import published, tiny_problem
from experiments.instances.sets import SETS, Instances, Made
from experiments.instances.unseen_classes import recombined_network
from experiments.measurements.versions import BASE, Version
from experiments.methods.base import Method, Task
from experiments.outcomes import Outcome
from experiments.spec import Panel, Spec
from neurprise.api import solve
from neurprise.problem import TwoStageProblem
from neurprise.reducers import NeurPRISE, Reduction
from neurprise.search.session import Iteration, relative_gap

GAP, SECONDS, BUDGET = 0.01, 60.0, 4


class These:
    """Keep these scenarios."""

    name = "these"

    def __init__(self, indices: Sequence[int]) -> None:
        self._indices = tuple(indices)

    def reduce(self, problem: TwoStageProblem, budget: int, seed: int = 0) -> Reduction:
        return Reduction(self._indices)


class GapClock:
    """Notes the CPU seconds after which the gap was first reached, and ends the search there."""

    def __init__(self) -> None:
        self._start = process_time()
        self._seconds: float | None = None

    @property
    def seconds(self) -> float:
        """Until the gap was reached, or until now."""
        return process_time() - self._start if self._seconds is None else self._seconds

    def __call__(self, line: Iteration) -> bool:
        reached = relative_gap(line.worst_case, line.lower_bound) <= GAP
        if reached and self._seconds is None:
            self._seconds = self.seconds
        return reached


def plain(problem: TwoStageProblem) -> dict[str, Any]:
    """Nothing is chosen."""
    return {}


def universal(problem: TwoStageProblem) -> dict[str, Any]:
    """The checkpoint chooses while the clock runs."""
    return {"reducer": NeurPRISE("universal"), "budget": BUDGET, "refine": True}


def given(problem: TwoStageProblem) -> dict[str, Any]:
    """What it chooses, for nothing."""
    return _these(NeurPRISE("universal").reduce(problem, BUDGET).indices)


def told(problem: TwoStageProblem) -> dict[str, Any]:
    """What plain search ends with, for nothing."""
    return _these(solve(problem, gap=GAP, time_limit=SECONDS).scenarios or (0,))  # none where time was over at once


def _these(scenarios: Sequence[int]) -> dict[str, Any]:
    return {"reducer": These(scenarios), "budget": len(scenarios), "refine": True}


@dataclass(frozen=True)
class ToTheGap:
    """
    A search until the gap is proved.

    Parameters
    ----------
    start
        What `solve` is told besides, made before the clock runs.
    """

    title: str
    start: Callable[[TwoStageProblem], dict[str, Any]]
    gap: float = GAP
    takes_budget = False

    def outcomes(self, task: Task) -> Iterator[Outcome]:
        asked, clock = self.start(task.problem), GapClock()
        report = solve(task.problem, **asked, gap=GAP, time_limit=SECONDS, on_progress=clock)
        values, seconds = (report.worst_case, report.lower_bound), clock.seconds
        yield Outcome(None, len(report.scenarios), *values, *values, 0.0, seconds, 0.0, seconds)


def _generated_network(number: int) -> TwoStageProblem:
    """Network design, 18 nodes, sixty scenarios, four pairs of nodes."""
    return network_design(drawn_network(18, 60, 4, number + 1))


METHODS: dict[str, Method] = {
    "plain-to-1": ToTheGap("plain", plain),
    "refined-to-1": ToTheGap("refined", universal),
    "given-to-1": ToTheGap("given universal's choice", given),
    "told-to-1": ToTheGap("given the best choice", told),
    "before-to-1": Version(f"plain at {BASE}", commit=BASE, gap=GAP, seconds=SECONDS),
}
#: Sets, and how many instances of each.
_MEASURED: tuple[tuple[Instances, int], ...] = (
    (SETS["VC-50-50"].unsolved(), 2),
    (Made("network-18", _generated_network, tiny_problem), 2),
    *((published(name), 1) for name in ("dcap332_200", "dcap243_200", "sslp_10_50_500")),
    (Made("netdes-200", partial(recombined_network, 200), tiny_problem), 2),
)
REFINE = Spec(
    "refine",
    "Exact search to a gap of 1 % from a learned choice of scenarios",
    tuple(Panel(instances, count, tuple(METHODS), (), baseline="plain-to-1") for instances, count in _MEASURED),
    view="speed",
    note="A search that does not get there within 60 s has no ratio.",
)
SPECS = (REFINE,)
