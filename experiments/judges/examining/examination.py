"""Questions put to the package about one random problem, and what came of them."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from experiments.judges.examining.claims import in_costs
from experiments.judges.oracles.truth import Question, Truth, UndecidedError, whole_value
from experiments.judges.random_problems import Case
from neurprise.errors import (
    CheckpointError,
    EngineError,
    InfeasibleProblemError,
    NotApplicableError,
    UnboundedProblemError,
)

#: Calls may take this many seconds longer than their limit.
OVERRUN = 1.0
#: Seconds after which a call without a limit counts as endless.
GIVE_UP = 60


@dataclass(frozen=True)
class Finding:
    """
    One rule that was broken.

    Parameters
    ----------
    sort
        "wrong", "exception", "overrun" or "worse" (than a decision at hand), which must not happen; "undecided", where
        the judges do not know; "numerical limit", where the package says itself that its engine's tolerances leave a
        gap open; "unfinished", where the time limit does, or an engine gives an evaluation up.
    call
        What was asked, e.g. "solve, scip".
    """

    sort: str
    call: str
    message: str


@dataclass
class Examination:
    """Everything found out about one problem; `ask` puts a question to the package and checks the answer."""

    case: Case
    truth: Truth
    findings: list[Finding] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)

    def ask(
        self,
        call: str,
        question: Callable[[], Any],
        check: Callable[[Examination, str, Any], None],
        *,
        time_limit: float = math.inf,
        may_refuse: bool = False,
        value: Question = whole_value,
    ) -> Any:
        """
        The answer, after `check` has looked at it; None where an error came, which must have the right meaning.

        Parameters
        ----------
        value
            What is infeasible or unbounded if such an error comes.
        """
        start, answer, error = time.perf_counter(), None, None
        try:
            with _given_up_after(GIVE_UP):
                answer = question()
        except _GivenUp:
            self.find("unfinished", call, f"no answer after {GIVE_UP} s")
            return None
        except Exception as caught:  # whatever comes is a finding
            error = caught
        seconds = time.perf_counter() - start
        self.answers.append(f"{call}: {seconds:.3f} s, {answer if error is None else repr(error)}")
        if seconds > time_limit + OVERRUN:
            self.find("overrun", call, f"took {seconds:.1f} s with a limit of {time_limit:g} s")
        try:
            if error is None:
                check(self, call, in_costs(answer, self.case.statement.maximize, self.case.money))
            elif not (may_refuse and isinstance(error, (NotApplicableError, CheckpointError))):
                self._check_error(call, error, value)
        except UndecidedError:
            self.find("undecided", call, "the judges do not know")
        return answer

    def require(self, holds: bool, call: str, message: str) -> None:
        if not holds:
            self.find("wrong", call, message)

    def find(self, sort: str, call: str, message: str) -> None:
        self.findings.append(Finding(sort, call, message))

    def _check_error(self, call: str, error: Exception, value: Question) -> None:
        """Infeasible and unbounded must be true; nothing else is wrong with these problems."""
        if isinstance(error, InfeasibleProblemError):
            right = self.truth.is_at_most(math.inf, value)
        elif isinstance(error, UnboundedProblemError):
            right = self.truth.is_at_least(-math.inf, value)
        else:
            # A search must return what it knows; an evaluation or Algorithm 1 whose engine gives up has nothing to
            # return, and two engines that contradict each other about the feasible region leave nothing proved.
            gave_up = isinstance(error, EngineError) and call.startswith(("evaluate", "naive"))
            disputed = isinstance(error, EngineError) and "verified by" in call
            sort = "unfinished" if gave_up else "numerical limit" if disputed else "exception"
            self.find(sort, call, f"{type(error).__name__}: {error}")
            return
        self.require(right, call, f"{type(error).__name__}, but the value is {self.truth.known(value):.9g}")


class _GivenUp(KeyboardInterrupt):
    """A call that has no end; as with Ctrl-C, engines are stopped before it goes on."""


@contextmanager
def _given_up_after(seconds: int) -> Iterator[None]:
    """Raise _GivenUp inside after so many seconds; only the main thread of a process can be interrupted so."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def give_up(*_: object) -> None:
        raise _GivenUp

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
