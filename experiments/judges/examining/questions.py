"""
Which questions are put to the package about one random problem.

Every problem is solved by every engine, and its solution and a random decision are evaluated. The shares below say on
how many of them the other questions are asked; the draw depends on the seed alone.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

import neurprise as nr
from experiments.judges.examining.claims import Claims
from experiments.judges.examining.examination import Examination
from experiments.judges.examining.outcomes import Outcome
from experiments.judges.examining.promises import no_worse_than_own_decision, reaches
from experiments.judges.examining.reducers import compare_with_naive_trace, reduction_is_true
from experiments.judges.examining.round_trips import written_and_read, written_by_engine
from experiments.judges.examining.rules import certified, evaluated, optimal_within, recourse_of, reduced
from experiments.judges.oracles.truth import truth_of_case
from experiments.judges.random_problems import KINDS, ORDINARY, Case, Statement, draw_case, with_repeated_scenarios
from experiments.judges.random_problems.medium import draw_medium
from neurprise.arrays import Floats
from neurprise.recourse.evaluator import Evaluation
from neurprise.reducers import get_reducer, reducer_names
from neurprise.solvers import engine_names
from neurprise.strengthening import without_strengthening

#: Reducers tried on each problem, of all there are, with budgets 1, 2, S or S + 2.
REDUCERS_TRIED = 3
#: Share of these that go on until optimal, and that are also asked for their reduction alone.
REFINED, ASKED_ALONE = 0.25, 0.3
#: Share of problems on which PRISE is compared with Algorithm 1 as written.
TRACED = 0.2
#: Share of problems on which a second engine verifies the first one's answer.
VERIFIED = 0.1
#: Share of problems on which a solve is cut short, and with how many scenarios at least in the dear ones among them.
CUT_SHORT, CUT_SHORT_LARGE, MANY = 0.2, 0.02, 5_000
#: Share of problems that are written and read again, and that an engine writes; share with a target for a budget.
WRITTEN, TARGETED = 0.1, 0.2
#: Share of problems that are solved by their own rows alone.
UNSTRENGTHENED = 0.3
#: Seconds within which a tiny problem, and a medium-sized one, must be solved.
PATIENCE, MEDIUM_PATIENCE = 10.0, 30.0


def examine_chunk(
    seeds: Sequence[int], until: float = float("inf"), scale: str | None = None, medium: bool = False
) -> list[Outcome]:
    """Examine these problems one after another, as long as the clock is before `until`."""
    warm_up()
    one = examine_medium if medium else examine
    return [one(seed, scale) for seed in seeds if time.time() < until]


@cache
def warm_up() -> None:
    """Compile what is compiled on first use, so that no problem's time limit is charged for it."""
    for kind in ("selection", "vertex cover", "facility location"):
        problem = draw_case(list(KINDS).index(kind), ORDINARY).problem
        for name in (None, *reducer_names()):
            with suppress(nr.InputError):
                nr.solve(problem, name, None if name is None else 1)


def examine(seed: int, scale: str | None = None) -> Outcome:
    """Draw the problem of this seed, put the questions to the package, and check the answers."""
    return examine_case(draw_case(seed, scale))


def examine_medium(seed: int, scale: str | None = None) -> Outcome:
    """The same for the medium-sized problem of this seed."""
    return examine_case(draw_medium(seed, scale))


def examine_case(case: Case) -> Outcome:
    """Put the questions about one problem to the package, and check the answers."""
    start = time.perf_counter()
    examination = Examination(case, truth_of_case(case))
    ask = _ask_about_medium if case.medium else _ask_everything
    rng = np.random.default_rng([case.seed, 1])
    with without_strengthening() if rng.random() < UNSTRENGTHENED else nullcontext():
        ask(examination, rng)
    return Outcome(
        seed=case.seed,
        kind=case.kind,
        scale=case.scale,
        medium=case.medium,
        findings=tuple(examination.findings),
        answers=tuple(examination.answers),
        hinges=examination.truth.hinges,
        listed=examination.truth.judge.lists_decisions,
        seconds=time.perf_counter() - start,
    )


def _ask_everything(examination: Examination, rng: np.random.Generator) -> None:
    for engine in engine_names():
        _solve_and_evaluate(examination, engine, float(rng.choice([0.0, 1e-4])))
    for name in rng.permutation(reducer_names())[:REDUCERS_TRIED].tolist():
        _reduce(examination, name, rng)
    if rng.random() < TRACED:
        compare_with_naive_trace(examination, _engine(rng), int(rng.integers(1, 4)))
    if rng.random() < VERIFIED:
        _verify(examination, rng)
    if rng.random() < CUT_SHORT:
        _cut_short(examination, rng, _engine(rng))
    if rng.random() < CUT_SHORT_LARGE:
        _cut_short_large(examination, rng)
    if rng.random() < WRITTEN:
        written_and_read(examination, _engine(rng), PATIENCE)
    if rng.random() < WRITTEN:
        written_by_engine(examination, rng, PATIENCE)
    if rng.random() < TARGETED:
        _aim(examination, rng, _engine(rng), PATIENCE)


def _ask_about_medium(examination: Examination, rng: np.random.Generator) -> None:
    """Fewer questions, for each takes longer; Gurobi is asked where its free licence reaches."""
    engine = _engine(rng)
    if engine == "gurobi" and not fits_free_licence(examination.case.statement):
        engine = "highs"
    _solve_and_evaluate(examination, engine, float(rng.choice([0.0, 1e-4])), MEDIUM_PATIENCE)
    _reduce_medium(examination, str(rng.choice(reducer_names())), rng, engine)
    if rng.random() < CUT_SHORT:
        _cut_short(examination, rng, engine)
    if rng.random() < WRITTEN:
        written_and_read(examination, engine, MEDIUM_PATIENCE)
    if rng.random() < WRITTEN:
        written_by_engine(examination, rng, MEDIUM_PATIENCE)
    if rng.random() < TARGETED:
        _aim(examination, rng, engine, MEDIUM_PATIENCE)


def fits_free_licence(statement: Statement) -> bool:
    """Whether one model of all scenarios has at most 2,000 rows and variables."""
    size, rows, m = statement.W.shape
    return bool(max(size * (rows + 1), size * m + len(statement.c)) < 1_900)


def _aim(examination: Examination, rng: np.random.Generator, engine: str, time_limit: float) -> None:
    """As few scenarios as a target needs."""
    problem, name, percent = examination.case.problem, str(rng.choice(reducer_names())), int(rng.choice([1, 5]))
    refine = bool(rng.random() < REFINED)
    examination.ask(
        f"{name} to {percent}%{' refined' * refine}, {engine}",
        lambda: nr.solve(problem, name, f"{percent}%", solver=engine, refine=refine, time_limit=time_limit),
        reaches(percent),
        time_limit=time_limit,
        may_refuse=True,
    )


def _reduce_medium(examination: Examination, name: str, rng: np.random.Generator, engine: str) -> None:
    problem, budget = examination.case.problem, int(rng.integers(1, 5))

    def check(examination: Examination, call: str, report: Claims) -> None:
        certified(examination, call, report)
        if report.x is not None:
            no_worse_than_own_decision(engine, MEDIUM_PATIENCE)(examination, call, report)

    examination.ask(
        f"{name} {budget}, {engine}",
        lambda: nr.solve(problem, name, budget, solver=engine, time_limit=MEDIUM_PATIENCE),
        check,
        time_limit=MEDIUM_PATIENCE,
        may_refuse=True,
    )


def _engine(rng: np.random.Generator) -> str:
    return str(rng.choice(engine_names()))


def _solve_and_evaluate(examination: Examination, engine: str, gap: float, time_limit: float = PATIENCE) -> None:
    case = examination.case
    report = examination.ask(
        f"solve to {gap:g}, {engine}",
        lambda: nr.solve(case.problem, gap=gap, solver=engine, time_limit=time_limit),
        optimal_within(gap),
        time_limit=time_limit,
    )
    if case.decision is not None:
        _evaluate(examination, case.decision, engine)
    if report is not None and report.x is not None:
        x = np.asarray(report.x)
        evaluation = _evaluate(examination, x, engine)
        # Families have recourse variables of their own, which the statement does not know.
        if evaluation is not None and math.isfinite(evaluation.worst_case) and case.problem.family == "generic":
            worst = evaluation.worst_scenario
            examination.ask(f"recourse, {engine}", lambda: evaluation.recourse(worst), recourse_of(x, worst))


def _evaluate(examination: Examination, x: Floats, engine: str) -> Evaluation | None:
    problem = examination.case.problem
    answer: Evaluation | None = examination.ask(
        f"evaluate, {engine}", lambda: nr.evaluate(problem, x, solver=engine), evaluated(x)
    )
    return answer


def _reduce(examination: Examination, name: str, rng: np.random.Generator) -> None:
    problem, engine, seed = examination.case.problem, _engine(rng), int(rng.integers(100))
    budget = int(rng.choice([1, 2, problem.num_scenarios, problem.num_scenarios + 2]))
    options: dict[str, Any] = {"solver": engine, "seed": seed, "refine": bool(rng.random() < REFINED)}
    examination.ask(
        f"{name} {budget}{' refined' * options['refine']}, {engine}",
        lambda: nr.solve(problem, name, budget, time_limit=PATIENCE, **options),
        optimal_within(1e-4) if options["refine"] else _reduced_well(engine),
        time_limit=PATIENCE,
        may_refuse=True,
    )
    if rng.random() < ASKED_ALONE:
        examination.ask(
            f"{name} {budget}, reduction",
            lambda: get_reducer(name).reduce(problem, budget, seed=seed),
            reduction_is_true,
            may_refuse=True,
        )


def _reduced_well(engine: str) -> Callable[[Examination, str, Claims], None]:
    """A rule: what holds of every reduced answer, and that the reduced problem's own decision is no better."""

    def check(examination: Examination, call: str, report: Claims) -> None:
        reduced(examination, call, report)
        if report.x is not None:
            no_worse_than_own_decision(engine, PATIENCE)(examination, call, report)

    return check


def _verify(examination: Examination, rng: np.random.Generator) -> None:
    first, second = rng.permutation(engine_names())[:2].tolist()

    def check(examination: Examination, call: str, report: Claims) -> None:
        known = len(examination.findings)
        optimal_within(1e-4)(examination, call, report)
        disputed = report.verification is not None and report.verification.agrees is False
        if len(examination.findings) == known and not examination.truth.hinges:
            examination.require(not disputed, call, f"a right answer is called {report.verification}")

    examination.ask(
        f"solve, {first}, verified by {second}",
        lambda: nr.solve(examination.case.problem, solver=first, verify=second, time_limit=PATIENCE),
        check,
        time_limit=PATIENCE,
    )


def _cut_short(examination: Examination, rng: np.random.Generator, engine: str) -> None:
    problem, limit = examination.case.problem, float(rng.choice([0.0, 0.001, 0.01]))
    method: dict[str, Any] = {"reducer": str(rng.choice(reducer_names())), "budget": 2, "refine": True}
    method = method if rng.random() < 0.5 else {}
    examination.ask(
        f"solve within {limit:g} s, {method.get('reducer', 'exact')}, {engine}",
        lambda: nr.solve(problem, **method, solver=engine, time_limit=limit),
        certified,
        time_limit=limit,
        may_refuse=True,
    )


def _cut_short_large(examination: Examination, rng: np.random.Generator) -> None:
    """The same scenarios over and over: the truth stays, but evaluating a decision takes longer than the limit."""
    size, engine, limit = examination.case.problem.num_scenarios, _engine(rng), float(rng.choice([0.05, 0.3]))
    problem = with_repeated_scenarios(examination.case, -(-MANY // size))
    method: dict[str, Any] = {"reducer": str(rng.choice(reducer_names())), "budget": 3}
    method = method if rng.random() < 0.6 else {}

    def check(examination: Examination, call: str, report: Claims) -> None:
        worst = None if report.worst_scenario is None else report.worst_scenario % size
        infeasible = tuple(sorted({s % size for s in report.infeasible_scenarios}))
        checked = report.num_checked // (problem.num_scenarios // size)  # all of them, or fewer than all
        once = replace(report, worst_scenario=worst, infeasible_scenarios=infeasible, num_checked=checked)
        certified(examination, call, once)

    examination.ask(
        f"{problem.num_scenarios} scenarios within {limit:g} s, {method.get('reducer', 'exact')}, {engine}",
        lambda: nr.solve(problem, **method, solver=engine, time_limit=limit),
        check,
        time_limit=limit,
        may_refuse=True,
    )
