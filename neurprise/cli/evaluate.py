"""`neurprise evaluate FILE --solution x.json`: what a given decision costs under every scenario."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

import neurprise as nr
from neurprise.cli.exits import OK
from neurprise.cli.options import add_problem, add_solver, new_command, read_problem
from neurprise.cli.output import aligned, emit

_DETAILS = """\
The true worst case of a first-stage decision. The solution file holds a JSON list of numbers, an object with the key
"x", such as `neurprise solve --json` prints, or an object with all variables by name; "-" reads it from standard
input. A recourse cost that is infinite (no feasible recourse) is null in --json."""


def add_parser(commands: Any) -> None:
    example = "neurprise evaluate sel.npz --solution x.json"
    parser = new_command(commands, "evaluate", "what a given decision costs", _DETAILS, example)
    add_problem(parser)
    add_solver(parser)
    parser.add_argument("--solution", required=True, metavar="PATH", help="JSON file with the decision, or -")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Read problem and decision, evaluate, print."""
    problem = read_problem(args)
    x = read_solution(args.solution)
    evaluation = nr.evaluate(problem, x, solver=args.solver)
    data = {
        "recourse_costs": evaluation.recourse_costs.tolist(),
        "worst_case": evaluation.worst_case,
        "worst_scenario": evaluation.worst_scenario,
    }
    emit(args, _text(problem, evaluation), data)
    return OK


def read_solution(source: str) -> list[float] | dict[str, float]:
    """The decision in a JSON file (or standard input for "-"): a list, the "x" of an object, or an object by name."""
    text = sys.stdin.read() if source == "-" else Path(source).read_text(encoding="utf-8")
    try:
        data = json.loads(text)
    except ValueError as error:
        raise nr.FormatError(f"a solution file must hold JSON, but {source!r} does not ({error}).") from None
    x = _decision_in(data)
    if not isinstance(x, list | dict):
        raise nr.FormatError(
            'a solution must be a list of numbers, an object with such a list "x" or an object of names and numbers, '
            f"got {type(x).__name__} in {source!r}."
        )
    return x


def _decision_in(data: Any) -> Any:
    """A report's decision by name, else its x; anything else is the decision itself, an empty object none at all."""
    if not isinstance(data, dict):
        return data
    reported = [data[key] for key in ("decision", "x") if isinstance(data.get(key, 0), list | dict | None)]
    return reported[0] if reported else data or None


def _text(problem: nr.TwoStageProblem, evaluation: nr.Evaluation) -> str:
    costs = evaluation.recourse_costs
    infeasible = int(np.isinf(costs).sum())
    feasible = costs[np.isfinite(costs)]
    rows = {
        "worst case": f"{evaluation.worst_case:,.6g} (scenario {problem.scenario_labels[evaluation.worst_scenario]})",
        "recourse": f"{feasible.min():,.6g} to {feasible.max():,.6g}" if feasible.size else "never feasible",
        "infeasible": f"{infeasible} of {problem.num_scenarios} scenarios",
    }
    return aligned(rows)
