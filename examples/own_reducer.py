"""
A reducer of your own: keep the scenarios that hurt the decision which is best on average.

    python examples/own_reducer.py

A reducer is any object with a name and a method `reduce`; `check_reducer` tells you whether it keeps the contract.
"""

import numpy as np

import neurprise as nr
from neurprise.reducers.base import Reduction, num_kept
from neurprise.testing import check_reducer


class AverageRegret:
    """Decide for the average scenario, see what that costs in each scenario, keep the costliest."""

    name = "average-regret"

    def reduce(self, problem: nr.TwoStageProblem, budget: int, seed: int = 0) -> Reduction:
        count = num_kept(problem, budget)
        costs = nr.evaluate(problem, self._central_decision(problem)).recourse_costs
        costliest = np.lexsort((-problem.severity, -costs))  # ties, such as several infinite costs, by severity
        return Reduction(tuple(costliest[:count].tolist()))

    def _central_decision(self, problem: nr.TwoStageProblem) -> np.ndarray:
        """The best decision for the scenario nearest to the average, shape (n,)."""
        data = problem.scenario_data
        central = int(np.argmin(np.linalg.norm(data - data.mean(axis=0), axis=1)))
        return nr.solve(problem.restrict([central])).x


def main() -> dict[str, float]:
    check_reducer(AverageRegret())
    problem = nr.make_vertex_cover(num_nodes=14, num_scenarios=40, seed=3)
    optimum = nr.solve(problem).worst_case
    print(f"optimum {optimum:g}; regret in percent when 4 of {problem.num_scenarios} scenarios are kept:")
    regrets = {}
    for reducer in (AverageRegret(), "random", "maxsum", "kmeans", "prise"):
        report = nr.solve(problem, reducer=reducer, budget=4)
        regrets[report.reducer] = 100 * (report.worst_case - optimum) / optimum
        print(f"  {report.reducer:<16}{regrets[report.reducer]:6.2f}")
    return regrets


if __name__ == "__main__":
    main()
