"""Standard output belongs to answers: what an engine's own code prints there would spoil `--json`."""

from __future__ import annotations

import os
import sys


def reserve_for_answers() -> None:
    """
    Let what Python prints go where it went; what compiled code writes to descriptor 1 goes to standard error.

    HiGHS up to 1.15.1 prints warnings of its postsolve there, with output switched off.
    """
    if sys.stdout is None:  # closed by the caller, as in `>&-`
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115  open until the exit, as below
    elif sys.stderr is not None:
        answers = os.dup(1)
        os.dup2(2, 1)
        sys.stdout = open(answers, "w", encoding=sys.stdout.encoding, errors=sys.stdout.errors)  # noqa: SIM115
