"""Pyomo models, by mpi-sppy's convention and by names; mpi-sppy's own creators work unchanged."""

import pytest

import neurprise as nr
from tests.io.expected_value import expected_value

pyo = pytest.importorskip("pyomo.environ", reason="Pyomo is not installed")

DEMANDS = {"low": 3.0, "high": 6.0}


def bakery(name, sense=pyo.minimize, whole=False, price=5.0):
    """Bake now at 2, buy later at `price`, throw away at 3."""
    sign = 1 if sense == pyo.minimize else -1
    model = pyo.ConcreteModel(name)
    model.bake = pyo.Var(["rye"], bounds=(0, 10), within=pyo.Integers if whole else pyo.Reals)
    model.buy = pyo.Var(within=pyo.NonNegativeReals)
    model.waste = pyo.Var(within=pyo.NonNegativeReals)
    model.balance = pyo.Constraint(expr=model.bake["rye"] + model.buy - model.waste == DEMANDS[name])
    model.total = pyo.Objective(expr=sign * (2 * model.bake["rye"] + price * model.buy + 3 * model.waste), sense=sense)
    return model


@pytest.mark.parametrize("sense", [pyo.minimize, pyo.maximize])
@pytest.mark.parametrize("whole", [False, True])
def test_first_stage_can_be_given_by_name(sense, whole):
    """Integer or not, costs or profits."""
    problem = nr.from_pyomo(
        bakery, list(DEMANDS), first_stage=["bake"], scenario_creator_kwargs={"sense": sense, "whole": whole}
    )
    assert problem.x_names == ("bake[rye]",)
    assert problem.scenario_names == ("low", "high")
    assert problem.first_stage.integer.tolist() == [whole]
    assert problem.maximize == (sense == pyo.maximize)
    # Half-way between the demands both scenarios cost 3 * waste or 5 * buy on top: bake 3 + 15/8, or 5 when whole.
    cost = 16 if whole else 2 * 4.875 + 3 * 1.875
    assert nr.solve(problem).worst_case == pytest.approx(-cost if problem.maximize else cost)


def test_the_solution_is_loaded_back_into_the_model():
    """First stage and best recourse of one scenario; the objective in Pyomo is ours."""
    problem = nr.from_pyomo(bakery, list(DEMANDS), first_stage=["bake[rye]"])
    report = nr.solve(problem)
    evaluation = nr.evaluate(problem, report.x)
    for index, name in enumerate(DEMANDS):
        mine = bakery(name)
        assert problem.load(report.x, name, model=mine) is mine
        ours = 2 * report.x[0] + evaluation.recourse_costs[index]
        assert pyo.value(mine.total) == pytest.approx(ours)
        assert pyo.value(problem.load(report.x, index).total) == pytest.approx(ours)
        assert pyo.value(mine.balance.body) == pytest.approx(DEMANDS[name])


def test_restricting_scenarios_keeps_the_models():
    """Scenario numbers are then those of the restricted problem."""
    problem = nr.from_pyomo(bakery, list(DEMANDS), first_stage=["bake"]).restrict([1])
    assert pyo.value(problem.load([6.0], 0).total) == pytest.approx(12)


def test_first_stage_costs_may_differ_by_scenario():
    """They are paid with the recourse: 4 now and 1 now are both possible."""

    def creator(name):
        model = bakery(name)
        model.total.expr += (2 if name == "low" else -1) * model.bake["rye"] + len(name)
        return model

    problem = nr.from_pyomo(creator, list(DEMANDS), first_stage=["bake"])
    assert problem.changes["x_costs"].values.ravel().tolist() == [4, 1]
    assert problem.first_stage.costs.tolist() == [0]
    assert nr.evaluate(problem, [4.0]).recourse_costs == pytest.approx([3 + 16 + 3, 4 + 4 + 10])


def test_fixed_variables_and_blocks_are_understood():
    """A fixed variable is a column with equal bounds; names of blocks stay in front."""

    def creator(name):
        model = bakery(name)
        model.side = pyo.Block()
        model.side.z = pyo.Var(bounds=(0, 4))
        model.side.c = pyo.Constraint(expr=model.side.z + model.waste <= 9)
        model.side.z.fix(2.0)
        return model

    problem = nr.from_pyomo(creator, list(DEMANDS), first_stage=["bake", "side.z"])
    assert problem.x_names == ("bake[rye]", "side.z")
    assert problem.first_stage.lower[1] == problem.first_stage.upper[1] == 2
    assert 7.0 in problem.recourse.row_upper


def nonlinear(name):
    model = bakery(name)
    model.curve = pyo.Constraint([1], rule=lambda m, i: m.buy * m.waste <= 1)
    return model


def other_variables(name):
    model = bakery(name)
    if name == "high":
        model.extra = pyo.Var(bounds=(0, 5))
    return model


def two_objectives(name):
    model = bakery(name)
    model.again = pyo.Objective(expr=model.buy)
    return model


def with_ordered_set(name):
    model = bakery(name)
    model.pick = pyo.Var([1, 2], bounds=(0, 1))
    model.one = pyo.SOSConstraint(var=model.pick, sos=1)
    return model


@pytest.mark.parametrize("order", [["low", "high"], ["high", "low"]])
def test_a_row_of_one_scenario_is_free_in_the_others(order):
    """What is baked beyond 4 is wasted in the low year; only the high year limits what is bought."""

    def creator(name):
        model = bakery(name)
        if name == "high":
            model.extra = pyo.Constraint(expr=model.buy <= 1)
        return model

    problem = nr.from_pyomo(creator, order, first_stage=["bake"])
    assert set(problem.y_row_names) == {"balance", "extra"}
    costs = dict(zip(order, nr.evaluate(problem, [4.5]).recourse_costs, strict=True))
    assert costs == {"low": pytest.approx(4.5), "high": float("inf")}
    assert nr.solve(problem).x == pytest.approx([5.0])


@pytest.mark.parametrize(
    ("creator", "names", "options", "sentence"),
    [
        (nonlinear, ["low"], {}, r"scenario 'low': the constraint 'curve\[1\]' is not linear"),
        (other_variables, ["low", "high"], {}, "'high': the variable 'extra' exists only here; all scenarios need"),
        (other_variables, ["high", "low"], {}, "'low': the variable 'extra' exists in the first scenario but not here"),
        (two_objectives, ["low"], {}, "exactly one active objective, got 2"),
        (with_ordered_set, ["low"], {}, "'one' is a SOSConstraint; only linear constraints are read"),
        (bakery, ["low"], {"first_stage": ["cake"]}, r"has no variable 'cake' \(did you mean 'bake'\?\)"),
        (bakery, ["low"], {"first_stage": None}, "does not say which variables are first stage; pass first_stage"),
        (bakery, ["low", "low"], {}, "names of scenarios must differ, but 'low' is at positions 0 and 1"),
        (bakery, "low", {}, r"scenario_names must be a list of names, got 'low'; write \['low'\]"),
        (bakery, ["low"], {"first_stage": "bake"}, "first_stage must be a list of names, got 'bake'"),
        (bakery, [], {}, "scenario_names must name at least one scenario"),
        (lambda name: None, ["low"], {}, "a model must be one of linopy, .*, got NoneType"),
    ],
)
def test_what_cannot_be_represented_is_named(creator, names, options, sentence):
    """With the scenario and the component."""
    with pytest.raises(nr.InputError, match=sentence):
        nr.from_pyomo(creator, names, **{"first_stage": ["bake"], **options})


@pytest.mark.parametrize(("scenario", "x"), [("none", [1.0]), (7, [1.0]), (0, [1.0, 2.0])])
def test_loading_checks_its_arguments(scenario, x):
    """Names, numbers and lengths."""
    problem = nr.from_pyomo(bakery, list(DEMANDS), first_stage=["bake"])
    with pytest.raises(nr.InputError, match=r"scenario must be a (?:known )?name|x must be of shape"):
        problem.load(x, scenario)


class TestMpisppy:
    """The scenario creators that mpi-sppy ships."""

    @pytest.fixture(autouse=True)
    def mpisppy(self):
        pytest.importorskip("mpisppy", reason="mpi-sppy is not installed")

    @pytest.mark.parametrize("options", [{}, {"use_integer": True}, {"use_integer": True, "sense": pyo.maximize}])
    def test_farmer_has_its_published_values(self, options):
        """Costs of -108390 on average, -59950 at worst, as the SMPS file of the same model; or profits of as much."""
        from mpisppy.tests.examples import farmer

        names = farmer.scenario_names_creator(3)
        problem = nr.from_pyomo(farmer.scenario_creator, names, scenario_creator_kwargs={**options, "num_scens": 3})
        assert expected_value(problem) == pytest.approx(-108390)
        assert nr.solve(problem).worst_case == pytest.approx(59950 if problem.maximize else -59950)

    def test_farmer_grows(self):
        """Twelve scenarios of six crops."""
        from mpisppy.tests.examples import farmer

        options = {"crops_multiplier": 2, "num_scens": 12, "use_integer": True}
        names = farmer.scenario_names_creator(12)
        problem = nr.from_pyomo(farmer.scenario_creator, names, scenario_creator_kwargs=options)
        assert (problem.num_scenarios, problem.num_first_stage) == (12, 6)
        report = nr.solve(problem)
        model = problem.load(report.x, names[4])
        assert sum(pyo.value(acres) for acres in model.DevotedAcreage.values()) <= 1000

    def test_apl1p_is_solved(self):
        """Random availability multiplies first-stage capacity: a random technology matrix."""
        from mpisppy.tests.examples import apl1p

        names = apl1p.scenario_names_creator(10)
        problem = nr.from_pyomo(apl1p.scenario_creator, names, scenario_creator_kwargs={"num_scens": 10})
        assert set(problem.changes) == {"row_lower", "technology"}
        report = nr.solve(problem)
        assert report.worst_case == pytest.approx(nr.evaluate(problem, report.x).worst_case)
        assert report.lower_bound == pytest.approx(report.worst_case, rel=1e-4)

    def test_sizes_equals_its_smps_twin(self, shared_data, tmp_path, monkeypatch):
        """
        The wheel ships the model without its data, so they are written from the SMPS file of the same problem.

        That file stocks size 6 as size 5 (row P05JJ02 instead of P06JJ02 in column Y06JJ01), which is put right here.
        """
        from mpisppy.tests.examples.sizes import sizes

        for suffix in ("cor", "tim", "sto"):
            text = (shared_data / "smps" / "sizes3" / f"sizes3.{suffix}").read_text()
            slip = "Y06JJ01        P06JJ01    -1.0        P05JJ02"
            (tmp_path / f"sizes3.{suffix}").write_text(text.replace(slip, slip.replace("P05", "P06")))
        smps = nr.io.read(tmp_path / "sizes3.cor")
        demands = 1000 * smps.changes["row_lower"].values
        (tmp_path / "SIZES3").mkdir()
        for s in range(3):
            (tmp_path / "SIZES3" / f"Scenario{s + 1}.dat").write_text(sizes_data(demands[s]))
        monkeypatch.setattr(sizes, "__file__", str(tmp_path / "sizes.py"))
        names = [f"Scenario{s}" for s in (1, 2, 3)]
        problem = nr.from_pyomo(sizes.scenario_creator, names, scenario_creator_kwargs={"scenario_count": 3})
        ours = nr.evaluate(problem.restrict([0]), [made_to_order(name) for name in problem.x_names])
        theirs = nr.evaluate(smps.restrict([0]), [made_to_order_in_thousands(name) for name in smps.x_names])
        assert ours.worst_case == pytest.approx(theirs.worst_case)


FIRST_DEMANDS = (2500, 7500, 12500, 10000, 35000, 25000, 15000, 12500, 12500, 5000)


def made_to_order(name):
    """Every size is produced in its own quantity and nothing is cut down: 'NumProduced..[3]', 'NumUnitsCut..[3,3]'."""
    sizes = [int(size) for size in name[name.index("[") + 1 : -1].split(",")]
    return FIRST_DEMANDS[sizes[0] - 1] if len(set(sizes)) == 1 else 0


def made_to_order_in_thousands(name):
    """The same decision by the names of the SMPS file: Z03JJ01 (setup), Y03JJ01 (produced), X030301 (cut)."""
    size, other = int(name[1:3]), name[3:5]
    if name[0] == "Z":
        return 1
    return FIRST_DEMANDS[size - 1] / 1000 if other in ("JJ", name[1:3]) else 0


def sizes_data(second_stage_demands):
    """One scenario of the SIZES problem in Pyomo's data format."""
    costs = (0.748, 0.7584, 0.7688, 0.7792, 0.7896, 0.8, 0.8104, 0.8208, 0.8312, 0.8416)

    def table(values):
        return " ".join(f"{size} {value}" for size, value in enumerate(values, start=1))

    return "\n".join(
        [
            "param NumSizes := 10 ;",
            "param Capacity := 200000 ;",
            f"param DemandsFirstStage := {table(FIRST_DEMANDS)} ;",
            f"param DemandsSecondStage := {table(second_stage_demands)} ;",
            f"param UnitProductionCosts := {table(costs)} ;",
            f"param SetupCosts := {table([453.0] * 10)} ;",
            "param UnitReductionCost := 0.008 ;",
        ]
    )
