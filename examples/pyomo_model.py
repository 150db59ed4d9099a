"""
A farmer's Pyomo model: how many fields to plant of each crop before the weather is known.

    python examples/pyomo_model.py

One function builds the model of one scenario. The same function serves mpi-sppy if a root node is attached to the
model; here the first-stage variables are named.
"""

import pyomo.environ as pyo

import neurprise as nr

YIELDS = {"wet": {"rye": 3.1, "beans": 1.4}, "mild": {"rye": 2.5, "beans": 2.2}, "dry": {"rye": 1.2, "beans": 1.9}}


def farm(scenario: str) -> pyo.ConcreteModel:
    """Plant whole fields now; sell or buy at market when the harvest is in. Profit is maximised."""
    harvest, price = YIELDS[scenario], {"rye": 90.0, "beans": 150.0}
    model = pyo.ConcreteModel(scenario)
    model.crops = pyo.Set(initialize=list(harvest))
    model.fields = pyo.Var(model.crops, within=pyo.NonNegativeIntegers, bounds=(0, 20))
    model.sell = pyo.Var(model.crops, within=pyo.NonNegativeReals)
    model.buy = pyo.Var(model.crops, within=pyo.NonNegativeReals)
    model.land = pyo.Constraint(expr=pyo.quicksum(model.fields.values()) <= 20)
    model.fodder = pyo.Constraint(  # ten tons of each stay on the farm
        model.crops, rule=lambda m, c: harvest[c] * m.fields[c] + m.buy[c] - m.sell[c] >= 10
    )
    model.profit = pyo.Objective(
        expr=pyo.quicksum(price[c] * (model.sell[c] - 1.4 * model.buy[c]) - 60 * model.fields[c] for c in model.crops),
        sense=pyo.maximize,
    )
    return model


def main() -> nr.Report:
    problem = nr.from_pyomo(farm, list(YIELDS), first_stage=["fields"])
    report = nr.solve(problem)
    print(f"plant {report.decision}")
    print(f"profit of at least {report.worst_case:g}, in the {report.worst_scenario_name} year\n")
    model = problem.load(report.x, report.worst_scenario_name)  # the farmer's own model, with all its variables set
    for crop in model.crops:
        print(f"{crop:<6} sold {pyo.value(model.sell[crop]):5.1f}  bought {pyo.value(model.buy[crop]):5.1f}")
    return report


if __name__ == "__main__":
    main()
