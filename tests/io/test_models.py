"""Models of every tool, one per scenario: the same problem through every door, and back into the tool."""

import copy
import math
import pickle
import weakref
from dataclasses import replace
from fnmatch import fnmatch

import numpy as np
import pytest

import neurprise as nr
from experiments.judges.model_files.builders import build_highs
from experiments.judges.model_files.solving import tools
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


@pytest.mark.parametrize("name", NAMES)
def test_the_answer_is_loaded_into_the_tools_model(name, tmp_path):
    """Objective and names as the tool has them; a model that was read stays as it was."""
    tool = tools(tmp_path)[name]
    pytest.importorskip(doors(tmp_path)[name].package)
    for models, first_stage in PROBLEMS.values():
        built = {scenario: tool.build(one) for scenario, one in models.items()}
        columns = next(iter(models.values())).columns
        chosen = [j for j, column in enumerate(columns) if any(fnmatch(column, part) for part in first_stage)]
        problem = nr.from_models(built, first_stage=[tool.name(columns[j], j) for j in chosen])
        report = nr.solve(problem)
        costs = nr.evaluate(problem, report.x).recourse_costs
        now = problem.first_stage.costs @ report.x * (-1 if problem.maximize else 1)
        for s, scenario in enumerate(models):
            offset = problem.offset * (-1 if problem.maximize else 1)
            loaded = tool.value(problem, built[scenario], scenario, report.x)
            assert loaded == pytest.approx(now + costs[s] + offset)
        assert nr.from_models(built, first_stage=list(problem.x_names)) == problem


def test_a_function_builds_one_model_at_a_time():
    """Equal to models by name; none is alive when the next one is built."""
    alive = weakref.WeakSet()

    def build(name):
        assert len(alive) == 0
        built = build_highs(DEPOTS[name])
        alive.add(built)
        return built

    by_name = nr.from_models({name: build_highs(one) for name, one in DEPOTS.items()}, first_stage=["*_open"])
    assert nr.from_models(build, list(DEPOTS), first_stage=["*_open"]) == by_name


def test_first_stage_costs_that_differ_are_paid_by_their_scenario():
    """Not the first scenario's: 40 or 90 for depot a."""
    dear = replace(DEPOTS["busy"], costs=np.array([90.0, 55, 7, 6, 9]))
    problem = through_highs({"calm": DEPOTS["calm"], "busy": dear}, ["*_open"])
    assert problem.changes["x_costs"].values.ravel().tolist() == [40, 90]
    assert [problem.first_stage.costs[0], *nr.evaluate(problem, [1, 0]).recourse_costs] == [0, 40 + 14, 90 + 28 + 45]


def test_first_stage_rows_and_bounds_that_differ_must_hold_in_every_scenario():
    """A site that is closed in one scenario, and land that only one scenario limits."""
    closed = replace(DEPOTS["busy"], upper=np.array([0, 1, 9, 9, INF]))
    problem = through_highs({"calm": DEPOTS["calm"], "busy": closed}, ["*_open"])
    assert problem.y_row_names[-1] == "bounds of a_open"
    assert np.isfinite(nr.evaluate(problem, [1, 0]).recourse_costs).tolist() == [True, False]
    assert np.isfinite(nr.evaluate(problem.restrict([0]), [1, 0]).recourse_costs).all()
    narrow = replace(MILLS["dry"], row_upper=np.array([10, 0, 6, 0]))
    fields = through_highs({"wet": MILLS["wet"], "dry": narrow}, ["land", "contract"])
    assert "area" in fields.y_row_names
    assert np.isfinite(nr.evaluate(fields, {"land": 20, "contract": 2}).recourse_costs).tolist() == [True, False]


def test_columns_and_rows_may_come_in_any_order():
    """They go by their names."""
    busy, order = DEPOTS["busy"], [4, 2, 0, 1, 3]
    parts = {kind: getattr(busy, kind)[order] for kind in ("costs", "lower", "upper", "integer")}
    matrix = busy.matrix[[2, 0, 1]][:, order]
    limits = {kind: getattr(busy, kind)[[2, 0, 1]] for kind in ("row_lower", "row_upper")}
    names = {"columns": tuple(busy.columns[j] for j in order), "rows": tuple(busy.rows[i] for i in (2, 0, 1))}
    turned = replace(busy, matrix=matrix, **parts, **limits, **names)
    both = through_highs(DEPOTS, ["*_open"]), through_highs({**DEPOTS, "busy": turned}, ["*_open"])
    assert both[0] == both[1]


def test_a_constant_that_differs_is_no_decision(tmp_path):
    """It is in the costs, and in no plan."""
    problem = through_highs({"a": DEPOTS["calm"], "b": replace(DEPOTS["calm"], offset=7.0)}, ["*_open"])
    report = nr.solve(problem)
    assert np.diff(nr.evaluate(problem, report.x).recourse_costs).tolist() == [7]
    assert set(report.recourse("b")) == {"lorry_a", "lorry_b", "short"}
    report.to_csv(tmp_path)
    report.to_html(tmp_path / "page.html")
    assert "constant" not in (tmp_path / "recourse.csv").read_text()
    assert "<td>constant</td>" not in (tmp_path / "page.html").read_text()
    assert set(problem.load(report.x, "b").getLp().col_names_) == set(DEPOTS["calm"].columns)


@pytest.mark.parametrize("given", [{"busy": 0.5, "calm": 0.2, "dear": 0.3}, [0.2, 0.5, 0.3]])
def test_probabilities_go_by_name_or_order(given):
    """A name that is not there is answered with the closest one."""
    built = {name: build_highs(one) for name, one in DEPOTS.items()}
    problem = nr.from_models(built, first_stage=["*_open"], probabilities=given)
    assert problem.probabilities.tolist() == [0.2, 0.5, 0.3]
    with pytest.raises(nr.InputError, match=r"got one for 'bussy' \(did you mean 'busy'\?\)"):
        nr.from_models(built, first_stage=["*_open"], probabilities={"calm": 0.2, "bussy": 0.5, "dear": 0.3})


CALM = DEPOTS["calm"]


@pytest.mark.parametrize(
    ("other", "sentence"),
    [
        (replace(CALM, maximize=True), "the other sense"),
        (replace(CALM, integer=np.array([True, True, False, True, False])), "'lorry_a' is continuous here and integer"),
        (replace(CALM, columns=("a_open", "b_open", "lorry_a", "lory_b", "short")), "the variable 'lorry_b' exists in"),
        (
            replace(CALM, columns=("a_open", "b_open", "lorry_a", "a_open ", "short")),
            "two variables have the name 'a_op",
        ),
        (replace(CALM, offset=math.nan), "the objective's constant must be finite"),
        (replace(CALM, upper=CALM.lower - 1), "'a_open' has the limits 0.0 and -1.0"),
    ],
)
def test_scenarios_that_are_no_one_problem_are_refused(other, sentence):
    """With the scenario's name."""
    with pytest.raises(nr.InputError, match=f"scenario 'other': .*{sentence}"):
        through_highs({"calm": CALM, "other": other}, ["*_open"])


@pytest.mark.parametrize(
    ("models", "options", "sentence"),
    [
        ({"a": CALM}, {"first_stage": ["lorrya"]}, r"no variable 'lorrya' \(did you mean 'lorry_a'\?\)"),
        ({"a": CALM}, {"first_stage": "lorry_a"}, r"first_stage must be a list of names, got 'lorry_a'"),
        ({"a": CALM}, {"first_stage": []}, "first_stage must name at least one variable"),
        ({"a": CALM}, {}, "does not say which variables are first stage; pass first_stage"),
        (
            {"a": CALM},
            {"first_stage": [3.5]},
            "must list names, patterns or variables of the modelling tool, got float",
        ),
        ({}, {"first_stage": ["x"]}, "must name at least one scenario"),
        ({"a": CALM}, {"first_stage": ["*_open"], "scenario_names": ["a"]}, "models by name need no scenario_names"),
        (build_highs, {"first_stage": ["*_open"]}, "a function that builds models needs scenario_names"),
        ([CALM], {"first_stage": ["*_open"]}, "models must be a dict .* or a function .*, got list"),
    ],
)
def test_wrong_arguments_are_answered_with_a_sentence(models, options, sentence):
    """The rule, the value and the remedy."""
    built = {name: build_highs(one) for name, one in models.items()} if isinstance(models, dict) else models
    with pytest.raises(nr.InputError, match=sentence):
        nr.from_models(built, **options)


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (object(), "a model must be one of linopy, gurobipy, .* got object"),
        ("gone.lp", "'gone.lp' is not a file"),
        (([1.0],), r"a tuple \(c, constraints, bounds, integrality\), got 1 part"),
        (([1.0, 2.0], [np.ones((1, 2))], None, None), "must be a scipy LinearConstraint, got ndarray"),
    ],
)
def test_what_is_no_model_is_refused(model, sentence):
    """By its type, or by what is missing."""
    with pytest.raises(nr.InputError, match=sentence):
        nr.from_models({"only": model}, first_stage=["x"])


def test_files_and_workers_get_the_problem_without_its_models(tmp_path):
    """No tool's model can be pickled, or need be."""
    problem = through_highs(DEPOTS, ["*_open"])
    plain = nr.TwoStageProblem(**problem.general_form())
    problem.write(tmp_path / "depots.npz")
    assert pickle.loads(pickle.dumps(problem)) == nr.read(tmp_path / "depots.npz") == plain
    assert copy.deepcopy(problem) == problem


def test_a_scenario_that_was_renamed_has_no_model():
    """It can still be given."""
    problem = through_highs(DEPOTS, ["*_open"]).with_labels(scenario_names=["a", "b", "c"])
    with pytest.raises(nr.InputError, match="there is no model for scenario 'b'"):
        problem.load([1, 1], "b")
    assert problem.load([1, 1], "b", model=build_highs(DEPOTS["busy"])).getSolution().value_valid


def through_highs(models, first_stage):
    return nr.from_models({name: build_highs(one) for name, one in models.items()}, first_stage=first_stage)
