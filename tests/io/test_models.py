"""Models of every tool, one per scenario: the same problem through every door, and back into the tool."""

import math

import pytest

import neurprise as nr
from tests.io.model_doors import doors, model

INF = math.inf
NAMES = ("highspy", "gurobipy", "pyomo", "pulp", "linopy", "scipy", "lp", "mps")


def depot(demand, price):
    """Open depots now; send whole lorries later, or pay for what does not arrive."""
    columns = {
        "a_open": (40.0, 0, 1, True),
        "b_open": (55.0, 0, 1, True),
        "lorry_a": (7.0, 0, 9, True),
        "lorry_b": (6.0, 0, 9, True),
        "short": (price, 0, INF, False),
    }
    rows = {
        "link_a": (-INF, 0, {"lorry_a": 1, "a_open": -4}),
        "link_b": (-INF, 0, {"lorry_b": 1, "b_open": -6}),
        "demand": (demand, INF, {"lorry_a": 3, "lorry_b": 2, "short": 1}),
    }
    return model(columns, rows)


def mill(yield_, price):
    """A maximisation with a constant, ranges, free and fixed variables and equations."""
    columns = {
        "contract": (-3.0, 2, 2, False),
        "land": (-5.0, 0, 30, False),
        "net": (0.25, -INF, INF, False),
        "sold": (price, 0, 40, False),
        "stock": (0.5, -INF, 8, False),
    }
    rows = {
        "area": (4, 25, {"land": 1, "contract": 1}),
        "balance": (0, 0, {"net": 1, "land": -yield_, "sold": 1}),
        "endstock": (1, 6, {"stock": 1, "contract": 1}),
        "stocked": (0, 0, {"stock": 1, "net": -1}),
    }
    return model(columns, rows, maximize=True, offset=100.0)


DEPOTS = {"calm": depot(5, 9), "busy": depot(17, 9), "dear": depot(11, 30)}
MILLS = {"wet": mill(1.5, 6.0), "dry": mill(0.75, 9.0)}
#: Problem -> its models, its first stage, and its value.
PROBLEMS = {"depots": (DEPOTS, ["*_open"]), "mills": (MILLS, ["land", "contract"])}


def read_through(door, models, first_stage):
    """What `from_models` makes of the models when a tool states them."""
    pytest.importorskip(door.package)
    columns = next(iter(models.values())).columns
    names = [name for name in columns if any(name.endswith(part.strip("*")) for part in first_stage)]
    chosen = [door.stated(next(iter(models.values()))).columns[columns.index(name)] for name in names]
    return nr.from_models({name: door.build(one) for name, one in models.items()}, first_stage=chosen)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("problem", PROBLEMS)
def test_every_door_gives_the_same_problem_and_answer(name, problem, tmp_path):
    """Equal to what highspy gives of the model that the tool can state; the answers differ by lost constants only."""
    models, first_stage = PROBLEMS[problem]
    door, plain = doors(tmp_path)[name], doors(tmp_path)["highspy"]
    found = read_through(door, models, first_stage)
    stated = {scenario: door.stated(one) for scenario, one in models.items()}
    chosen = list(found.x_names)
    assert found == nr.from_models({s: plain.build(one) for s, one in stated.items()}, first_stage=chosen)
    first = next(iter(stated.values()))
    value = nr.solve(found).worst_case * (1 if first.maximize == models[next(iter(models))].maximize else -1)
    lost = next(iter(models.values())).offset - first.offset
    reference = nr.solve(read_through(plain, models, first_stage))
    assert value + lost == pytest.approx(reference.worst_case)


def test_the_values_are_those_of_the_extensive_form(tmp_path):
    """Both problems as one model of all scenarios, solved by SCIP."""
    pytest.importorskip("pyscipopt")
    for models, first_stage in PROBLEMS.values():
        problem = read_through(doors(tmp_path)["highspy"], models, first_stage)
        assert nr.solve(problem, verify="scip").verification.agrees
