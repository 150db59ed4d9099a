"""`neurprise warm`: compile everything in advance, so that no later run waits for it."""

from __future__ import annotations

import argparse
from contextlib import suppress
from typing import Any

import neurprise as nr
from neurprise.cli.exits import OK
from neurprise.cli.options import new_command
from neurprise.cli.output import aligned, emit
from neurprise.clock import compiling
from neurprise.compiled import compilers, without_numpy
from neurprise.errors import counted
from neurprise.problems import family_names, get_family

_DETAILS = """\
Compile everything in advance by solving a tiny problem of every kind. Without this, each command compiles a
function at its first use. The machine code is stored in the package's own folder if it is writable, otherwise in the
user's cache folder or in NUMBA_CACHE_DIR. With PyTorch installed, the functions for training are compiled as well."""


def add_parser(commands: Any, summary: str) -> None:
    parser = new_command(commands, "warm", summary, _DETAILS, "neurprise warm")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Compile; report the functions, the time and the folders."""
    warm_up()
    compiled = {each.label: _account(each.num_compiled, each.seconds_spent) for each in compilers.values()}
    data = {"compiled": compiled, "seconds": compiling.seconds, "folders": folders()}
    emit(args, _text(data), data)
    return OK


def warm_up() -> None:
    """Call every compiled function the way solving, reducing and, with PyTorch, training call it."""
    problems = [problem for name in family_names() for problem in get_family(name).small_instances()]
    with without_numpy():
        for problem in problems:
            nr.solve(problem)
            nr.solve(problem, "prise", 2)
            nr.solve(problem, "neurprise", 2)
    with suppress(ImportError):  # no PyTorch, no training
        for problem in problems:
            _train(problem)


def folders() -> list[str]:
    """Where the compiled functions used so far are stored."""
    found = {function.folder for compiler in compilers.values() for function in compiler.functions}
    return sorted(folder for folder in found if folder is not None)


def _train(problem: nr.TwoStageProblem) -> None:
    """Half a step of training in every encoding, and the scores of that network."""
    from neurprise.networks.scoring import ModelConfig
    from neurprise.networks.view import ENCODINGS, encode
    from neurprise.training.model import ScenarioScorer

    for encoding in ENCODINGS:
        graph = encode(problem, encoding)
        network = ScenarioScorer(ModelConfig(problem.family, graph.num_features, encoding, hidden=8, embedding=8))
        network([graph]).sum().backward()
        network.scorer().scores(graph)


def _account(functions: int, seconds: float) -> dict[str, float]:
    return {"functions": functions, "seconds": seconds}


def _text(data: dict[str, Any]) -> str:
    rows = {
        label: f"{counted(each['functions'], 'function')} in {each['seconds']:.1f} s"
        if each["functions"]
        else "already stored"
        for label, each in data["compiled"].items()
    }
    rows["all, loading included"] = f"{data['seconds']:.1f} s"
    rows["stored in"] = ", ".join(data["folders"]) or "no folder"
    return aligned(rows)
