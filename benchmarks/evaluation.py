"""
Evaluating the decisions that a search meets: one scenario at a time against the way that `neurprise.recourse` chooses.

    python -m benchmarks.evaluation [--scenarios 2000] [--time-limit 120] [NAME ...]

A search records what it asks: each decision, and the cost at which it need not know more. Both ways then answer the
same questions from scratch; the plain way, with HiGHS's own options, evaluates every scenario as it did before. Seconds
are those of the processor, so that other work on the machine does not count. Names: linear and few-rows (generated,
50 and 6 demands), ssn (500 sampled scenarios), sslp_10_50_500, dcap233_500; the last three are read from
../shared/data/smps where they are there.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import neurprise as nr
from benchmarks.published_instances import FOLDER, linear_problem
from benchmarks.record import new_parser, publish, whole_table
from neurprise.arrays import Floats
from neurprise.clock import Deadline
from neurprise.errors import FormatError
from neurprise.evaluate import Evaluator
from neurprise.exact.ccg import ColumnAndConstraintGeneration
from neurprise.exact.pool import Pool
from neurprise.exact.session import SearchSession
from neurprise.recourse import CostBounds
from neurprise.solvers import EngineSettings
from neurprise.solvers.highs import Highs

#: HiGHS's own options, where sessions of this package are tuned for small models.
HIGHS_OWN = EngineSettings(options={"mip_heuristic_run_feasibility_jump": True, "mip_allow_restart": True})
NAMES = ("linear", "few-rows", "ssn", "sslp_10_50_500", "dcap233_500")


@dataclass(frozen=True)
class Question:
    """What a search asked about one decision; arguments of `Evaluator.bounds`."""

    x: Floats
    order: Sequence[int]
    known: Mapping[int, float]
    enough: float


class Recorder(Evaluator):
    """An evaluator that remembers what it was asked."""

    def __init__(self, problem: nr.TwoStageProblem) -> None:
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


def problem_of(name: str, num_scenarios: int) -> nr.TwoStageProblem | None:
    """The problem of that name; None, with a word why, where it cannot be read."""
    if name == "linear":
        return linear_problem(num_scenarios)
    if name == "few-rows":
        return linear_problem(num_scenarios, num_first_stage=10, num_recourse=10, num_demands=6)
    try:
        options = {"sample": 500, "seed": 1} if name == "ssn" else {}
        return nr.read(FOLDER / name / f"{name}.cor", **options)
    except (OSError, FormatError) as error:
        print(f"{name} is left out: {error}", file=sys.stderr)
        return None


def questions_of(problem: nr.TwoStageProblem, time_limit: float) -> list[Question]:
    """What the exact search asks until it ends."""
    session = SearchSession(problem, "highs", Deadline(time_limit))
    recorder = Recorder(problem)
    session.evaluator, session.pool = recorder, Pool(recorder)
    ColumnAndConstraintGeneration(session).run()
    return recorder.questions


def seconds_of(answer: Callable[[Question], CostBounds], questions: Sequence[Question]) -> tuple[float, list[float]]:
    """Processor seconds for all answers, and the largest cost proved by each."""
    start = time.process_time()
    largest = [answer(question).lower for question in questions]
    return time.process_time() - start, largest


def compare(name: str, problem: nr.TwoStageProblem, time_limit: float) -> dict[str, Any]:
    """One row: seconds of both ways on the same questions, after checking that the answers agree."""
    questions = questions_of(problem, time_limit)
    plain, quick = Evaluator(problem, Highs(HIGHS_OWN), use_oracle=False), Evaluator(problem)
    one_by_one, exact = seconds_of(lambda q: plain.bounds(q.x, q.order, Deadline(), q.known), questions)
    chosen, found = seconds_of(lambda q: quick.bounds(q.x, q.order, Deadline(), q.known, q.enough), questions)
    for question, worst, proved in zip(questions, exact, found, strict=True):
        agrees = math.isclose(worst, proved, rel_tol=1e-5, abs_tol=1e-5)
        if not agrees and not question.enough - 1e-5 <= proved <= worst + 1e-5:
            raise SystemExit(f"{name}: the plain way finds {worst}, the other proves {proved}")
    return {
        "instance": name,
        "scenarios": problem.num_scenarios,
        "decisions": len(questions),
        "seconds_one_by_one": one_by_one,
        "seconds": chosen,
        "speedup": one_by_one / chosen,
    }


def main(argv: Sequence[str] | None = None) -> None:
    parser = new_parser(__doc__)
    parser.add_argument("names", nargs="*", default=NAMES, metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--scenarios", type=int, default=2_000, help="scenarios of the generated problem")
    parser.add_argument("--time-limit", type=float, default=120.0, help="seconds for the search that asks")
    options = parser.parse_args(argv)
    problems = {name: problem_of(name, options.scenarios) for name in options.names}
    rows = [compare(name, problem, options.time_limit) for name, problem in problems.items() if problem is not None]
    if not rows:
        raise SystemExit("none of these instances is here")
    publish(options, "evaluation", rows, [whole_table("evaluation of the decisions that a search meets", rows)])


if __name__ == "__main__":
    main()
