"""Workers that hold one problem and are asked about it again and again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from neurprise.clock import Deadline, OutOfTimeError
from neurprise.errors import InputError, WorkersError
from neurprise.parallel.pools import Pool, Workers
from neurprise.parallel.units import completed_in

#: Workers watch the time themselves; so many seconds later the caller does without those that have not answered.
SECONDS_OF_PATIENCE = 5.0


class Numbered(Protocol):
    """A question that knows its place among those asked together: 0, 1, ..."""

    @property
    def place(self) -> int: ...


class LastingWorkers:
    """
    Started at the first question, and again after one that was broken off.

    Parameters
    ----------
    work
        What answers a question, with the problem in it.
    """

    def __init__(self, workers: Workers, work: Callable[[Any], Any]) -> None:
        self._workers, self._work = workers, work
        self._pool: Pool | None = None

    def answers(self, questions: Sequence[Numbered], seconds: float) -> list[Any]:
        """
        The answers in the order of the questions, None where there is none in time.

        Whatever breaks the questions off, Ctrl-C too, makes the workers drop them.

        Parameters
        ----------
        seconds
            Until the deadline of the last question; inf for none.

        Raises
        ------
        WorkersError
            The workers cannot be had, or die at a question each time.
        """
        found: dict[int, Any] = {}
        try:
            for question, answer in completed_in(self._opened(), questions, Deadline(seconds + SECONDS_OF_PATIENCE)):
                found[question.place] = answer
        except OutOfTimeError:
            self.close()
        except BaseException:
            self.close()
            raise
        return [found.get(question.place) for question in questions]

    def close(self) -> None:
        """End the workers, if there are any, or let go of a cluster's."""
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.close(at_once=True)

    def _opened(self) -> Pool:
        if self._pool is None:
            try:
                self._pool = self._workers.pool(self._work)
            except InputError as error:  # the address was right when the search began
                raise WorkersError(str(error)) from None
        return self._pool
