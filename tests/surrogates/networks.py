"""Networks with random weights, for problems of any family."""

import numpy as np

import neurprise as nr
from neurprise.networks.view import knowledge_of
from neurprise.surrogates.network import NetworkConfig, ValueNetwork
from tests.instances import FAMILIES

SIZES = {"member_hidden": 5, "member_outputs": 4, "decision_hidden": 6, "scenario_hidden": 5, "set_outputs": 3}


def described(problem):
    """The instance as a network sees it."""
    return knowledge_of(problem).describe(problem)


def random_network(problem, seed, **sizes):
    """A network of the problem's family; its weights are large enough for scenarios to change places with x."""
    rng = np.random.default_rng(seed)
    instance = described(problem)
    inputs = instance.item_inputs.shape[2], instance.scenario_items.shape[2]
    config = NetworkConfig(problem.family, *inputs, **{**SIZES, "value_hidden": 4, **sizes})
    weights = {}
    for name, (fan_in, hidden, outputs) in config.widths.items():
        shapes = {"first.weight": (hidden, fan_in), "first.bias": (hidden,)}
        shapes |= {"second.weight": (outputs, hidden), "second.bias": (outputs,)}
        weights |= {f"{name}.{key}": rng.normal(size=shape).astype(np.float32) for key, shape in shapes.items()}
    return ValueNetwork(config, weights)


def random_decision(problem, seed):
    """A feasible first-stage decision that may lie anywhere, not only at corners."""
    rng = np.random.default_rng(seed)
    if problem.family == "facility-location":
        opened = (rng.random(len(problem.opening_costs)) < 0.7).astype(float)
        return np.concatenate([opened, opened * problem.max_capacities * rng.random(len(opened))])
    x = (rng.random(problem.num_first_stage) < rng.random()).astype(float)
    if problem.family == "selection":
        x[np.flatnonzero(x)[problem.num_select :]] = 0.0
    return x


def solvable(family, seed):
    """A small random problem of the family that has a solution."""
    while True:
        problem = FAMILIES[family](seed)
        try:
            nr.solve(problem)
        except nr.InfeasibleProblemError:
            seed += 1000
        else:
            return problem
