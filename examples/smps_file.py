"""
Solve a problem in SMPS format: a core, a time and a stoch file side by side.

    python examples/smps_file.py [CORE]
"""

import sys
from pathlib import Path

import neurprise as nr

BREWERY = Path(__file__).parent / "smps" / "brewery.cor"


def main(core: str | Path = BREWERY) -> nr.Report:
    problem = nr.read(core)
    report = nr.solve(problem)
    print(f"{problem.num_scenarios} scenarios, {problem.num_first_stage} decisions now, {problem.num_recourse} later")
    for name, value in report.decision.items():
        print(f"  {name:<8} {value:g}")
    costs = nr.evaluate(problem, report.x).recourse_costs
    print(f"worst scenario {report.worst_scenario_name} costs {costs.max():g} later")
    average = float(problem.probabilities @ costs)
    print(f"on average, with the file's probabilities, {average:g} later\n")
    print(report)
    return report


if __name__ == "__main__":
    main(*sys.argv[1:2])
