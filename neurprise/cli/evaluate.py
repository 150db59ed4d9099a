"""`neurprise evaluate FILE --solution x.json`: what a given decision costs under every scenario."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np

import neurprise as nr
from neurprise.cli.exits import OK
from neurprise.cli.options import add_problem, add_solver, new_command, read_problem
from neurprise.cli.output import aligned, emit
from neurprise.io.solution import Decision, parse_solution

_DETAILS = """\
The true worst case of a first-stage decision. The solution file holds a JSON list of numbers, an object with the key
"x", such as `neurprise solve --json` prints, or an object with all variables by name; "-" reads it from standard
input. A recourse cost that is infinite (no feasible recourse) is null in --json."""


def add_parser(commands: Any, summary: str) -> None:
    example = "neurprise evaluate sel.npz --solution x.json"
    parser = new_command(commands, "evaluate", summary, _DETAILS, example)
    add_problem(parser)
    add_solver(parser)
    parser.add_argument("--solution", required=True, metavar="PATH", help="JSON file with the decision, or -")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Read problem and decision, evaluate, print."""
    problem = read_problem(args)
    x = read_solution(args.solution)
    evaluation = nr.evaluate(problem, x, solver=args.solver)
    failing = np.flatnonzero(evaluation.recourse_costs == np.inf).tolist()
    conflict = nr.why_infeasible(problem, x, failing[0], solver=args.solver) if failing else None
    data = {
        "recourse_costs": evaluation.recourse_costs.tolist(),
        "worst_case": evaluation.worst_case,
        "worst_scenario": evaluation.worst_scenario,
        "infeasible_scenarios": failing,
        "conflict": None if conflict is None else conflict.to_dict(),
    }
    emit(args, _text(problem, evaluation, conflict), data)
    return OK


def read_solution(source: str) -> Decision:
    """The decision in a JSON file, or on standard input for "-"."""
    return parse_solution(source, sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes())


def _text(problem: nr.TwoStageProblem, evaluation: nr.Evaluation, conflict: nr.Conflict | None) -> str:
    costs = evaluation.recourse_costs
    infeasible = int((costs == np.inf).sum())
    feasible = costs[np.isfinite(costs)]
    rows = {
        "worst case": f"{evaluation.worst_case:,.6g} (scenario {problem.scenario_labels[evaluation.worst_scenario]})",
        "recourse": f"{feasible.min():,.6g} to {feasible.max():,.6g}" if feasible.size else "never feasible",
        "infeasible": f"{infeasible} of {problem.num_scenarios} scenarios",
    }
    return aligned(rows if conflict is None else {**rows, "why": conflict})
