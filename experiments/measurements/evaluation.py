"""
Evaluating the decisions that a search meets: one scenario at a time against the way that `neurprise.recourse` chooses.

A search records what it asks: each decision, and the cost at which it need not know more. Both ways then answer the
same questions from scratch; the plain way, with HiGHS's own options, evaluates every scenario.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from time import process_time

from experiments.instances.published import published
from experiments.instances.sets import Instances
from experiments.methods.base import Method, Task
from experiments.outcomes import Outcome
from experiments.spec import Panel, Spec
from neurprise.arrays import Floats
from neurprise.clock import Deadline
from neurprise.problem import TwoStageProblem
from neurprise.recourse import CostBounds
from neurprise.recourse.evaluator import Evaluator
from neurprise.search.ccg import ColumnAndConstraintGeneration
from neurprise.search.pool import DecisionPool
from neurprise.search.session import SearchSession
from neurprise.solvers import EngineSettings
from neurprise.solvers.highs import Highs

#: HiGHS's own options, where sessions of this package are tuned for small models.
HIGHS_OWN = EngineSettings(options={"mip_heuristic_run_feasibility_jump": True, "mip_allow_restart": True})
#: Wall-clock seconds of the search that asks.
SECONDS = 30.0
#: From a question to what is proved of the costs.
Answer = Callable[["Question"], CostBounds]


@dataclass(frozen=True)
class Question:
    """What a search asked about one decision; arguments of `Evaluator.bounds`."""

    x: Floats
    order: Sequence[int]
    known: Mapping[int, float]
    enough: float


class Recorder(Evaluator):
    """An evaluator that remembers what it was asked."""

    def __init__(self, problem: TwoStageProblem) -> None:
        super().__init__(problem)
        self.questions: list[Question] = []

    def bounds(
        self,
        x: Floats,
        likely_worst_first: Iterable[int],
        deadline: Deadline,
        known: Mapping[int, float] | None = None,
        enough: float = math.inf,
    ) -> CostBounds:
        order = list(likely_worst_first)
        self.questions.append(Question(x, order, known or {}, enough))
        return super().bounds(x, order, deadline, known, enough)


@lru_cache(maxsize=1)
def questions_of(instances: Instances, seed: int) -> list[Question]:
    """What the exact search asks until it ends; asked once for all ways that are measured one after the other."""
    problem = instances.problem(seed)
    session = SearchSession(problem, "highs", Deadline(SECONDS))
    recorder = Recorder(problem)
    session.evaluator, session.pool = recorder, DecisionPool(recorder)
    ColumnAndConstraintGeneration(session).run()
    return recorder.questions


def one_by_one(problem: TwoStageProblem) -> Answer:
    """Every scenario by itself."""
    evaluator = Evaluator(problem, Highs(HIGHS_OWN), use_oracle=False)
    return lambda asked: evaluator.bounds(asked.x, asked.order, Deadline(), asked.known)


def as_far_as_needed(problem: TwoStageProblem) -> Answer:
    """In the way that fits the recourse, as far as the search needed to know."""
    evaluator = Evaluator(problem)
    return lambda asked: evaluator.bounds(asked.x, asked.order, Deadline(), asked.known, asked.enough)


@dataclass(frozen=True)
class Answering:
    """One way to answer all questions of a search, from scratch."""

    title: str
    way: Callable[[TwoStageProblem], Answer]
    gap: float = 0.0
    takes_budget = False

    def outcomes(self, task: Task) -> Iterator[Outcome]:
        assert task.instances is not None
        questions, answer = questions_of(task.instances, task.seed), self.way(task.problem)
        start = process_time()
        for question in questions:
            answer(question)
        yield Outcome.timed(process_time() - start, measured={"decisions": float(len(questions))})


METHODS: dict[str, Method] = {
    "one-by-one": Answering("every scenario, one by one", one_by_one),
    "as-needed": Answering("as far as needed", as_far_as_needed),
}
INSTANCES = ("linear-300-2000", "few-rows-2000", "ssn-500", "sslp_10_50_500", "dcap233_500")
EVALUATION = Spec(
    "evaluation",
    "Evaluating the decisions that a search meets",
    tuple(Panel(published(name), 1, tuple(METHODS), (), baseline="one-by-one") for name in INSTANCES),
    view="speed",
)
SPECS = (EVALUATION,)
