"""The net has no holes where answers once slipped through: each kind of false answer is noticed."""

import math
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("pyscipopt", reason="SCIP judges")
pytest.importorskip("gurobipy", reason="Gurobi judges")

import neurprise as nr
from experiments.judges.examining.examination import Examination
from experiments.judges.examining.promises import no_worse_than_own_decision, reaches
from experiments.judges.examining.reducers import reduction_is_true, same_trace
from experiments.judges.examining.rules import certified, evaluated, is_worth, optimal_within, recourse_of, reduced
from experiments.judges.examining.shrink import as_code, shrunk
from experiments.judges.oracles.truth import truth_of
from experiments.judges.random_problems import Case, Statement
from neurprise.errors import EngineError, InfeasibleProblemError, NotApplicableError, UnboundedProblemError
from neurprise.recourse.evaluator import Evaluation
from neurprise.reducers import Reduction
from neurprise.report import Report
from neurprise.search.session import Status


def statement(costs=((2.0,), (3.0,)), reward=0.0):
    """One x and one y, both integer in [0, 4]; y >= 3 - x; x costs 1, y costs 2 or 3: V = 3 - reward at x = 3."""
    b = np.array(costs)
    size = len(b)
    return Statement(
        c=np.array([1.0]),
        A=np.zeros((0, 1)),
        a_lower=np.zeros(0),
        a_upper=np.zeros(0),
        x_lower=np.zeros(1),
        x_upper=np.full(1, 4.0),
        x_integer=np.ones(1, dtype=bool),
        b=b,
        q=np.zeros((size, 1)),
        T=np.ones((size, 1, 1)),
        W=np.ones((size, 1, 1)),
        row_lower=np.full((size, 1), 3.0),
        row_upper=np.full((size, 1), np.inf),
        y_lower=np.zeros((size, 1)),
        y_upper=np.full((size, 1), 4.0),
        y_integer=np.ones(1, dtype=bool),
        offset=-reward,
    )


def examination(given=None, money=1.0):
    given = given or statement()
    return Examination(Case(0, "by hand", given.problem(), given, None, money=money), truth_of(given))


def report(**claims):
    """The right answer, except for the claims."""
    right = {"x": np.array([3.0]), "worst_case": 3.0, "lower_bound": 3.0, "status": Status.OPTIMAL, "scenarios": (0, 1)}
    right |= {"worst_scenario": 0, "runtime": 0.0, "num_checked": 2}
    return Report(**(right | claims))


def findings(rule, answer, given=None, **options):
    """What a rule says about an answer; an exception is raised as the package would."""
    asked = examination(given)

    def question():
        if isinstance(answer, Exception):
            raise answer
        return answer

    asked.ask("asked", question, rule, **options)
    return [(finding.sort, finding.message) for finding in asked.findings]


def test_the_right_answer_passes():
    """Otherwise nothing below shows anything."""
    assert findings(optimal_within(0.0), report()) == []


@pytest.mark.parametrize(
    "claims, words",
    [
        pytest.param({"worst_case": 2.0, "lower_bound": 2.0}, "the value is 3", id="too cheap"),
        pytest.param(
            {"x": np.array([0.0]), "worst_case": 9.0, "lower_bound": 9.0}, "above the value", id="false bound"
        ),
        pytest.param({"x": np.array([0.0]), "worst_case": 9.0}, "the value is 3", id="not optimal"),
        pytest.param({"x": np.array([1.0])}, "Z(x) is 7", id="another decision's cost"),
        pytest.param({"x": np.array([4.0])}, "Z(x) is 4", id="dearer than said"),
        pytest.param({"x": np.array([5.0])}, "breaks the first stage", id="no decision at all"),
        pytest.param({"x": None, "worst_case": math.inf}, "without a decision", id="lost decision"),
        pytest.param({"worst_scenario": None}, "no worst scenario", id="unnamed scenario"),
        pytest.param({"infeasible_scenarios": (1,)}, "called infeasible", id="false infeasibility"),
        pytest.param({"status": Status.REDUCED}, "status reduced", id="gave up"),
    ],
)
def test_a_false_optimum_is_noticed(claims, words):
    """Each claim that differs from the truth is named."""
    found = findings(optimal_within(0.0), report(**claims))
    assert any(sort == "wrong" and words in message for sort, message in found)


@pytest.mark.parametrize(
    "error, sort",
    [
        pytest.param(UnboundedProblemError("falls"), "wrong", id="unbounded"),
        pytest.param(InfeasibleProblemError("none"), "wrong", id="infeasible"),
        pytest.param(EngineError("stalled"), "exception", id="engine gave up"),
        pytest.param(ValueError("oops"), "exception", id="bug"),
        pytest.param(NotApplicableError("no"), "exception", id="refused"),
    ],
)
def test_errors_must_be_true(error, sort):
    """The problem has a solution, so none of these is."""
    assert [found for found, _ in findings(optimal_within(0.0), error)] == [sort]


def test_a_method_may_refuse_a_problem():
    """SOR needs positive costs, the network a checkpoint."""
    assert findings(reduced, NotApplicableError("no"), may_refuse=True) == []


def test_infeasible_problems_must_be_called_infeasible():
    """No y reaches 3 - x where y <= 4 is cut to y <= -1."""
    hopeless = replace(statement(), y_upper=np.full((2, 1), -1.0))
    assert findings(optimal_within(0.0), InfeasibleProblemError("none"), hopeless) == []
    assert [sort for sort, _ in findings(optimal_within(0.0), UnboundedProblemError("falls"), hopeless)] == ["wrong"]


def test_a_percentage_across_zero_is_noticed():
    """True optimum 1, worst case 5, bound -8: the regret is 400 %, not 162.5 %."""
    claim = report(x=np.array([1.0]), worst_case=5.0, lower_bound=-8.0, status=Status.REDUCED, worst_scenario=1)
    asked = examination(statement(reward=2.0))
    assert asked.truth.judge.value() == pytest.approx(1.0)
    assert findings(reduced, claim, statement(reward=2.0)) == []
    false = _WithFalsePercentage(**vars(claim))
    assert any("regret_bound 162.5" in message for _, message in findings(reduced, false, statement(reward=2.0)))


class _WithFalsePercentage(Report):
    @property
    def regret_bound(self):
        return 100 * (self.worst_case - self.lower_bound) / abs(self.lower_bound)


def test_a_decision_thrown_away_is_noticed():
    """V(R) is finite, so the reduced problem has a decision."""
    lost = report(x=None, worst_case=math.inf, status=Status.REDUCED, worst_scenario=None)
    assert [message for _, message in findings(reduced, lost)] == ["no decision, but V(R) is 3"]


def test_a_limit_may_leave_a_decision_unchecked():
    """Then the worst case is unknown, and nothing more is claimed."""
    cut = report(worst_case=math.inf, status=Status.TIME_LIMIT, worst_scenario=None, num_checked=1)
    assert findings(certified, cut) == []


@pytest.mark.parametrize(
    "costs, false",
    [
        pytest.param([4.0, 6.0], False, id="right"),
        pytest.param([math.inf, 6.0], True, id="not infeasible"),
        pytest.param([-math.inf, 6.0], True, id="not unbounded"),
        pytest.param([4.0, 5.0], True, id="too cheap"),
    ],
)
def test_a_false_recourse_cost_is_noticed(costs, false):
    """At x = 1 two units are missing, at 2 or 3 each."""
    answer = Evaluation(np.array(costs), 1.0 + max(costs), int(np.argmax(costs)))
    assert bool(findings(evaluated(np.array([1.0])), answer)) is false


@pytest.mark.parametrize(
    "y, false",
    [
        pytest.param(2.0, False, id="right"),
        pytest.param(1.0, True, id="too little"),
        pytest.param(3.0, True, id="more than needed"),
        pytest.param(2.5, True, id="not whole"),
    ],
)
def test_a_false_recourse_is_noticed(y, false):
    """At x = 1 two units are missing."""
    assert bool(findings(recourse_of(np.array([1.0]), 0), {"y[0]": y})) is false


def test_profits_are_read_as_negated_costs():
    """The same answer to the same problem, stated as a maximisation."""
    profits = replace(statement(), maximize=True)
    claim = report(worst_case=-3.0, lower_bound=-3.0, maximize=True)
    assert findings(optimal_within(0.0), claim, profits) == []
    assert findings(optimal_within(0.0), report(maximize=True), profits) != []
    assert findings(evaluated(np.array([1.0])), Evaluation(np.array([-4.0, -6.0]), -7.0, 1), profits) == []
    assert findings(reduction_is_true, Reduction((1,), (-3.0,), -3.0), profits) == []


def test_a_false_reduction_is_noticed():
    """V({0}) = V({1}) = 3."""
    assert findings(reduction_is_true, Reduction((1,), (3.0,), 3.0)) == []
    assert findings(reduction_is_true, Reduction((1,), (2.0,), 2.0)) != []
    assert findings(reduction_is_true, Reduction((1, 1))) != []
    assert findings(reduction_is_true, Reduction((0,), guarantee=1.5)) != []


def test_traces_may_differ_by_ties_only():
    """Scenario 0 is worth 3, scenario 1 with cost 0.5 only 1.5."""
    uneven = statement(((2.0,), (0.5,)))
    assert findings(same_trace, (Reduction((0,)), Reduction((1,))), statement()) == []
    assert findings(same_trace, (Reduction((1,)), Reduction((0,))), uneven) != []


def test_shrinking_keeps_what_fails_and_drops_the_rest():
    """What fails here is a recourse cost of 3; all else becomes zero or one."""
    case = examination().case
    small = shrunk(case, lambda other: bool((other.statement.b == 3.0).any()))
    assert small.statement.b.tolist() == [[3.0]]
    assert small.statement.c.tolist() == [0.0]
    assert "b=array([[3.0]])" in as_code(small)
    assert nr.evaluate(small.problem, [0.0]).recourse_costs.shape == (1,)


def test_a_decision_that_the_judges_confirm_corrects_their_optimum(monkeypatch):
    """Judges that search at magnitudes of millions may miss a decision that they can judge."""
    given = examination()
    monkeypatch.setattr(given.truth.judge, "value", lambda scenarios=None: 8.0)
    optimal_within(0.0)(given, "solve", report())
    assert given.findings == []
    optimal_within(0.0)(given, "solve", report(worst_case=2.0, lower_bound=2.0))
    assert {finding.sort for finding in given.findings} == {"wrong"}


@pytest.mark.parametrize("money", [1e-9, 1e-4, 1e9])
def test_claims_are_judged_in_the_unit_of_the_costs(money):
    """A third too little is noticed whatever a unit of money is."""
    right = report(worst_case=3 * money, lower_bound=3 * money)
    asked = examination(money=money)
    asked.ask("solve", lambda: right, optimal_within(0.0))
    assert asked.findings == []
    asked.ask("solve", lambda: replace(right, worst_case=2 * money, lower_bound=2 * money), optimal_within(0.0))
    assert {finding.sort for finding in asked.findings} == {"wrong"}


def test_a_target_that_is_not_reached_is_noticed():
    """A worst case of 9 against a bound of 3 is a gap of 200 %."""
    far = report(x=np.array([0.0]), worst_case=9.0, status=Status.REDUCED, worst_scenario=1)
    assert [sort for sort, _ in findings(reaches(1.0), far)] == ["wrong"]
    tired = replace(far, status=Status.NUMERICAL_LIMIT)
    assert [sort for sort, _ in findings(reaches(1.0), tired)] == ["numerical limit"]
    assert findings(reaches(1.0), report(status=Status.REDUCED)) == []


def test_a_reduced_answer_above_the_reduced_problems_own_decision_is_noticed():
    """The own decision of scenario 0 is x = 3, at 3 in all scenarios."""
    far = report(x=np.array([0.0]), worst_case=9.0, status=Status.REDUCED, worst_scenario=1, scenarios=(0,))
    assert [sort for sort, _ in findings(no_worse_than_own_decision("highs", 5.0), far)] == ["worse"]
    assert findings(no_worse_than_own_decision("highs", 5.0), report(scenarios=(0,))) == []


def test_another_problem_of_known_value_is_judged_by_it():
    """One scenario, read from a file, has the value 3."""
    rule = is_worth(lambda judge: judge.value([0]))
    assert findings(rule, report()) == []
    assert [sort for sort, _ in findings(rule, report(worst_case=2.0, lower_bound=2.0))] == ["wrong"]
    assert [sort for sort, _ in findings(rule, report(worst_case=4.0, lower_bound=3.5))] == ["wrong"]
