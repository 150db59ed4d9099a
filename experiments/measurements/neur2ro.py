"""Which of Neur2RO's decisions are good: the one that it returns, its first (of one scenario), and its last."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from time import process_time
from typing import Self

from experiments.instances.sets import SETS
from experiments.methods.base import GAP, Method, Task
from experiments.outcomes import Outcome
from experiments.spec import Panel, Spec
from neurprise.networks.view import knowledge_of
from neurprise.search.session import SearchSession
from neurprise.surrogates import Neur2RO
from neurprise.surrogates.neur2ro import SurrogateSearch


@dataclass(frozen=True)
class Decisions:
    """
    Neur2RO without a certificate; regrets in percent of the optimum, where the decision has recourse.

    Parameters
    ----------
    checkpoint
        Name of a network among the experiments' checkpoints; None for the one that ships.
    """

    title: str
    checkpoint: str | None = None
    gap: float = GAP
    takes_budget = False

    def smaller(self) -> Self:
        return replace(self, checkpoint=None)

    def outcomes(self, task: Task) -> Iterator[Outcome]:
        name = self.checkpoint
        surrogate = Neur2RO.load_for(task.problem) if name is None else Neur2RO.load(task.checkpoints / name)
        start = process_time()
        instance, session = knowledge_of(task.problem).describe(task.problem), SearchSession(task.problem)
        search = SurrogateSearch(session, surrogate.network.folded(instance), gap=GAP)
        found = search.run(instance.reference, certify=False)
        seconds, worst_cases = process_time() - start, session.pool.totals.max(axis=1)
        decisions = {"returned %": found.worst_case, "first %": worst_cases[0], "last %": worst_cases[-1]}
        regrets = {name: task.optimum.regret(float(worst)) for name, worst in decisions.items() if math.isfinite(worst)}
        known = {name: regret for name, regret in regrets.items() if regret is not None}
        yield Outcome.timed(seconds, measured={**known, "scenarios": len(found.scenarios)})


METHODS: dict[str, Method] = {
    "neur2ro-decisions": Decisions("Neur2RO"),
    "neur2ro-64": Decisions("Neur2RO, 64 hidden units", "neur2ro-selection-64"),
}
NEUR2RO = Spec(
    "neur2ro",
    "Neur2RO's first, last and returned decision",
    tuple(
        Panel(SETS[name], count, methods, ())
        for name, count, methods in (
            ("SEL-20-50", 250, ("neur2ro-decisions", "neur2ro-64")),
            ("VC-20-50", 250, ("neur2ro-decisions",)),
            ("CFLP-30-30-50", 100, ("neur2ro-decisions",)),
        )
    ),
    view="speed",
)
SPECS = (NEUR2RO,)
