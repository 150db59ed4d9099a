"""
Functions that numba compiles when they are first called, and never before: the only room that imports numba.

    compiled = Compiler("the vertex-cover oracle", seconds=7)

    @compiled
    def cover_costs(...): ...

Importing numba and compiling take seconds, so a function may have a numpy version with the same answers, which does
the work of small problems:

    @compiled.after(cover_costs_by_numpy)
    def cover_costs(...): ...

Machine code is stored in the first writeable folder (see `storage`), so each function is compiled once for an
installation. While it compiles, `clock.compiling` runs, and no time limit counts these seconds.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import update_wrapper
from typing import Any, TypeVar, cast

from neurprise.clock import compiling
from neurprise.progress import tell

_Function = TypeVar("_Function", bound=Callable[..., Any])
_building = threading.RLock()

#: Numpy versions answer until a function has taken this long in a process; loading or compiling it takes about as long.
SECONDS_OF_NUMPY = 1.0
#: The compilers of all modules imported so far, by module name.
compilers: dict[str, Compiler] = {}


class Compiler:
    """
    Decorates the functions of one module that are to be compiled.

    Parameters
    ----------
    label
        Their name in messages, e.g. "the vertex-cover oracle".
    seconds
        About how long compiling all of them takes.
    nogil
        Let other threads run Python meanwhile.
    """

    def __init__(self, label: str, *, seconds: int, nogil: bool = False) -> None:
        self.label = label
        self.functions: list[CompiledFunction] = []
        self.num_compiled = 0
        """Compiled by this process, once for every signature; loading stored code does not count."""
        self.seconds_spent = 0.0
        """Wall-clock seconds that took."""
        self._seconds = seconds
        self._nogil = nogil

    def __call__(self, function: _Function) -> _Function:
        return self._add(function, fastmath=False)

    def fastmath(self, function: _Function) -> _Function:
        """As a decorator: the same, allowed to reorder sums, so that loops run on whole vectors."""
        return self._add(function, fastmath=True)

    def after(self, plain: Callable[..., Any]) -> Callable[[_Function], _Function]:
        """
        As a decorator: compiled after `plain` has answered for SECONDS_OF_NUMPY.

        `plain` takes the same arguments, changes them alike, and may return NotImplemented for work that is too large.
        """
        return lambda function: self._add(function, fastmath=False, plain=plain)

    def begin(self) -> None:
        """Called when numba begins to compile one of them; the first time, prints a message."""
        if self.num_compiled == 0:
            tell(f"compiling {self.label}, once (about {self._seconds} s)")
        self.num_compiled += 1

    def _add(self, function: _Function, fastmath: bool, plain: Callable[..., Any] | None = None) -> _Function:
        compilers[function.__module__] = self
        self.functions.append(CompiledFunction(function, plain, nogil=self._nogil, fastmath=fastmath))
        return cast(_Function, self.functions[-1])


class CompiledFunction:
    """
    A function that is compiled at its first call.

    Arguments go by position. From Python a call takes about 0.1 microseconds more than one of numba's own; between
    compiled functions nothing, since numba asks for `_numba_type_` and calls the machine code.
    """

    def __init__(self, function: Callable[..., Any], plain: Callable[..., Any] | None = None, **options: bool) -> None:
        update_wrapper(self, function)
        self._plain = plain
        self._plain_seconds = 0.0
        self._function = function
        self._options = options
        self._call: Callable[..., Any] = self._first_call

    def __call__(self, *arguments: Any) -> Any:
        return self._call(*arguments)

    def __reduce__(self) -> str:
        """Pickled by its name, as functions are."""
        return self._function.__qualname__

    @property
    def dispatcher(self) -> Any:
        """numba's version of the function; numba is imported here, because that takes longer than most solves."""
        with _building, compiling:
            if self._call == self._first_call:
                from neurprise.compiled.storage import build

                self._call = build(self._function, **self._options)
        return self._call

    @property
    def folder(self) -> str | None:
        """Folder of its stored code; None before the first call, and if it is not stored."""
        stored = getattr(self._call, "_cache", None)
        return None if stored is None else stored.cache_path

    @property
    def _numba_type_(self) -> Any:
        return self.dispatcher._numba_type_

    def _first_call(self, *arguments: Any) -> Any:
        if self._plain is not None and self._plain_seconds < SECONDS_OF_NUMPY:
            start = time.perf_counter()
            answer = self._plain(*arguments)
            self._plain_seconds += time.perf_counter() - start
            if answer is not NotImplemented:
                return answer
        return self.dispatcher(*arguments)


@contextmanager
def without_numpy() -> Iterator[None]:
    """Inside, every function is compiled at its first call."""
    global SECONDS_OF_NUMPY
    before, SECONDS_OF_NUMPY = SECONDS_OF_NUMPY, 0.0
    try:
        yield
    finally:
        SECONDS_OF_NUMPY = before
