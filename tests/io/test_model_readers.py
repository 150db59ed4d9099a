"""Readers of modelling tools: the shipped contract, what is refused by name, and the tool's own variables."""

import importlib
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint

import neurprise as nr
from experiments.judges.model_files import builders
from neurprise.io.models.highspy import Reader
from neurprise.testing import check_model_reader
from tests.io.model_doors import doors

#: Tool -> what it cannot state.
LACKS = {"linopy": ("ranges", "constant"), "pulp": ("ranges",), "scipy": ("constant", "maximize")}


@pytest.mark.parametrize("name", ["highspy", "gurobipy", "pulp", "pyomo", "linopy", "scipy", "lp", "mps"])
def test_a_reader_keeps_the_contract(name, tmp_path):
    """Everything as it was stated; what is put into a model leaves it as it was."""
    door = doors(tmp_path)[name]
    pytest.importorskip(door.package)
    module = {"lp": "files", "mps": "files"}.get(name, name)
    reader = importlib.import_module(f"neurprise.io.models.{module}").Reader()
    check_model_reader(reader, door.build, LACKS.get(name, ()))


class Forgetful:
    """A reader that loses the constant and calls everything a variable."""

    def __init__(self, reader):
        self._reader = reader

    def linear(self, model):
        return replace(self._reader.linear(model), offset=0.0)

    def names_of(self, part):
        return ["x"]

    def fill(self, model, values):
        return model


def test_the_contract_finds_a_lost_constant():
    """And names it."""
    with pytest.raises(AssertionError, match=r"offset must be read as stated, -7\.5; got 0"):
        check_model_reader(Forgetful(Reader()), builders.build_highs)
    with pytest.raises(AssertionError, match="names_of must be None for what is no variable"):
        check_model_reader(Forgetful(Reader()), builders.build_highs, lacks=["constant"])


def gurobi_model():
    gurobipy = pytest.importorskip("gurobipy")
    model = gurobipy.Model("small", env=builders.gurobi())
    x, y = model.addVar(name="x", ub=4, obj=1), model.addVar(name="y", ub=4, obj=1)
    model.addConstr(x + y >= 1, name="cover")
    return model, x, y


def with_quadratic_objective(model, x, y):
    model.setObjective(x * x + y)


def with_quadratic_constraint(model, x, y):
    model.addConstr(x * x + y <= 3)


def with_indicator(model, x, y):
    model.addGenConstrIndicator(model.addVar(vtype="B"), True, x + y <= 3)


def with_maximum(model, x, y):
    model.addGenConstrMax(model.addVar(), [x, y])


def with_ordered_set(model, x, y):
    model.addSOS(1, [x, y])


def with_semicontinuous(model, x, y):
    x.VType = "S"


def with_semiinteger(model, x, y):
    x.VType = "N"


def with_pieces(model, x, y):
    model.setPWLObj(x, [0, 1, 4], [0, 2, 3])


def with_two_objectives(model, x, y):
    model.setObjectiveN(x + y, 0)
    model.setObjectiveN(x - y, 1)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (with_quadratic_objective, "quadratic terms in the objective"),
        (with_quadratic_constraint, "quadratic constraints"),
        (with_indicator, "general or indicator constraints"),
        (with_maximum, "general or indicator constraints"),
        (with_ordered_set, "special ordered sets"),
        (with_semicontinuous, "'x' is semi-continuous"),
        (with_semiinteger, "'x' is semi-integer"),
        (with_pieces, "piecewise-linear objectives"),
        (with_two_objectives, "2 objectives; keep one"),
    ],
)
def test_gurobi_features_that_are_not_linear_are_refused(change, sentence):
    """Each by its name, with the scenario."""
    model, x, y = gurobi_model()
    change(model, x, y)
    with pytest.raises(nr.InputError, match=f"scenario 'only': .*{sentence}"):
        nr.from_models({"only": model}, first_stage=["x"])


def test_highs_pulp_and_scipy_features_that_are_not_linear_are_refused():
    """Semi-continuous variables, quadratic objectives, special ordered sets."""
    import highspy

    pulp = pytest.importorskip("pulp")
    highs = highspy.Highs()
    highs.silent()
    x = highs.addVariable(1, 4, name="x")
    highs.addVariable(0, 4, name="y")
    highs.changeColIntegrality(x.index, highspy.HighsVarType.kSemiContinuous)
    with pytest.raises(nr.InputError, match="'x' is semi-continuous or semi-integer"):
        nr.from_models({"only": highs}, first_stage=["x"])
    problem = pulp.LpProblem("sets")
    problem += problem.add_variable("x") + problem.add_variable("y")
    problem.sos1["one"] = dict.fromkeys(problem.variables(), 1)
    with pytest.raises(nr.InputError, match="special ordered sets"):
        nr.from_models({"only": problem}, first_stage=["x"])
    with pytest.raises(nr.InputError, match=r"x\[1\] is semi-continuous"):
        nr.from_models({"only": ([1, 1], None, None, [0, 2])}, first_stage=[0])


class TestFirstStage:
    """Named by the tool's own objects."""

    def test_gurobi_variables_matrix_variables_and_dictionaries(self):
        """Var, MVar, tupledict, and lists of them."""
        gurobipy = pytest.importorskip("gurobipy")
        model, x, _ = gurobi_model()
        block, table = model.addMVar((2, 2), name="block"), model.addVars(["a", "b"], name="table")
        later = model.addVar(name="later")
        model.addConstr(gurobipy.quicksum(table.values()) + block.sum() + later >= 3, name="all")
        names = nr.from_models({"only": model}, first_stage=[x, block, table]).x_names
        assert names == ("x", "block[0,0]", "block[0,1]", "block[1,0]", "block[1,1]", "table[a]", "table[b]")

    def test_pulp_variables_and_dictionaries(self):
        """LpVariable and what add_variable_dicts returns."""
        pulp = pytest.importorskip("pulp")
        model = pulp.LpProblem("small")
        build = model.add_variable_dicts("build", ["north", "south"], 0, 3)
        cost = model.add_variable("cost", 0)
        model += cost + pulp.lpSum(build.values())
        model += cost >= 1
        assert nr.from_models({"only": model}, first_stage=[build]).x_names == ("build_north", "build_south")
        assert nr.from_models({"only": model}, first_stage=build["south"]).x_names == ("build_south",)

    def test_pyomo_highs_and_scipy(self):
        """Var, one member of a Var, highs_var, and positions."""
        pyo = pytest.importorskip("pyomo.environ")
        import highspy

        model = pyo.ConcreteModel()
        model.size = pyo.Var(["a", "b"], bounds=(0, 3))
        model.run = pyo.Var(bounds=(0, 3))
        model.cost = pyo.Objective(expr=model.run + sum(model.size.values()))
        assert nr.from_models({"only": model}, first_stage=[model.size]).x_names == ("size[a]", "size[b]")
        assert nr.from_models({"only": model}, first_stage=[model.size["b"]]).x_names == ("size[b]",)
        highs = highspy.Highs()
        highs.silent()
        x, _ = highs.addVariable(0, 4, obj=1, name="x"), highs.addVariable(0, 4, obj=1)
        assert nr.from_models({"only": highs}, first_stage=[x]).x_names == ("x",)
        assert nr.from_models({"only": highs}, first_stage=["x[1]"]).x_names == ("x[1]",)
        rows = LinearConstraint(np.ones((1, 3)), 1, 2)
        scipy = ([1, 1, 1], rows, Bounds(0, 1), 0)
        assert nr.from_models({"only": scipy}, first_stage=[0, 2]).x_names == ("x[0]", "x[2]")
