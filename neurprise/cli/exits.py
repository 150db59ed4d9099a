"""Exit codes, error messages and standard output. Every exception becomes a message here."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
import warnings

from neurprise.errors import InputError, InputWarning, StorageError, WorkersError, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from typing import TextIO

OK = 0
FAILURE = 1
BAD_INPUT = 2
INTERRUPTED = 130

#: The receiver of our output is full.
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
_BAD_PATHS = (FileNotFoundError, FileExistsError, IsADirectoryError, NotADirectoryError, PermissionError)


class _Silent(io.TextIOBase):
    """Standard error under --quiet. It drops progress and warnings; errors go to `loud`."""

    def __init__(self, loud: TextIO) -> None:
        self.loud = loud

    def write(self, text: str) -> int:
        return len(text)


def complain(sentence: str) -> None:
    """One sentence on standard error."""
    print(f"neurprise: error: {visible(sentence)}", file=getattr(sys.stderr, "loud", sys.stderr))


def _remark(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: object = None,
    line: object = None,
) -> None:
    """A warning as one sentence on standard error, with its place in the code unless it is about the user's data."""
    where = "" if issubclass(category, InputWarning) else f" ({category.__name__}, {filename}, line {lineno})"
    print(f"neurprise: warning: {visible(str(message))}{where}", file=sys.stderr)


def guarded(run: Callable[[argparse.Namespace], int], args: argparse.Namespace) -> int:
    """The exit code of `run(args)`. Exceptions become messages, unless --traceback is given."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", InputWarning)
            warnings.showwarning = _remark
            with (
                contextlib.redirect_stderr(_Silent(sys.stderr))
                if getattr(args, "quiet", False)
                else contextlib.nullcontext()
            ):
                code = run(args)
        sys.stdout.flush()  # report a closed pipe here, not after main has returned
        return code
    except KeyboardInterrupt:
        complain("interrupted before anything was proved.")
        return INTERRUPTED
    except BrokenPipeError:
        return _reader_left()
    except Exception as error:
        if getattr(args, "traceback", False):
            raise
        return _explained(error)


def _explained(error: Exception) -> int:
    if isinstance(error, InputError):
        complain(str(error))
        return BAD_INPUT
    if isinstance(error, _BAD_PATHS) or (isinstance(error, OSError) and error.errno == errno.EROFS):
        complain(f"cannot use {error.filename!r}: {error.strerror}; check the path.")
        return BAD_INPUT
    if isinstance(error, StorageError | WorkersError):
        complain(str(error))
        return FAILURE
    if isinstance(error, OSError) and error.errno in _FULL and error.filename is None:
        complain(f"cannot write the answer to standard output ({error.strerror}); make room and run it again.")
        _drop_output()
        return FAILURE
    complain(f"{type(error).__name__}: {error} (rerun with --traceback to see where)")
    return FAILURE


def flushed(code: int) -> int:
    """Flush standard output and return the exit code, or the code for a failed flush."""
    try:
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        return _reader_left()
    except OSError as error:
        return _explained(error)


def _reader_left() -> int:
    """The reader of our output, such as `head`, has closed it."""
    _drop_output()
    return OK


def _drop_output() -> None:
    """Discard unwritten output; Python would try to write it again at exit and fail a second time."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def reserve_for_answers() -> None:
    """
    Keep standard output for Python's prints; redirect writes of compiled code to descriptor 1 to standard error.

    HiGHS up to 1.15.1 prints postsolve warnings there even with its output switched off, which would spoil --json.
    """
    if sys.stdout is None:  # closed by the caller, as in `>&-`
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115  open until exit, as below
    elif sys.stderr is not None:
        answers = os.dup(1)
        os.dup2(2, 1)
        sys.stdout = open(answers, "w", encoding=sys.stdout.encoding, errors=sys.stdout.errors)  # noqa: SIM115
