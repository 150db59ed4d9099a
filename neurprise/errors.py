"""Every error and warning a user can meet, each with one sentence: the rule, the value that came, the remedy."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing itself would have to load
    from collections.abc import Iterable
    from typing import Any

_LONGEST_WORD = 100
_LONGEST_SENTENCE = 1200
#: Lists of known names show this many, and search the first so many for a near miss.
_SHOWN = 5
_COMPARED = 20_000
#: Controls but line ends and tabs, signs without width, and signs that turn the direction of writing.
_HIDDEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    r"\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


class InputWarning(UserWarning):
    """The data can be used, but something in them looks like a mistake."""

    def __init__(self, sentence: str) -> None:
        super().__init__(visible(sentence))


class InputError(ValueError):
    """The caller's data, options or files break a rule; nothing was computed."""

    def __init__(self, sentence: str) -> None:
        super().__init__(_readable(sentence))


class FormatError(InputError):
    """A file is corrupt, foreign, or says something this package cannot represent."""


class InfeasibleProblemError(InputError):
    """
    No first-stage decision survives every scenario.

    Parameters
    ----------
    scenarios
        Scenarios that leave no decision together.
    conflict
        Rows and bounds that cannot be kept together, by name; None where time did not suffice to find them.
    """

    def __init__(self, sentence: str, scenarios: tuple[int, ...] = (), conflict: Any = None) -> None:
        super().__init__(sentence)
        self.scenarios = scenarios
        self.conflict = conflict


class UnboundedProblemError(InputError):
    """The cost can fall without limit."""


class NotApplicableError(InputError):
    """The method is sound, but not for this problem."""


class MissingDependencyError(InputError, ImportError):
    """An optional package is needed; the sentence says how to install it."""


class CheckpointError(InputError):
    """A checkpoint is corrupt, foreign, or was trained for another family."""


class StorageError(OSError):
    """A disk is full or fails; the sentence says what is kept."""


class WorkersError(RuntimeError):
    """Worker processes or a cluster cannot do the work; the sentence says which part of it."""


class EngineError(RuntimeError):
    """An engine failed or answered with a status that is not understood."""


def _readable(sentence: str) -> str:
    """One line of bounded length, whatever values it quotes; the rule at its head and the remedy at its end stay."""
    words = (word if len(word) <= _LONGEST_WORD else f"{word[:_LONGEST_WORD]}..." for word in sentence.split())
    line = visible(" ".join(words))
    return (
        line
        if len(line) <= _LONGEST_SENTENCE
        else f"{line[: _LONGEST_SENTENCE // 2]} ... {line[-_LONGEST_SENTENCE // 3 :]}"
    )


def visible(text: str) -> str:
    """The text with everything that cannot be seen spelled out, so that no name looks like another: a\\u200bb."""
    return _HIDDEN.sub(lambda sign: sign[0].encode("unicode_escape").decode(), text)


def near_miss(name: str, known: Iterable[str]) -> str:
    """What to say after an unknown name: the closest known one, or what is known."""
    close = _closest(name, known)
    return f"did you mean {close!r}?" if close is not None else f"known are {listed(known)}"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A question in brackets where one of the known names is close; else nothing."""
    close = _closest(name, known)
    return f" (did you mean {close!r}?)" if close is not None else ""


def listed(names: Iterable[str]) -> str:
    """The first few names in quotes, and how many there are when that is not all."""
    everything = list(names)
    shown = ", ".join(map(repr, everything[:_SHOWN]))
    return shown if len(everything) <= _SHOWN else f"{shown}, ... ({len(everything)} in all)"


def _closest(name: str, known: Iterable[str]) -> str | None:
    import difflib
    from itertools import islice

    folded = {text.casefold(): text for text in reversed(list(islice(known, _COMPARED)))}
    close = difflib.get_close_matches(name.strip().casefold(), folded, n=1)
    return folded[close[0]] if close else None


def counted(count: int, noun: str) -> str:
    """`1 solve`, `2 solves`, `1,200 scenarios`; the noun in the singular, made plural by an s at its end."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def part_of(part: int, whole: int, noun: str) -> str:
    """`1 of 1 scenario`, `2 of 1,200 scenarios`."""
    return f"{part:,} of {counted(whole, noun)}"
