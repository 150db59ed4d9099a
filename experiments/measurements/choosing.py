"""How long it takes to choose scenarios: PRISE as Algorithm 1 writes it, PRISE as it is, and NeurPRISE."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from time import process_time

from experiments.baselines.engine_only import engine_only
from experiments.baselines.naive_prise import NaivePRISE
from experiments.instances.sets import SETS, InstanceSet
from experiments.methods.base import Method, Task
from experiments.outcomes import Outcome
from experiments.spec import Panel, Spec
from neurprise.reducers import PRISE, NeurPRISE, Reducer

#: Steps of a label's trace, and scenarios that the networks are asked for.
STEPS, BUDGET = 8, 6


@dataclass(frozen=True)
class Choosing:
    """
    A reducer, of which only the choice is timed, on a problem that nobody has asked anything yet.

    Parameters
    ----------
    lists
        False forbids listing the first-stage decisions, as selections and vertex covers of up to 20 items get it, so
        that an engine solves every reduced problem.
    repeats
        The quickest of so many calls counts.
    is_prise
        Whether its choice must be PRISE's, and is kept to be compared.
    """

    title: str
    reducer: Reducer
    lists: bool = True
    repeats: int = 1
    is_prise: bool = True
    gap: float = 0.0
    takes_budget = True

    def outcomes(self, task: Task) -> Iterator[Outcome]:
        for budget in task.budgets:
            self.reducer.reduce(task.problem.restrict([0]), 1)  # loads its network
            yield min((self._outcome(task, budget) for _ in range(self.repeats)), key=lambda one: one.seconds_solve)

    def _outcome(self, task: Task, budget: int) -> Outcome:
        problem = task.drawn() if self.lists else engine_only(task.drawn())
        start = process_time()
        choice = self.reducer.reduce(problem, budget)
        seconds, solves = process_time() - start, {"solves": float(choice.num_solves)} if choice.num_solves else {}
        return Outcome.timed(seconds, budget, choice.indices if self.is_prise else None, solves)


METHODS: dict[str, Method] = {
    "algorithm-1": Choosing("Algorithm 1", NaivePRISE()),
    "prise-alone": Choosing("PRISE", PRISE(), repeats=5),
    "prise-by-engine": Choosing("PRISE by the engine only", PRISE(), lists=False),
    "neurprise-alone": Choosing("NeurPRISE", NeurPRISE(), repeats=20, is_prise=False),
}

PRISE_SPEED = Spec(
    "prise",
    "Accelerated PRISE against Algorithm 1 as written",
    tuple(
        Panel(
            SETS[name].unsolved(),
            count,
            ("algorithm-1", "prise-alone", "prise-by-engine"),
            (STEPS,),
            baseline="algorithm-1",
        )
        for name, count in (("SEL-20-50", 10), ("VC-20-50", 5), ("CFLP-30-30-50", 10))
    ),
    view="speed",
)


def _with_scenarios(name: str, scenarios: int) -> InstanceSet:
    return replace(SETS[f"{name}-50"], name=f"{name}-{scenarios}", scenarios=scenarios).unsolved()


def _panel(name: str, scenarios: int) -> Panel:
    """On fifty scenarios PRISE, which takes minutes on more, stands beside the network."""
    beside = ("prise-alone", "prise-by-engine") if scenarios == 50 else ()
    methods = (*beside, "neurprise-alone")
    return Panel(_with_scenarios(name, scenarios), 5, methods, (BUDGET,), baseline=beside[0] if beside else "")


INFERENCE = Spec(
    "inference",
    "NeurPRISE against PRISE: seconds to choose six scenarios",
    tuple(_panel(name, scenarios) for name in ("SEL-20", "VC-20", "CFLP-30-30") for scenarios in (50, 200, 1000)),
    view="speed",
)
SPECS = (PRISE_SPEED, INFERENCE)
