"""numba's dispatchers: where their code is stored, and what is known while they compile."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from numba import njit
from numba.core import event

from neurprise.clock import compiling
from neurprise.compiled import Compiler, compilers
from neurprise.compiled.storage import StoredCode


def build(function: Callable[..., Any], **options: bool) -> Any:
    """A dispatcher of the function; under NUMBA_DISABLE_JIT the function itself."""
    made = njit(**options)(function)
    if made is not function:
        # In the place of `njit(cache=True)`, which fails where no folder can be written.
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
