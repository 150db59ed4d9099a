"""
A study: how many demand scenarios does a facility-location plan need to see?

    python examples/facility_location_study.py

Exact optimum first; then each method keeps k scenarios, the plan is made on those and judged on all. Every row carries
its own proof (lower bound), which needs no knowledge of the optimum.
"""

import neurprise as nr

METHODS = ("random", "kmeans", "maxsum", "ccg", "prise")


def main(num_facilities: int = 10, num_customers: int = 8, num_scenarios: int = 30, budgets=(1, 2, 3)) -> nr.Report:
    problem = nr.make_facility_location(num_facilities, num_customers, num_scenarios, seed=11)
    exact = nr.solve(problem)
    opened = [site for site in range(num_facilities) if exact.x[site] > 0.5]
    print(f"{num_facilities} sites, {num_customers} customers, {num_scenarios} scenarios")
    print(f"optimum {exact.worst_case:,.0f}: open sites {opened}; {len(exact.scenarios)} scenarios prove it\n")
    print(f"{'method':<10}{'kept':>6}{'worst case':>12}{'lower bound':>13}{'regret %':>10}{'proved %':>10}")
    for method in METHODS:
        for budget in budgets:
            report = nr.solve(problem, reducer=method, budget=budget)
            regret = 100 * (report.worst_case / exact.worst_case - 1)  # inf where some scenario cannot be served
            print(
                f"{method:<10}{budget:>6}{report.worst_case:>12,.0f}{report.lower_bound:>13,.0f}"
                f"{regret:>10.2f}{report.regret_bound:>10.2f}"
            )
    refined = nr.solve(problem, reducer="prise", budget=2, refine=True)
    print(f"\nPRISE's two scenarios, then refined: {refined.worst_case:,.0f} ({refined.status.value})")
    return refined


if __name__ == "__main__":
    main()
