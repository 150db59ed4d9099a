"""
What the restaurant's guarantee costs on an average day: decisions between the best worst day and the best mean.

    python examples/restaurant/frontier.py [TABLE] [--points 9] [--picture frontier.svg]

TABLE takes the place of the shipped days, for example 765 real days of a restaurant.
"""

import argparse
from pathlib import Path

import neurprise as nr

PLAN = Path(__file__).with_name("plan.toml")


def main(table: str | Path | None = None, points: int = 9, picture: str | Path | None = None) -> nr.Tradeoff:
    problem = nr.read(PLAN) if table is None else nr.read(PLAN, scenarios=table)
    found = nr.tradeoff(problem, "worst", "expected", points=points)
    print(f"{problem.num_scenarios} days, {len(found.points)} decisions\n")
    print(found)
    first, last = (problem.named_decision(found.points[end].x) for end in (0, -1))
    print(f"\n{'batches of':<12}{'guarantee':>10}{'mean':>6}")
    for name in first:
        print(f"{name.removeprefix('batch_'):<12}{first[name]:>10.0f}{last[name]:>6.0f}")
    if picture is not None:
        nr.plot.tradeoff(found).figure.savefig(picture)
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", nargs="?", help="CSV file with a row for each day")
    parser.add_argument("--points", type=int, default=9, help="number of limits on the worst day")
    parser.add_argument("--picture", help="file to draw the frontier into")
    options = parser.parse_args()
    main(options.table, options.points, options.picture)
