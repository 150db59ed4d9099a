"""What must hold of a reduction: its indices, gains and guarantee, and PRISE's trace against Algorithm 1."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from experiments.baselines.naive_prise import NaivePRISE
from experiments.judges.examining.examination import Examination
from experiments.judges.examining.rules import subset_value
from experiments.judges.oracles.truth import margin, whole_value
from neurprise.reducers import PRISE, Reducer, Reduction

#: PRISE calls closer values tied, relative to the value; engines are no more precise than twice that.
TIE = 2e-5


def reduction_is_true(examination: Examination, call: str, reduction: Reduction) -> None:
    """A rule: distinct scenarios; gains add up to V(R), the objective is V(R), and V(all) <= V(R) / guarantee."""
    truth, indices = examination.truth, list(reduction.indices)
    distinct = len(set(indices)) == len(indices) and set(indices) <= set(range(examination.case.problem.num_scenarios))
    examination.require(distinct and bool(indices), call, f"indices {indices} are not distinct scenarios")
    if reduction.objective is not None:
        right = truth.is_value(reduction.objective, subset_value(indices))
        value = truth.known(subset_value(indices))
        examination.require(right, call, f"objective {reduction.objective:.9g}, but V(R) is {value:.9g}")
    if reduction.gains is not None and reduction.objective is not None:
        reached = float(np.sum(reduction.gains))
        right = not math.isfinite(reduction.objective) or abs(reached - reduction.objective) <= margin(reached)
        examination.require(right, call, f"gains add up to {reached:.9g}, not to {reduction.objective:.9g}")
    if reduction.guarantee is not None:
        value, kept = truth.known(whole_value), truth.known(subset_value(indices))
        right = not math.isfinite(value) or reduction.guarantee * value <= kept + margin(value)
        examination.require(
            right, call, f"V(all) = {value:.9g} above V(R) / t = {kept:.9g} / {reduction.guarantee:.9g}"
        )


def compare_with_naive_trace(examination: Examination, engine: str, budget: int) -> None:
    """
    PRISE and Algorithm 1 as written, by the same engine: the same trace up to ties, and both greedy by the judge.

    Algorithm 1 adds and subtracts values, so it is asked only where all V({s}) and V(all) are finite.
    """
    problem = examination.case.problem
    values = [examination.truth.judge.value([s]) for s in range(problem.num_scenarios)]
    if not np.isfinite([*values, examination.truth.judge.value()]).all():
        return

    def trace(method: Reducer) -> Reduction | None:
        call = f"{method.name} trace, {engine}"
        return examination.ask(call, lambda: method.reduce(problem, budget), is_greedy(budget))

    traces = trace(PRISE(solver=engine)), trace(NaivePRISE(solver=engine))
    if None not in traces:
        examination.ask(f"prise against naive, {engine}", lambda: traces, same_trace)


def is_greedy(budget: int) -> Callable[[Examination, str, Reduction], None]:
    """A rule: every step took a scenario of largest V(R + {j}), and the method stopped only where none rises."""

    def check(examination: Examination, call: str, reduction: Reduction) -> None:
        reduction_is_true(examination, call, reduction)
        if reduction.stopped_by is not None:
            examination.find("numerical limit", call, f"cut short: {reduction.stopped_by}")
            return
        size = examination.case.problem.num_scenarios
        for k in range(min(budget, size)):
            kept = reduction.indices[:k]
            others = [j for j in range(size) if j not in kept]
            best = max(others, key=lambda j, kept=kept: examination.truth.known(subset_value([*kept, j])))
            # Where the method stopped, no candidate may raise V(R).
            _require_tie(examination, call, (*kept, best), reduction.indices[: k + 1])

    return check


def same_trace(examination: Examination, call: str, traces: tuple[Reduction, Reduction]) -> None:
    """A rule: the same scenarios in the same order; the first difference must be a tie."""
    if any(trace.stopped_by is not None for trace in traces):
        return
    ours, naive = (trace.indices for trace in traces)
    first = next((k for k in range(max(len(ours), len(naive))) if ours[: k + 1] != naive[: k + 1]), None)
    if first is not None:
        _require_tie(examination, call, naive[: first + 1], ours[: first + 1])


def _require_tie(examination: Examination, call: str, best: Sequence[int], taken: Sequence[int]) -> None:
    """Both sets of scenarios have the same value, unless one of these values hinges on the engines' tolerance."""
    questions = subset_value(best), subset_value(taken)
    a, b = (examination.truth.known(question) for question in questions)
    if a == b or abs(a - b) <= TIE * max(1.0, abs(a)):
        return
    if all(examination.truth.is_sharp(question) for question in questions):
        examination.find("wrong", call, f"kept {list(taken)} of value {b:.9g} instead of {list(best)} of {a:.9g}")
