"""
Unit commitment in linopy: which plants run tomorrow is decided before the net load is known.

    python examples/unit_commitment.py

One model holds 30 scenarios of tomorrow's net load. Variables without the scenario dimension (on, start) are decided
today, the others tomorrow. The answer comes back in the model's own coordinates.
"""

import linopy
import numpy as np
import pandas as pd
import xarray as xr

import neurprise as nr

HOURS = pd.RangeIndex(24, name="hour")
PLANTS = pd.DataFrame(
    {
        "most": [120.0, 90.0, 60.0, 40.0],  # MW
        "least": [60.0, 30.0, 15.0, 5.0],
        "fuel": [22.0, 31.0, 48.0, 75.0],  # a MWh
        "idle": [700.0, 450.0, 250.0, 100.0],  # an hour
        "start": [3000.0, 1500.0, 600.0, 150.0],
    },
    index=pd.Index(["coal", "gas 1", "gas 2", "oil"], name="plant"),
)
SHORT, SPILLED = 1000.0, 5.0  # a MWh


def net_load(num_scenarios: int, seed: int = 5) -> xr.DataArray:
    """Load without wind, shape (scenario, hour): a shape of the day, a level, and noise that drifts."""
    rng = np.random.default_rng(seed)
    shape = 130 + 60 * np.sin((np.arange(24) - 9) * np.pi / 12)
    level, drift = rng.uniform(0.75, 1.2, (num_scenarios, 1)), rng.normal(0, 5, (num_scenarios, 24)).cumsum(axis=1)
    scenarios = pd.Index([f"day {day}" for day in range(1, num_scenarios + 1)], name="scenario")
    return xr.DataArray((shape * level + drift).clip(20).round(), coords=[scenarios, HOURS])


def build_model(load: xr.DataArray) -> linopy.Model:
    """Minimise commitment costs and the mean of what follows."""
    plant = PLANTS.to_xarray()
    scenarios = load.indexes["scenario"]
    model = linopy.Model()
    on = model.add_variables(binary=True, coords=[PLANTS.index, HOURS], name="on")
    start = model.add_variables(lower=0, upper=1, coords=[PLANTS.index, HOURS], name="start")
    power = model.add_variables(lower=0, coords=[PLANTS.index, scenarios, HOURS], name="power")
    short = model.add_variables(lower=0, coords=[scenarios, HOURS], name="short")
    spilled = model.add_variables(lower=0, coords=[scenarios, HOURS], name="spilled")
    before = on.shift(hour=1).fillna(0)  # nothing runs before the first hour
    model.add_constraints(start - on + before >= 0, name="starts")
    model.add_constraints(power - plant["most"] * on <= 0, name="most")
    model.add_constraints(power - plant["least"] * on >= 0, name="least")
    model.add_constraints(power.sum("plant") + short - spilled == load, name="balance")
    later = (plant["fuel"] * power).sum() + SHORT * short.sum() + SPILLED * spilled.sum()
    model.add_objective((plant["idle"] * on).sum() + (plant["start"] * start).sum() + later / len(scenarios))
    return model


def main(num_scenarios: int = 30, gap: float = 1e-3) -> nr.Report:
    load = net_load(num_scenarios)
    model = build_model(load)
    equally = np.full(num_scenarios, 1 / num_scenarios)  # what the objective multiplies each scenario with
    problem = nr.from_linopy(model, probabilities=equally)
    report = nr.solve(problem, gap=gap)
    print(report)

    solution = problem.load(report.x).solution
    running = solution["on"].sum("hour").astype(int).to_series()
    print(f"\nhours on: {running.to_dict()}")
    worst = report.worst_scenario_name
    print(f"short on {worst}: {float(solution['short'].sel(scenario=worst).sum()):.0f} MWh")
    return report


if __name__ == "__main__":
    main()
