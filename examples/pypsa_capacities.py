"""
A PyPSA network whose capacities are chosen before wind and load are known: for the mean, and for the worst scenario.

    python examples/pypsa_capacities.py

PyPSA's stochastic networks minimise the mean cost over the scenarios of `set_scenarios`. `nr.from_linopy` reads the
same network; `nr.solve` finds the capacities with the lowest cost in the worst scenario; `load` gives them to PyPSA.
"""

import logging

import numpy as np
import pandas as pd
import pypsa

import neurprise as nr

HOURS = pd.date_range("2030-01-15", periods=24, freq="h")
SCENARIOS = [f"week {week}" for week in range(1, 13)]
PEAK = {"north": 20.0, "east": 60.0, "south": 140.0, "west": 80.0}  # MW


def build_network(seed: int = 3) -> pypsa.Network:
    """Four buses in a ring; wind, gas, batteries and lines can be extended, and load can be shed at 3,000 a MWh."""
    network = pypsa.Network(snapshots=HOURS)
    network.add("Carrier", ["AC", "wind", "gas", "battery", "shed"])
    network.add("Bus", list(PEAK), carrier="AC", v_nom=110.0)
    ring = list(zip(PEAK, [*list(PEAK)[1:], next(iter(PEAK))], strict=True))
    for one, other in ring:
        network.add(
            "Line", f"{one}-{other}", bus0=one, bus1=other, x=0.1, r=0.01, s_nom_extendable=True, capital_cost=90
        )
    extendable = {"p_nom_extendable": True}
    network.add("Generator", "wind north", bus="north", carrier="wind", capital_cost=500, **extendable)
    network.add("Generator", "wind east", bus="east", carrier="wind", capital_cost=560, **extendable)
    network.add("Generator", "gas", bus="south", carrier="gas", capital_cost=300, marginal_cost=70, **extendable)
    network.add("StorageUnit", "battery", bus="west", carrier="battery", capital_cost=150, max_hours=4, **extendable)
    for bus, peak in PEAK.items():
        network.add("Load", f"load {bus}", bus=bus, p_set=peak, carrier="AC")
        network.add("Generator", f"shed {bus}", bus=bus, carrier="shed", p_nom=500, marginal_cost=3000)
    network.set_scenarios(dict.fromkeys(SCENARIOS, 1 / len(SCENARIOS)))
    _draw_weather(network, seed)
    return network


def _draw_weather(network: pypsa.Network, seed: int) -> None:
    """Wind and load of every scenario: some weeks are calm, some are cold."""
    rng = np.random.default_rng(seed)
    shape = 0.75 + 0.25 * np.sin((np.arange(24) - 8) * np.pi / 12)
    wind, load = {}, {}
    for scenario in SCENARIOS:
        calm, cold = rng.uniform(0.1, 0.9), rng.uniform(0.8, 1.15)
        for site in ("wind north", "wind east"):
            wind[scenario, site] = np.clip(calm + rng.normal(0, 0.12, 24), 0, 1).round(3)
        for bus, peak in PEAK.items():
            load[scenario, f"load {bus}"] = (peak * cold * shape * rng.uniform(0.95, 1.05, 24)).round(1)
    for component, attribute, table in ((network.c.generators, "p_max_pu", wind), (network.c.loads, "p_set", load)):
        columns = pd.MultiIndex.from_tuples(table, names=["scenario", "name"])
        component.dynamic[attribute] = pd.DataFrame(np.column_stack(list(table.values())), HOURS, columns)


def main() -> nr.Report:
    logging.getLogger("pypsa").setLevel(logging.ERROR)
    logging.getLogger("linopy").setLevel(logging.ERROR)
    network = build_network()
    network.optimize(solver_name="highs", log_to_console=False)
    mean = network.model.solution  # what PyPSA chose

    problem = nr.from_linopy(network)
    report = nr.solve(problem)
    chosen = {name: capacity_in(mean, name) for name in problem.first_stage_names}
    print(nr.compare(problem, {"worst": report, "mean": chosen}))
    print(pd.DataFrame({"worst": report.decision, "mean": chosen}).round(1).to_string())

    problem.load(report.x)
    network.optimize.assign_solution()  # the network's own tables now hold the robust capacities and their dispatch
    print(f"\ngas in the network: {network.c.generators.static.loc[(SCENARIOS[0], 'gas'), 'p_nom_opt']:.1f} MW")
    return report


def capacity_in(solution, name: str) -> float:
    """A variable such as "Generator-p_nom[gas]" in a solution of linopy."""
    variable, label = name.removesuffix("]").split("[")
    return float(solution[variable].sel(name=label))


if __name__ == "__main__":
    main()
