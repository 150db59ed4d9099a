"""Names that are probably misspelt are told; they silently change a model."""

import warnings
from pathlib import Path

import pytest

import neurprise as nr

MODEL = """\
Maximize
 profit: 5 sell_mango - 2 buy_mango - 3 buy_plum + 7 sell_plum
Subject To
 mango: sell_mango - buy_mango <= 0
 plum: sell_plum - buy_plum <= 0
 demand_mango: sell_mango <= 40
 demand_plum: sell_plum <= 60
 money: 2 buy_mango + 3 buy_plum + slack_1 = 100
End
"""
PLAN = """\
model = "fruit.lp"
scenarios = "days.csv"
first_stage = ["buy_*"]
[columns]
mangos = { rhs = "demand_mango" }
plums = { rhs = "demand_plum" }
"""
EXAMPLES = Path(__file__).parents[2] / "examples"
DATA = Path(__file__).parents[3] / "shared" / "data" / "smps"


@pytest.fixture
def fruit(tmp_path):
    """Reads the plan with a changed model and plan."""

    def read(model=MODEL, plan=PLAN):
        (tmp_path / "fruit.lp").write_text(model)
        (tmp_path / "days.csv").write_text("mangos,plums\n40,60\n20,10\n")
        (tmp_path / "plan.toml").write_text(plan)
        return nr.read(tmp_path / "plan.toml")

    return read


def test_a_variable_that_only_one_row_knows_is_told(fruit):
    """The row limits a variable that nobody sells, and the guarantee is too good."""
    model = MODEL.replace("demand_mango: sell_mango", "demand_mango: sell_mongo")
    with pytest.warns(nr.InputWarning, match="'sell_mongo' has no cost and stands in row 'demand_mango' only; did you"):
        wrong = fruit(model)
    assert nr.solve(wrong).worst_case > nr.solve(fruit()).worst_case + 1


def test_a_first_stage_variable_without_effect_is_told(fruit):
    """With the closest name, where one is close."""
    model = MODEL.replace("End", "Bounds\n buy_pulm <= 9\nGenerals\n buy_pulm\nEnd")
    with pytest.warns(
        nr.InputWarning, match="first-stage variable 'buy_pulm' has no cost and stands in no row, .*'buy_plum'"
    ):
        fruit(model)


def test_models_without_mistakes_are_read_in_silence(fruit):
    """Slacks have numbers, and a variable beside its twin is meant."""
    model = MODEL.replace("+ slack_1", "+ slack_1 + slack_2").replace(
        "sell_plum - buy_plum", "sell_plum - buy_plum - sell_plums"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fruit()
        fruit(model)


@pytest.mark.parametrize("path", [*EXAMPLES.rglob("*.toml"), *EXAMPLES.rglob("*.cor")], ids=lambda path: path.name)
def test_shipped_examples_are_read_in_silence(path):
    """No false alarm."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nr.read(path)


@pytest.mark.skipif(not DATA.is_dir(), reason="the shared instances are not here")
@pytest.mark.parametrize(
    "name", ["drslp_5_5_5_5", "sslp_10_50_50", "sslp_5_25_15_BB", "semi2", "storm", "ssn", "LandS"]
)
def test_published_instances_raise_no_alarm(name):
    """Some have variables that stand in one row only, without any cost; their names differ in numbers."""
    core = next(path for path in sorted((DATA / name).iterdir()) if path.suffix.lower() in (".cor", ".core", ".mps"))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        nr.read(core, sample=3)
    assert not [
        warning for warning in told if "did you mean" in str(warning.message) or "no cost" in str(warning.message)
    ]
