"""Readings in a process of their own: SCIP's reader ends the process on some files (a row called `$x` in MPS)."""

from __future__ import annotations

import multiprocessing
from multiprocessing.connection import Connection
from pathlib import Path

from experiments.judges.model_files.readers import ENGINES, NotLinearError, canonical
from experiments.judges.model_files.writers import silence
from neurprise.io.linear import LinearModel

#: Longest time for one file, in seconds; then the reader counts as broken.
_PATIENCE = 20.0


class EngineReaders:
    """Asks the engines' readers for their models; a reader that breaks has refused the file."""

    def __init__(self) -> None:
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_answer, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()

    def close(self) -> None:
        self._process.kill()
        self._process.join()

    def read(self, path: Path) -> dict[str, LinearModel | None]:
        """What each engine reads that does not refuse the file; None for features that are not linear."""
        answers = {engine: self._ask(engine, path) for engine in ENGINES}
        return {engine: None if a == "not linear" else a for engine, a in answers.items() if a != "refused"}  # type: ignore[misc]

    def _ask(self, engine: str, path: Path) -> LinearModel | str:
        try:
            self._pipe.send((engine, path))
            if self._pipe.poll(_PATIENCE):
                answer: LinearModel | str = self._pipe.recv()
                return answer
        except (EOFError, OSError):
            pass
        self.close()
        self._start()
        return "refused"


def _answer(pipe: Connection) -> None:
    """Read what is asked for until the process is ended."""
    while True:
        engine, path = pipe.recv()
        try:
            with silence():
                model = ENGINES[engine](path)
            pipe.send("refused" if model is None else canonical(model))
        except NotLinearError:
            pipe.send("not linear")
        except Exception:
            pipe.send("refused")
