"""A first-stage decision in whatever form a caller has it: numbers, names, a report, or a file of an earlier answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from neurprise.arrays import Floats
from neurprise.errors import InputError
from neurprise.io.solution import parse_solution
from neurprise.problem import TwoStageProblem
from neurprise.problem.rules import check_first_stage


def decision_from(problem: TwoStageProblem, source: Any, role: str) -> Floats:
    """
    The decision as a vector that keeps the first stage's rules, shape (n,).

    Parameters
    ----------
    source
        Numbers in order, a dict or Series by name, a Report, or the path of a JSON or CSV file with one of these.
    role
        What the caller calls the decision, for messages.
    """
    try:
        x = problem.decision_vector(_unwrapped(source))
        check_first_stage(problem, x)
    except InputError as error:
        raise InputError(f"{role}: {error}") from None
    return x


def _unwrapped(source: Any) -> Any:
    if hasattr(source, "worst_case") and hasattr(source, "x"):  # a Report, which stands on this room
        if source.x is None:
            raise InputError("the report holds no decision, because none was found in time; pass another.")
        return source.x
    if isinstance(source, str | Path):
        path = Path(source)
        if not path.is_file():
            raise InputError(f"a decision given as a text must be the path of a JSON or CSV file, got {str(source)!r}.")
        return parse_solution(str(source), path.read_bytes())
    return source
