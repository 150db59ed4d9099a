"""
Run a command again and again, each time killed (-9) at a random moment, and in the end to its end.

    python -m tests.faults.kills WATCHED KILLS PAUSE SEED COMMAND...

The command runs in forks of one process that has loaded the package but solved nothing. A fork is killed a random time,
at most PAUSE seconds, after it has changed the file WATCHED, that is, while it stores one thing after the other.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path

from experiments import commands
from neurprise import cli

_SECONDS_TO_A_CHANGE = 120.0


def run(argv: list[str]) -> int:
    """`neurprise ...`, or `python -m experiments ...` where the first word is experiments."""
    return commands.main(argv[1:]) if argv[0] == "experiments" else cli.main(argv)


def killed_while_writing(argv: list[str], watched: Path, pause: float) -> bool:
    """One run; False when it ended by itself before the kill."""
    before, child = _state(watched), os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os._exit(run(argv))
    patience = time.monotonic() + _SECONDS_TO_A_CHANGE
    while _state(watched) == before and time.monotonic() < patience:
        if os.waitpid(child, os.WNOHANG)[0]:
            return False
        time.sleep(0.0005)
    time.sleep(pause)
    os.kill(child, signal.SIGKILL)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def _state(path: Path) -> tuple[int, int] | None:
    """Changes with every write; None while there is nothing in the file."""
    try:
        found = path.stat()
    except OSError:
        return None
    return (found.st_size, found.st_mtime_ns) if found.st_size else None


if __name__ == "__main__":
    watched, kills, longest, seed, *command = sys.argv[1:]
    draw = random.Random(int(seed))
    done = [killed_while_writing(command, Path(watched), draw.uniform(0.0, float(longest))) for _ in range(int(kills))]
    print(sum(done), flush=True)
    sys.exit(run(command))
