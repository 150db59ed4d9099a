"""Problems that others wrote, and generated kinds that are no family: `nr.solve` beside one model of all scenarios."""

from __future__ import annotations

from experiments.instances.published import INSTANCES, published
from experiments.methods.answers import Within, exact_search
from experiments.methods.base import GAP, Method
from experiments.spec import Panel, Spec
from neurprise.clock import Deadline
from neurprise.problem import TwoStageProblem
from neurprise.search.extensive_form import ExtensiveForm
from neurprise.solvers import Limits, get_engine

#: Wall-clock seconds: a minute, and much too few.
SECONDS, FEW = 60.0, 2.0


def as_it_comes(problem: TwoStageProblem, seconds: float) -> tuple[float, float]:
    """One model of all scenarios, given once to the engine, which knows nothing of its structure."""
    deadline = Deadline(seconds)
    model = ExtensiveForm(problem).model(range(problem.num_scenarios))
    whole = get_engine("highs").solve(model, Limits(gap=GAP).until(deadline))
    return whole.objective, whole.bound


METHODS: dict[str, Method] = {
    "extensive-form": Within("extensive form", as_it_comes, SECONDS),
    "solve-minute": Within("nr.solve", exact_search, SECONDS),
    "solve-moment": Within("nr.solve", exact_search, FEW),
}
PUBLISHED = Spec(
    "published",
    "nr.solve and one extensive form on problems that others wrote, a minute each",
    tuple(
        Panel(published(name), 1, ("extensive-form", "solve-minute"), (), baseline="extensive-form")
        for name in INSTANCES
    ),
    view="limits",
)
MOMENT = Spec(
    "moment",
    "The same problems with two seconds each",
    tuple(Panel(published(name), 1, ("solve-moment",), ()) for name in INSTANCES),
    view="limits",
)
SPECS = (PUBLISHED, MOMENT)
