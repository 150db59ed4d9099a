"""`neurprise evaluate FILE --solution x.json`: the cost of a given decision in every scenario."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

import neurprise as nr
from neurprise.cli.answers import (
    add_answer_options,
    check_answer_options,
    find_regret,
    more_data,
    more_text,
    write_tables,
)
from neurprise.cli.exits import INTERRUPTED, OK, complain
from neurprise.cli.options import (
    add_objective,
    add_problem,
    add_solver,
    add_workers,
    new_command,
    read_problem,
    read_solution,
)
from neurprise.cli.output import aligned, emit
from neurprise.cli.signals import held_back
from neurprise.errors import part_of
from neurprise.io.tables import read_table
from neurprise.objectives import Objective, Shift, WorstCase
from neurprise.report.averages import averages_of
from neurprise.report.tables import AnswerTables
from neurprise.report.text import number, scenarios, words_of

_DETAILS = """\
Compute the true worst case of a first-stage decision. The solution file is a JSON list of numbers, a JSON object with
the key "x" (from `neurprise solve --json`) or with all variables by name, or the decision.csv of --out. "-" reads JSON
from standard input. With --scenarios, the decision is evaluated on data that came later: a table for a plan, or, for
other files, one with a column for each column of `problem.scenario_data`, by the names in `problem.scenario_columns`
(profits where the problem maximises) or else in that order. With --json, an infinite cost (no feasible recourse) is
null. For a maximisation, all costs are profits."""


def add_parser(commands: Any, summary: str) -> None:
    example = "neurprise evaluate sel.npz --solution x.json"
    parser = new_command(commands, "evaluate", summary, _DETAILS, example)
    add_problem(parser)
    add_solver(parser)
    add_workers(parser, "processes that share long evaluations")
    parser.add_argument("--solution", required=True, metavar="PATH", help="JSON or CSV file with the decision, or -")
    add_objective(parser, "what to say the decision's value of (default worst)")
    add_answer_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Read problem and decision, evaluate, print."""
    problem, objective = _problem(args), _objective_of_costs(args.objective)
    check_answer_options(args, problem)
    x = read_solution(args.solution)
    evaluation = nr.evaluate(problem, x, solver=args.solver, jobs=args.jobs, cluster=args.cluster)
    failing = evaluation.infeasible_scenarios
    conflict = nr.why_infeasible(problem, x, failing[0], solver=args.solver) if failing else None
    tables = AnswerTables(evaluation.plan, worst=evaluation.worst_scenario)
    return _hand_over(args, tables, _text(evaluation, objective, conflict), _data(evaluation, objective, conflict))


def _objective_of_costs(name: str) -> Objective:
    """The objective of that name; refuses regrets, for which every scenario must be solved first."""
    objective = nr.objectives.get_objective(name)
    if objective.shift is not Shift.NOTHING:
        raise nr.InputError(f"evaluate weighs costs, got the objective {name!r}; use --regret for regrets.")
    return objective


def _problem(args: argparse.Namespace) -> nr.TwoStageProblem:
    """The problem; with --scenarios and no plan to say what the columns mean, they are its uncertain numbers."""
    if args.scenarios is None or args.file.suffix.lower() == ".toml":
        return read_problem(args)
    table = read_table(args.scenarios)
    problem = read_problem(argparse.Namespace(**{**vars(args), "scenarios": None}))
    titles = [name for name in table.column_names if name != table.row_labels]
    by_name = bool(set(titles) & set(problem.scenario_columns))
    titles = _in_order(titles, problem.scenario_columns) if by_name else titles
    numbers = np.column_stack([table.numbers(name) for name in titles]) if titles else np.zeros((table.num_rows, 0))
    names = () if table.row_labels is None else table.names(table.row_labels)
    return problem.with_scenarios(problem.in_other_sign(numbers) if by_name else numbers, scenario_names=names)


def _in_order(titles: Sequence[str], columns: tuple[str, ...]) -> list[str]:
    """The titles in the order of the problem's columns; they must be the same."""
    odd = sorted(set(titles) ^ set(columns))
    if odd:
        came = f"got {odd[0]!r}" if odd[0] in titles else f"got no {odd[0]!r}"
        raise nr.InputError(f"the table must have the columns that `problem.scenario_columns` names, {came}.")
    return list(columns)


def _hand_over(args: argparse.Namespace, tables: AnswerTables, text: str, data: dict[str, Any]) -> int:
    """Print and write the answer. After an interrupt, name the missing parts."""
    missing = ["plans and regret", *([] if args.out is None else [str(args.out)])]
    try:
        find_regret(args, tables)
        more = "\n".join([text, *more_text(args, tables)]), data | more_data(args, tables)
        with held_back():
            emit(args, *more)
            sys.stdout.flush()  # the files may take long
            del missing[0]
        write_tables(args, tables)
        return OK
    except KeyboardInterrupt:
        if "plans and regret" in missing:
            emit(args, text, data)
        rest = f", only {', '.join(missing)} could not be completed" if missing else ""
        complain(f"interrupted; the answer above holds{rest}.")
        return INTERRUPTED


def _data(evaluation: nr.Evaluation, objective: Objective, conflict: nr.Conflict | None) -> dict[str, Any]:
    return {
        "recourse_costs": evaluation.recourse_costs.tolist(),
        "total_costs": evaluation.total_costs.tolist(),
        "worst_case": evaluation.worst_case,
        "worst_scenario": evaluation.worst_scenario,
        "worst_scenario_name": evaluation.worst_scenario_name,
        "objective": objective.name,
        "value": evaluation.plan.value(objective),
        **averages_of(evaluation.plan).to_dict(),
        "infeasible_scenarios": list(evaluation.infeasible_scenarios),
        "conflict": None if conflict is None else conflict.to_dict(),
    }


def _text(evaluation: nr.Evaluation, objective: Objective, conflict: nr.Conflict | None) -> str:
    problem = evaluation.plan.problem
    costs = evaluation.total_costs[np.isfinite(evaluation.total_costs)]
    infeasible = [problem.scenario_labels[s] for s in evaluation.infeasible_scenarios]
    worst = ("at least " if problem.maximize else "") + number(evaluation.worst_case)
    worst_word = words_of(problem).worst
    rows: dict[str, object] = {
        worst_word: f"{worst} (scenario {evaluation.worst_scenario_name})",
        "total": f"{number(costs.min())} to {number(costs.max())}" if costs.size else "never feasible",
        "expected": str(averages_of(evaluation.plan)),
        "infeasible": part_of(len(infeasible), problem.num_scenarios, "scenario"),
    }
    if infeasible:
        rows["infeasible"] = f"{rows['infeasible']}: {scenarios(infeasible)}"
        rows[worst_word] = "none: no recourse in some scenarios"
    if not isinstance(objective, WorstCase):
        rows["value"] = f"{number(evaluation.plan.value(objective))} ({objective.name})"
    if conflict is not None:
        rows["why"] = conflict
    return aligned({f"{name:<11}": value for name, value in rows.items()})
