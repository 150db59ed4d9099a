"""Objectives beside the worst case: values that others published, and their seconds on facility location under CVaR."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from time import process_time

import neurprise as nr
from experiments.instances.cvar_facilities import FOLDER, facility_location, published_answer
from experiments.instances.published import published, tiny_problem
from experiments.instances.sets import Made
from experiments.methods.answers import OVER
from experiments.methods.base import GAP, Method, Task
from experiments.optima import finished
from experiments.outcomes import Outcome
from experiments.spec import Panel, Spec
from neurprise.clock import Deadline
from neurprise.objectives import get_objective
from neurprise.search.objective_form import ObjectiveForm
from neurprise.solvers import Limits, get_engine

#: Wall-clock seconds for files, and for facility locations.
FEW, MANY = 60.0, 900.0
#: (file, objective) -> what others found.
KNOWN = {
    ("farmer", "expected"): -108390.0,
    ("farmer", "wasserstein:0.01"): -108353.558,
    ("sizes3", "expected"): 224433.67,
    ("sslp_5_25_15_BB", "expected"): -102.6674,
    ("sslp_5_25_15_CC", "expected"): -211.8528,
    ("sslp_15_45_5", "expected"): -262.4,
    ("LandS", "expected"): 397.751333,
    ("baa99", "expected"): -238.778298,
    ("pgp2", "expected"): 447.324356,
    ("drslp_5_5_5_5", "expected"): 16.3,
}
TAIL = "cvar:0.9"
#: Seeds of the facility locations by their number of scenarios.
LOCATIONS, SEEDS = ("cap41", "cap44", "cap61", "cap64"), {100: (1, 2, 3, 4, 5), 500: (1,), 1000: (1,)}
#: Instances that one model of all scenarios is solved on too.
AS_ONE_MODEL = (("cap41", 100, 1), ("cap61", 100, 1))


@dataclass(frozen=True)
class Asked:
    """
    One objective, within so many wall-clock seconds.

    Parameters
    ----------
    answer
        From the problem, the objective and the seconds to the attained value and the proved bound; costs.
    """

    title: str
    objective: str
    answer: Callable[[nr.TwoStageProblem, str, float], tuple[float, float]]
    seconds: float
    gap: float = GAP
    takes_budget = False

    def outcomes(self, task: Task) -> Iterator[Outcome]:
        clock, start = Deadline(), process_time()
        value, bound = self.answer(task.problem, self.objective, self.seconds)
        took = process_time() - start
        assert task.instances is not None
        known, seconds = _published(task.instances.name, self.objective)
        measured = {"off by %": 100 * abs(value - known) / abs(known), "published s": seconds}
        measured = {name: number for name, number in measured.items() if number == number}
        measured[OVER] = clock.elapsed - self.seconds
        yield Outcome(
            None, task.problem.num_scenarios, value, bound, value, bound, 0.0, took, 0.0, took, measured=measured
        )


def _published(name: str, objective: str) -> tuple[float, float]:
    if (name, objective) in KNOWN:
        return KNOWN[name, objective], float("nan")
    instance, _, rest = name.partition("-")
    size, _, seed = rest.partition("-")
    return published_answer(instance, int(size), int(seed)) if seed else (float("nan"), float("nan"))


def solved(problem: nr.TwoStageProblem, objective: str, seconds: float) -> tuple[float, float]:
    """`nr.solve`; costs, also where the user maximises."""
    report = finished(nr.solve(problem, objective=objective, gap=GAP, time_limit=seconds))
    return problem.in_users_sign(report.value), problem.in_users_sign(report.lower_bound)


def as_one_model(problem: nr.TwoStageProblem, objective: str, seconds: float) -> tuple[float, float]:
    """A copy of every scenario and the dual of the objective, given once to HiGHS as it is."""
    envelope, deadline = get_objective(objective).envelope(problem), Deadline(seconds)
    model = ObjectiveForm(problem, envelope).model(range(problem.num_scenarios))
    whole = get_engine("highs").solve(model, Limits(gap=GAP).until(deadline))
    return whole.objective, whole.bound


def _location(instance: str, size: int, seed: int, number: int) -> nr.TwoStageProblem:
    return facility_location(FOLDER / f"{instance}.txt", size, seed)


def _panels() -> Iterator[Panel]:
    for name in dict.fromkeys(name for name, _ in KNOWN):
        asked = tuple(f"solve {objective}" for other, objective in KNOWN if other == name)
        yield Panel(published(name), 1, asked, ())
    for size, seeds in SEEDS.items():
        for instance, seed in ((instance, seed) for instance in LOCATIONS for seed in seeds):
            made = Made(f"{instance}-{size}-{seed}", partial(_location, instance, size, seed), tiny_problem)
            beside = (instance, size, seed) in AS_ONE_MODEL
            methods = ("one model " + TAIL,) * beside + ("solve " + TAIL,)
            yield Panel(made, 1, methods, (), baseline=methods[0] if beside else "")


METHODS: dict[str, Method] = {
    f"solve {objective}": Asked(f"nr.solve, {objective}", objective, solved, FEW)
    for objective in dict.fromkeys(objective for _, objective in KNOWN)
}
METHODS["solve " + TAIL] = Asked(f"nr.solve, {TAIL}", TAIL, solved, MANY)
METHODS["one model " + TAIL] = Asked(f"one model, {TAIL}", TAIL, as_one_model, MANY)
OBJECTIVES = Spec(
    "objectives",
    "Other objectives than the worst case, beside values and seconds that others published",
    tuple(_panels()),
    view="speed",
)
SPECS = (OBJECTIVES,)
