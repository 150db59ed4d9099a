"""A smallest conflicting part of something that conflicts as a whole, by asking about parts [Junker 2004]."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from neurprise.clock import OutOfTimeError
from neurprise.errors import EngineError

Part = TypeVar("Part")


class Minimum(Generic[Part]):
    """
    One search by QuickXplain; few questions where few parts conflict: about k log(n / k) for k of n.

    Parameters
    ----------
    conflicting
        Whether some parts conflict; may raise OutOfTimeError. More parts never conflict less.
    whole
        All parts; together they conflict.
    """

    def __init__(self, conflicting: Callable[[Sequence[Part]], bool], whole: Sequence[Part]) -> None:
        self._conflicting = conflicting
        self.smallest = list(whole)

    def search(self) -> bool:
        """Make `smallest` as small as time allows; True if no part of it can be left out."""
        try:
            if not self._conflicts([]):
                self.smallest = self._needed([], self.smallest, background_grew=False)
        except (OutOfTimeError, EngineError):
            return False
        return True

    def _needed(self, background: list[Part], candidates: list[Part], background_grew: bool) -> list[Part]:
        """The candidates that, with the background, conflict, and none of which can be left out."""
        if background_grew and self._conflicts(background):
            return []
        if len(candidates) == 1:
            return candidates
        half = len(candidates) // 2
        first, second = candidates[:half], candidates[half:]
        of_second = self._needed([*background, *first], second, background_grew=True)
        of_first = self._needed([*background, *of_second], first, background_grew=bool(of_second))
        return [*of_first, *of_second]

    def _conflicts(self, parts: list[Part]) -> bool:
        conflicts = self._conflicting(parts)
        if conflicts and len(parts) < len(self.smallest):
            self.smallest = parts
        return conflicts
