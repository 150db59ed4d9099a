"""
Machine code on disk: it is read from whichever folder has it and written to the first that takes it.

So one user can warm an installation for others who may only read it. numba's own cache has one folder for each
function and fails if that is not writeable. A folder is locked while it is read or
written, because an index and its code are two files.
"""

from __future__ import annotations

import inspect
import logging
import os
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from numba import config, njit
from numba.core import caching, event
from numba.misc.appdirs import user_cache_dir

from neurprise.clock import compiling
from neurprise.compiled import Compiler, compilers
from neurprise.progress import tell

if sys.platform != "win32":
    import fcntl


@dataclass(frozen=True)
class Folder:
    """
    A place for machine code; a process that can write there can run code with our rights.

    Parameters
    ----------
    path
        Made when something is first written.
    private
        Used only while it belongs to us and no other user may write to it.
    """

    path: Path
    private: bool = False

    @property
    def is_trusted(self) -> bool:
        if not self.private or sys.platform == "win32":  # where a user's folders are closed to others
            return True
        try:
            found = self.path.lstat()
        except OSError:
            return False
        return stat.S_ISDIR(found.st_mode) and found.st_uid == _user_number() and not found.st_mode & 0o022


def folders(source: Path) -> list[Folder]:
    """Where code of a source file may be stored, best first; NUMBA_CACHE_DIR, if set, is the only place."""
    place = sha256(str(source.parent).encode()).hexdigest()[:16]
    if config.CACHE_DIR:
        return [Folder(Path(config.CACHE_DIR, f"neurprise-{place}"))]
    private = [Path(user_cache_dir("neurprise", False), place)]
    with suppress(OSError):  # no temporary folder is usable
        temporary = Path(tempfile.gettempdir())
        if temporary != Path.cwd():  # the last resort of `tempfile`
            private.append(temporary / f"neurprise-{_user_number()}-{place}")
    users = [Folder(path, private=True) for path in private if path.is_absolute()]  # "~" stays where there is no home
    return [Folder(source.parent / "__pycache__"), *users]


class StoredCode:
    """
    The code of one function, for any number of signatures; takes the place of a dispatcher's cache in numba.

    Parameters
    ----------
    function
        Before compiling.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.cache_path: str | None = None
        """The folder last read from or written to."""
        self._shelves: list[_Shelf] = []
        with suppress(OSError):  # a source in a zip archive is compiled by every process
            self._shelves = [_Shelf(function, folder) for folder in folders(Path(inspect.getfile(function)).absolute())]

    def load_overload(self, signature: Any, target: Any) -> Any:
        """The compiled function, or None if no folder has it."""
        with compiling:
            for shelf in self._shelves:
                code = shelf.load_overload(signature, target)
                if code is not None:
                    self.cache_path = shelf.cache_path
                    return code
        return None

    def save_overload(self, signature: Any, code: Any) -> None:
        """Into the first folder that takes it."""
        with compiling:
            for shelf in self._shelves:
                if shelf.save_overload(signature, code):
                    self.cache_path = shelf.cache_path
                    return
        _warn_that_nothing_is_stored()


class _Shelf(caching.FunctionCache):  # type: ignore[misc]  # numba has no types
    """One function's code in one folder; errors of reading and writing count as missing code."""

    def __init__(self, function: Callable[..., Any], folder: Folder) -> None:
        self._folder = folder
        self._impl_class = partial(_Implementation, folder=folder.path)
        super().__init__(function)

    def load_overload(self, signature: Any, target: Any) -> Any:
        if not self._folder.is_trusted:
            return None
        with _locked(self._folder.path):
            try:
                return super().load_overload(signature, target)
            except OSError:
                return None
            except Exception:  # unpickling a damaged file may raise anything
                with suppress(OSError):
                    self.flush()
                return None

    def save_overload(self, signature: Any, code: Any) -> bool:
        try:
            self._folder.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not self._folder.is_trusted:
                return False
            with _locked(self._folder.path):
                super().save_overload(signature, code)
        except OSError:
            return False
        return True


class _Implementation(caching.CompileResultCacheImpl):  # type: ignore[misc]
    """numba's way of storing a compiled function, in a given folder."""

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self._locator_classes = [_Locator(folder)]
        super().__init__(function)


class _Locator(caching._SourceFileBackedLocatorMixin, caching._CacheLocator):  # type: ignore[misc]
    """Tells numba the folder; code counts as fresh while the source file has the same content."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def from_function(self, function: Callable[..., Any], source: str) -> _Locator:
        """Called by numba on each of its locator classes until one of them answers."""
        self._py_file, self._lineno = source, function.__code__.co_firstlineno
        return self

    def get_cache_path(self) -> str:
        return str(self._folder)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Keep out other processes, where the folder can be written and the system has such locks."""
    try:
        file = (folder / ".neurprise.lock").open("a")
    except OSError:
        yield
        return
    with file:
        if sys.platform != "win32":
            with suppress(OSError):
                fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _user_number() -> int:
    return 0 if sys.platform == "win32" else os.getuid()


@cache
def _warn_that_nothing_is_stored() -> None:
    tell(
        "no folder for compiled code can be written, so every process compiles anew; set NUMBA_CACHE_DIR to one",
        logging.WARNING,
    )


def build(function: Callable[..., Any], **options: bool) -> Any:
    """A dispatcher of the function; under NUMBA_DISABLE_JIT the function itself."""
    made = njit(**options)(function)
    if made is not function:
        # Instead of `njit(cache=True)`, which fails without a writeable folder.
        made._cache = StoredCode(function)
    return made


class _Compilations(event.Listener):  # type: ignore[misc]  # numba has no types
    """Runs the compile clock and keeps the accounts of each module's compiler; numba compiles one at a time."""

    def __init__(self) -> None:
        self._under_way: list[tuple[Compiler | None, float]] = []

    def on_start(self, started: Any) -> None:
        compiler = compilers.get(started.data["dispatcher"].py_func.__module__)
        self._under_way.append((compiler, time.perf_counter()))
        compiling.__enter__()
        if compiler is not None:
            compiler.begin()

    def on_end(self, ended: Any) -> None:
        if not self._under_way:  # an interrupt came before the start was noted
            return
        compiling.__exit__(None, None, None)
        compiler, start = self._under_way.pop()
        if compiler is not None and not self._under_way:  # a function's seconds include those of what it calls
            compiler.seconds_spent += time.perf_counter() - start


event.register("numba:compile", _Compilations())
