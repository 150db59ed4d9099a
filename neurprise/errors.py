"""Every error and warning a user can meet, each with one sentence: the rule, the value that came, the remedy."""


class InputWarning(UserWarning):
    """The data can be used, but something in them looks like a mistake."""


class InputError(ValueError):
    """The caller's data, options or files break a rule; nothing was computed."""


class FormatError(InputError):
    """A file is corrupt, foreign, or says something this package cannot represent."""


class InfeasibleProblemError(InputError):
    """No first-stage decision survives every scenario."""


class UnboundedProblemError(InputError):
    """The cost can fall without limit."""


class NotApplicableError(InputError):
    """The method is sound, but not for this problem."""


class MissingDependencyError(InputError, ImportError):
    """An optional package is needed; the sentence says how to install it."""


class CheckpointError(InputError):
    """A checkpoint is corrupt, foreign, or was trained for another family."""


class EngineError(RuntimeError):
    """An engine failed or answered with a status that is not understood."""
