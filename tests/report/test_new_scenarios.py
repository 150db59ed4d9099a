"""How likely a new scenario costs more than the guarantee: the formula, the rule behind it, and a simulation."""

import json
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import neurprise as nr
from neurprise.report.new_scenarios import largest_probability


@pytest.fixture
def problem():
    """Select three of eight items; forty scenarios of continuous costs, so that the best decision is unique."""
    rng = np.random.default_rng(3)
    return nr.Selection(rng.uniform(1, 9, 8), rng.uniform(1, 9, (40, 8)), 3)


@pytest.mark.parametrize(("num_scenarios", "confidence"), [(1, 0.9), (2, 0.5), (7, 0.99), (60, 0.999)])
def test_the_chances_of_all_sets_sum_to_the_rest_of_the_confidence(num_scenarios, confidence):
    """sum_k C(N, k) (1 - e(k))^(N - k) = b, which is the proof."""
    chances = [
        math.comb(num_scenarios, k) * (1 - largest_probability(num_scenarios, k, confidence)) ** (num_scenarios - k)
        for k in range(num_scenarios)
    ]
    assert sum(chances) == pytest.approx(1 - confidence)


def test_the_formula_holds_in_whole_numbers():
    """(1 - e(k))^(N - k) N C(N, k) = b, by fractions."""
    left = Fraction(1 - largest_probability(50, 4, 0.99)) ** 46 * 50 * math.comb(50, 4)
    assert float(left) == pytest.approx(0.01)


def test_all_scenarios_prove_nothing():
    """Where each of them determines the decision, a new one may cost more with any probability."""
    assert largest_probability(5, 5, 0.9) == 1.0


def test_the_scenarios_named_lead_to_the_decision_and_its_guarantee(problem):
    """By brute force over all selections, with these scenarios alone."""
    report = nr.solve(problem, gap=0)
    risk = report.new_scenario_risk(0.9)
    alone = problem.restrict(risk.scenarios)
    decisions = [np.array(bits, dtype=float) for bits in np.ndindex(*[2] * 8) if sum(bits) <= 3]
    worst = [nr.evaluate(alone, x).worst_case for x in decisions]
    assert decisions[int(np.argmin(worst))].tolist() == report.x.tolist()
    assert min(worst) == pytest.approx(report.worst_case) == risk.guarantee
    assert risk.probability == largest_probability(40, len(risk.scenarios), 0.9)
    assert f"{len(risk.scenarios)} of 40 scenarios determine" in str(risk)


def test_another_decision_gets_no_number(problem):
    """The rule must lead to this decision, not to one that is better, or as good."""
    report = nr.solve(problem, gap=0)
    other = replace(report, x=np.zeros(8), worst_case=nr.evaluate(problem, np.zeros(8)).worst_case)
    risk = other.new_scenario_risk()
    assert risk.probability is None
    assert "gives another decision" in str(risk)


def test_of_equally_good_decisions_only_the_rules_own_gets_a_number():
    """Two items alike: whichever the rule does not choose has none."""
    problem = nr.Selection([1.0, 1.0, 5.0], [[9.0, 9.0, 9.0], [8.0, 8.0, 8.0]], 1)
    report = nr.solve(problem)
    twins = [replace(report, x=np.array(x, dtype=float)) for x in ([1, 0, 0], [0, 1, 0])]
    assert sorted(risk.probability is None for risk in (twin.new_scenario_risk() for twin in twins)) == [False, True]


def test_the_decision_does_not_depend_on_the_unit_of_costs(problem):
    """At 1e-9 of the costs nothing that differs becomes equal."""
    tiny = nr.Selection(1e-9 * problem.first_stage.costs, 1e-9 * problem.scenario_data, 3)
    report = nr.solve(tiny, gap=0)
    assert report.new_scenario_risk().scenarios == nr.solve(problem, gap=0).new_scenario_risk().scenarios
    assert replace(report, x=np.zeros(8)).new_scenario_risk().probability is None


def test_scenarios_of_different_probabilities_are_no_draws(problem):
    """Equal probabilities change nothing."""
    weights = np.linspace(1, 3, 40)
    unequal = nr.solve(problem.with_labels(probabilities=weights / weights.sum()))
    assert "different probabilities" in unequal.new_scenario_risk().reason
    equal = nr.solve(problem.with_labels(probabilities=np.full(40, 1 / 40)))
    assert equal.new_scenario_risk().probability is not None


def test_without_a_guarantee_there_is_no_number():
    """One small depot serves only the first day; so does a decision that was not found."""
    problem = nr.FacilityLocation([5], [1], [9], [[1]], [[5], [8]])
    report = nr.solve(problem)
    assert "no guarantee" in replace(report, worst_case=math.inf).new_scenario_risk().reason
    assert "no guarantee" in replace(report, x=None, worst_case=math.inf).new_scenario_risk().reason


def test_a_single_scenario_proves_nothing():
    """A new one may cost anything."""
    risk = nr.solve(nr.Selection([1.0, 2.0], [[3.0, 4.0]], 1)).new_scenario_risk()
    assert str(risk) == "not known: the decision depends on each of 1 scenario"


def test_profits_are_earned():
    """Of a maximisation the words say so."""
    problem = nr.TwoStageProblem.from_matrices(
        [-2], None, None, [[1], [1]], [0, 0], [[-1], [0]], [[0], [-1]], [[5], [9], [7]], [3],
        x_integer=True, y_integer=False, x_upper=9, maximize=True, y_row_sense="<=",
        scenario_names=["low", "high", "mid"],
    )  # fmt: skip
    risk = nr.solve(problem).new_scenario_risk(0.5)
    assert risk.scenario_names == ("low",)
    assert str(risk).startswith("a new scenario earns less than 5 with probability at most")


def test_json_has_every_number(problem):
    """Plain data; None where nothing is proved."""
    data = json.loads(json.dumps(nr.solve(problem).new_scenario_risk().to_dict()))
    assert set(data) >= {"probability", "confidence", "guarantee", "num_scenarios", "scenarios", "reason"}


@pytest.mark.parametrize("confidence", [0, 1, 1.5, "high", math.nan])
def test_a_confidence_is_between_0_and_1(problem, confidence):
    """Both excluded."""
    with pytest.raises(nr.InputError, match="confidence must be"):
        nr.solve(problem).new_scenario_risk(confidence)


def test_no_time_leaves_the_question_open(problem):
    """With the reason; and a report read from JSON needs its problem."""
    report = nr.solve(problem)
    assert "no time" in report.new_scenario_risk(time_limit=0).reason
    with pytest.raises(nr.InputError, match="does not contain its problem"):
        nr.Report.from_json(report.to_json()).new_scenario_risk()


def test_new_draws_of_a_known_distribution_keep_the_promise():
    """In 100 experiments of 25 scenarios, the share of 4,000 new ones above the guarantee is rarely above the bound."""
    rng, broken, confidence = np.random.default_rng(0), 0, 0.8
    for _ in range(100):
        problem = nr.Selection([5.0, 5.5, 6.0, 5.2, 5.1], rng.uniform(1, 9, (25, 5)), 2)
        report = nr.solve(problem, gap=0)
        later = nr.evaluate(problem, report.x, scenarios=rng.uniform(1, 9, (4000, 5)))
        share = float((later.total_costs > report.worst_case).mean())
        probability = report.new_scenario_risk(confidence).probability
        broken += probability is not None and share > probability
    assert broken <= 20
