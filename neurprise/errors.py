"""Every error and warning a user can meet, each with one sentence: the rule, the value that came, the remedy."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from neurprise.infeasible import Conflict

_LONGEST_WORD = 100
_LONGEST_SENTENCE = 1200


class InputWarning(UserWarning):
    """The data can be used, but something in them looks like a mistake."""


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

    def __init__(self, sentence: str, scenarios: tuple[int, ...] = (), conflict: Conflict | None = None) -> None:
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
    line = " ".join(words)
    return (
        line
        if len(line) <= _LONGEST_SENTENCE
        else f"{line[: _LONGEST_SENTENCE // 2]} ... {line[-_LONGEST_SENTENCE // 3 :]}"
    )
