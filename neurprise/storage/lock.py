"""One writer at a time; the operating system drops the lock when its process ends."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from neurprise.errors import InputError

_LOCK = ".lock"


@contextmanager
def holding(folder: Path) -> Iterator[None]:
    """Lock a folder for this process, creating it if necessary; other processes are refused."""
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        lock(descriptor, folder)
        yield
    finally:
        os.close(descriptor)


def lock(descriptor: int, path: Path, wait: bool = False) -> None:
    """
    Hold the open file for this process until it is closed; systems without file locks go without.

    Parameters
    ----------
    path
        The path in the error message.
    wait
        Wait for another writer instead of refusing; for writers that soon end.
    """
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        raise InputError(f"another process is writing {path}; wait for it or choose another place.") from None
