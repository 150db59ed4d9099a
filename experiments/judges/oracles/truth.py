"""
One rule for tolerances: when a claimed number counts as right.

Engines may miss rows and bounds by 1e-6 (relative to limits above 1). So a claim is right if it is within ACCURACY of
the true value (relative above 1), or differs from it by no more than relaxing all limits by SLACK changes the value.
Only problems whose answer hinges on less than that have room there. Where costs differ by many orders of magnitude that
room would excuse everything, for a price of 1e9 makes 3000 of it: such problems are made of numbers that floats hold
exactly, and their limits hold exactly.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property

from experiments.judges.oracles import ROUNDING, Judge
from experiments.judges.oracles.large import LargeJudge
from experiments.judges.random_problems.case import Case
from experiments.judges.random_problems.statement import Statement

ACCURACY = 2e-6
#: A decision may miss first-stage limits by 1e-6 and its recourse rows by as much again.
SLACK = 3e-6
#: Where limits hold exactly, they are missed by this much because x is a float.
FLOAT_SLACK = 1e-10

AnyJudge = Judge | LargeJudge
Question = Callable[[AnyJudge], float]


def whole_value(judge: AnyJudge) -> float:
    """V(all) as a question to a judge."""
    return judge.value()


class UndecidedError(Exception):
    """The judges do not know the true value."""


class Truth:
    """
    The true values of a statement, and those with relaxed limits, which are found when first asked for.

    Parameters
    ----------
    judge_with
        A judge of the statement with its limits moved apart by this much.
    rounding, slack
        How far limits are moved apart for the truth, and for what engines' tolerances may make of it.
    """

    def __init__(self, judge_with: Callable[[float], AnyJudge], rounding: float = ROUNDING, slack: float = SLACK):
        self._judge_with = judge_with
        self._slack = slack
        self.judge = judge_with(rounding)
        self.hinges = False
        """Whether some claim was accepted only because the answer hinges on less than SLACK."""

    def is_value(self, claim: float, question: Question, extra: float = 0.0) -> bool:
        """Whether the claim is the answer, up to tolerances; it may exceed it by `extra`."""
        return self.is_at_least(claim, question) and self.is_at_most(claim - extra, question)

    def is_at_least(self, claim: float, question: Question) -> bool:
        """Whether claim >= the true value, up to tolerances."""
        value = self.known(question)
        if claim >= value - margin(value):
            return True
        relaxed = self.relaxed(question)
        return self._hinging(claim >= relaxed - margin(relaxed))

    def is_at_most(self, claim: float, question: Question) -> bool:
        """Whether claim <= the true value, up to tolerances."""
        value = self.known(question)
        if claim <= value + margin(value):
            return True
        return self._hinging(claim <= value + self._change(question) + margin(value))

    def is_sharp(self, question: Question) -> bool:
        """Whether relaxing all limits by SLACK leaves the answer as it is."""
        return not self._hinging(self._change(question) > margin(self.known(question)))

    def known(self, question: Question, judge: AnyJudge | None = None) -> float:
        """The answer; raises UndecidedError where the judges have none."""
        answer = question(judge or self.judge)
        if math.isnan(answer):
            raise UndecidedError
        return answer

    def relaxed(self, question: Question) -> float:
        """The answer when all limits are relaxed by `slack`."""
        return self.known(question, self._loose)

    def _change(self, question: Question) -> float:
        """How much relaxing all limits lowers the answer; inf where it makes it finite."""
        value, relaxed = self.known(question), self.relaxed(question)
        return 0.0 if value == relaxed else value - relaxed

    def _hinging(self, accepted: bool) -> bool:
        self.hinges |= accepted
        return accepted

    @cached_property
    def _loose(self) -> AnyJudge:
        return self._judge_with(self._slack)


def truth_of(statement: Statement) -> Truth:
    """The truth about a small problem of ordinary numbers."""
    return Truth(lambda slack: Judge(statement, slack))


def truth_of_case(case: Case) -> Truth:
    """The truth about a random problem, by the judge that its size and its numbers ask for."""
    if case.medium:
        return Truth(lambda slack: LargeJudge(case.statement, slack, case.eased))
    if case.exact:
        # Decisions that are not whole are rounded to a float, so limits cannot hold exactly.
        slack = 0.0 if case.statement.x_integer.all() else FLOAT_SLACK
        return Truth(lambda slack: Judge(case.statement, slack, exact=True), 0.0, slack)
    return truth_of(case.statement)


def margin(value: float) -> float:
    """How far from this true value a claim may be."""
    return ACCURACY * max(1.0, abs(value)) if math.isfinite(value) else 0.0
