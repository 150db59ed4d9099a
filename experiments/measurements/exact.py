"""`nr.solve` against one model of all scenarios, same engine, same formulation, both to gap 1e-4; many scenarios."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from time import process_time

from experiments.instances.sets import SETS, InstanceSet
from experiments.methods.answers import Within, exact_search, extensive_form
from experiments.methods.base import GAP, Method, Task
from experiments.outcomes import Outcome
from experiments.spec import Panel, Spec
from neurprise.api import solve
from neurprise.recourse.evaluator import Evaluator
from neurprise.search.extensive_form import Master
from neurprise.solvers import Limits, get_engine

#: Wall-clock seconds for one search.
SECONDS = 600.0


@dataclass(frozen=True)
class FinalMaster:
    """The reduced problem that the search ends with, solved once: what any proof by it takes at the least."""

    title: str = "the final reduced problem alone"
    gap: float = GAP
    takes_budget = False

    def outcomes(self, task: Task) -> Iterator[Outcome]:
        kept, engine = solve(task.problem, gap=GAP).scenarios, get_engine("highs")
        master = Master(Evaluator(task.problem, engine), engine)
        start = process_time()
        master.solve(kept, Limits(gap=GAP))
        yield Outcome.timed(process_time() - start)


METHODS: dict[str, Method] = {
    "one-model": Within("one model of all scenarios", extensive_form, SECONDS),
    "solve": Within("nr.solve", exact_search, SECONDS),
    "final-master": FinalMaster(),
}
EXACT = Spec(
    "exact",
    "Exact search against one model of all scenarios",
    tuple(
        Panel(SETS[name].unsolved(), 10, tuple(METHODS), (), baseline="one-model")
        for name in ("SEL-50-100", "VC-20-50", "CFLP-30-30-50")
    ),
    view="speed",
)
SCALING = Spec(
    "scaling",
    "Exact search with up to 100,000 scenarios, and a hard instance",
    (
        *(
            Panel(InstanceSet(f"SEL-50-{many}", "selection", (50,), many, exact_seconds=None), 3, ("solve",), ())
            for many in (1000, 10_000, 100_000)
        ),
        Panel(SETS["VC-50-50"].unsolved(), 3, ("solve",), ()),
    ),
    view="speed",
)
SPECS = (EXACT, SCALING)
