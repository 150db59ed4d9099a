"""Linear problems with reduced problems that are kept open while scenarios are added, against ones solved anew."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import process_time

from experiments.instances.published import published
from experiments.methods.base import GAP, Method, Task
from experiments.outcomes import Outcome
from experiments.spec import Panel, Spec
from neurprise.search.ccg import ColumnAndConstraintGeneration
from neurprise.search.session import SearchSession
from neurprise.solvers import Engine, get_engine


class Anew:
    """An engine that does not say that its sessions grow."""

    def __init__(self, engine: Engine) -> None:
        self.name, self.solve, self.session = engine.name, engine.solve, engine.session
        self.linear_session = getattr(engine, "linear_session", None)


def _highs() -> Engine:
    return get_engine("highs")


def _highs_anew() -> Engine:
    return Anew(get_engine("highs"))


@dataclass(frozen=True)
class SearchWith:
    """Exact search to the gap with an engine of its own."""

    title: str
    engine: Callable[[], Engine]
    gap: float = GAP
    takes_budget = False

    def outcomes(self, task: Task) -> Iterator[Outcome]:
        start = process_time()
        found = ColumnAndConstraintGeneration(SearchSession(task.problem, self.engine()), gap=self.gap).run()
        seconds, values = process_time() - start, (found.worst_case, found.lower_bound)
        yield Outcome(None, len(found.scenarios), *values, *values, 0.0, seconds, 0.0, seconds)


METHODS: dict[str, Method] = {
    "masters-anew": SearchWith("reduced problems solved anew", _highs_anew),
    "masters-open": SearchWith("reduced problems kept open", _highs),
}
LINEAR = Spec(
    "linear",
    "Linear reduced problems kept open while scenarios are added",
    tuple(
        Panel(published(name), 1, tuple(METHODS), (), baseline="masters-anew")
        for name in ("linear-300-2000", "linear-100-10000", "ssn-500", "storm-500")
    ),
    view="speed",
)
SPECS = (LINEAR,)
