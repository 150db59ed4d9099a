"""
How much to prepare of seven ingredients when shortfalls are bought dearly.

    python examples/restaurant/restaurant.py [TABLE]

The plan (plan.toml) joins a model (kitchen.lp) with a table of days; any table with the same columns may take the place
of the shipped one, for example 765 real days of a restaurant.
"""

import sys
from pathlib import Path

import numpy as np

import neurprise as nr

PLAN = Path(__file__).with_name("plan.toml")


def average_day_plan(problem: nr.TwoStageProblem) -> np.ndarray:
    """The best batches if every day were the average day: what planning by averages does, shape (7,)."""
    return nr.solve(problem.with_scenarios(problem.scenario_data.mean(axis=0, keepdims=True))).x


def main(table: str | Path | None = None) -> nr.Report:
    problem = nr.read(PLAN) if table is None else nr.read(PLAN, scenarios=table)
    report = nr.solve(problem)
    usual = average_day_plan(problem)
    print(f"{problem.num_scenarios} days, {problem.num_first_stage} ingredients\n")
    print(f"{'batches of':<12}{'robust':>8}{'average':>9}")
    for name, robust, average in zip(problem.x_names, report.x, usual, strict=True):
        print(f"{name.removeprefix('batch_'):<12}{robust:>8.0f}{average:>9.0f}")
    print(f"\nworst day    {report.worst_case:>7.1f}{nr.evaluate(problem, usual).worst_case:>9.1f}\n")
    print(report)
    return report


if __name__ == "__main__":
    main(*sys.argv[1:2])
