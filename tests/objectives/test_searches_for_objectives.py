"""Answers by every objective, judged from outside: all decisions listed, recourse and values by scipy alone."""

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

import neurprise as nr
from neurprise.search.objective_search import ObjectiveSearch

NAMES = [
    "expected", "cvar:0.6", "cvar:0.4:0.5", "total-variation:0.35", "wasserstein:6:1", "regret", "regret:expected",
    "regret:cvar:0.5",
]  # fmt: skip
SIZE = 4


class Case:
    """Choose actions now, pay for them and for what is missing later; every decision can be listed."""

    def __init__(self, seed, integer=False, scale=1.0, infeasible=False, maximize=False, scenarios=6):
        rng = np.random.default_rng(seed)
        self.maximize, self.integer, self.scale = maximize, integer, scale
        self.c = scale * rng.uniform(-5, 15, SIZE)
        self.cover = rng.uniform(1, 5, SIZE)
        self.demands = rng.uniform(0, 8, (scenarios, 1))
        self.b = scale * rng.uniform(10, 40, (scenarios, SIZE + 1))
        self.most = 3.0 if infeasible else 20.0  # of what is bought later
        self.p = rng.dirichlet(np.ones(scenarios))
        self.problem = nr.TwoStageProblem.from_matrices(
            c=self.c, A=np.ones((1, SIZE)), d=[1.0], G=np.eye(SIZE + 1), h=np.zeros(SIZE + 1),
            E=np.vstack([-np.eye(SIZE), self.cover]), M=[[0.0]] * SIZE + [[-1.0]], xi=self.demands,
            b=self.b, x_integer=True, y_integer=integer, x_upper=1, y_upper=self.most, probabilities=self.p,
        )  # fmt: skip
        if maximize:
            self.problem = nr.TwoStageProblem(**(self.problem.general_form() | {"maximize": True}))

    def totals(self, x):
        """Total cost of x in every scenario, shape (S,), by scipy, which is right at an ordinary scale only."""
        W, found = np.eye(SIZE + 1), []
        for demand, b in zip(self.demands[:, 0], self.b, strict=True):
            low = np.concatenate([x, [demand - self.cover @ x]])
            result = milp(b / self.scale, constraints=LinearConstraint(W, low, np.inf), bounds=Bounds(0, self.most),
                          integrality=np.full(SIZE + 1, int(self.integer)), options={"mip_rel_gap": 0.0})  # fmt: skip
            found.append(self.c @ x + self.scale * result.fun if result.status == 0 else np.inf)
        return np.array(found)

    @property
    def table(self):
        """Total costs of every decision, shape (decisions, S)."""
        xs = [np.array(x, dtype=float) for x in itertools.product((0, 1), repeat=SIZE) if sum(x)]
        return np.array([self.totals(x) for x in xs])


def outside_value(name, costs, p, demands):
    """The value of these costs, each by its textbook definition and scipy's linear programs."""
    kind, _, rest = name.partition(":")
    numbers = [float(part) for part in rest.split(":") if part] if kind != "regret" else []
    if np.isinf(costs).any():
        return np.inf
    if kind == "expected":
        return p @ costs
    if kind == "cvar":
        weight = numbers[1] if len(numbers) > 1 else 1.0
        tail = min(t + p @ np.maximum(costs - t, 0) / (1 - numbers[0]) for t in costs)
        return weight * tail + (1 - weight) * (p @ costs)
    if kind == "total-variation":
        size = len(p)
        rows = np.vstack(
            [np.hstack([s * np.eye(size), -np.eye(size)]) for s in (1, -1)] + [np.r_[np.zeros(size), np.ones(size)]]
        )
        ends = np.concatenate([p, -p, [2 * numbers[0]]])
        found = linprog(np.r_[-costs, np.zeros(size)], rows, ends, [np.r_[np.ones(size), np.zeros(size)]], [1.0])
        return -found.fun
    distances = np.abs(demands - demands.T) if kind == "wasserstein" else None
    size = len(p)
    moved = linprog(-np.tile(costs, size), [distances.ravel()], [numbers[0]], np.kron(np.eye(size), np.ones(size)), p)
    return -moved.fun


def best_outside(case, name):
    """The least value of any decision."""
    table = case.table
    if name.startswith("regret"):
        table, name = table - table.min(axis=0), name.partition(":")[2] or "worst"
    if name == "worst":
        return table.max(axis=1).min()
    return case.scale * min(outside_value(name, costs / case.scale, case.p, case.demands) for costs in table)


@pytest.fixture(params=["copies", "cuts"])
def way(request, monkeypatch):
    """Both ways of the search: everything in one model, and cuts with copies where they are needed."""
    if request.param == "cuts":
        monkeypatch.setattr(ObjectiveSearch, "_is_one_model", False)
    return request.param


def only_demand_differs(case):
    """The same case with the prices of the first scenario in all, so that distances are those of demands."""
    case.b[:] = case.b[0]
    case.problem = nr.TwoStageProblem.from_matrices(
        c=case.c, A=np.ones((1, SIZE)), d=[1.0], G=np.eye(SIZE + 1), h=np.zeros(SIZE + 1),
        E=np.vstack([-np.eye(SIZE), case.cover]), M=[[0.0]] * SIZE + [[-1.0]], xi=case.demands,
        b=case.b[0], x_integer=True, y_integer=case.integer, x_upper=1, y_upper=case.most, probabilities=case.p,
    )  # fmt: skip
    return case


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("integer", [False, True], ids=["linear", "integer"])
def test_every_objective_finds_the_best_of_all_decisions(name, integer, way):
    """Value and bound enclose the least value of any decision."""
    for seed in range(4):
        case = only_demand_differs(Case(seed, integer)) if name.startswith("wasserstein") else Case(seed, integer)
        report, best = nr.solve(case.problem, objective=name, gap=1e-6), best_outside(case, name)
        assert report.status is nr.Status.OPTIMAL
        assert report.value == pytest.approx(best, rel=1e-5, abs=1e-5), seed
        assert report.lower_bound <= best + 1e-5 * max(1.0, abs(best)), seed
        assert report.objective == name


@pytest.mark.parametrize("scale", [1e-9, 1e-4, 1e6, 1e9])
@pytest.mark.parametrize("name", ["expected", "cvar:0.6", "regret", "total-variation:0.35"])
def test_no_scale_breaks_a_proof(name, scale, way):
    """Bounds hold for costs from 1e-9 to 1e11."""
    for seed in range(2):
        case = Case(seed, integer=bool(seed), scale=scale)
        report, best = nr.solve(case.problem, objective=name), best_outside(case, name)
        noise = 1e-5 * max(scale, abs(best))
        assert report.lower_bound - noise <= best <= report.value + noise
        assert report.value == pytest.approx(best, rel=1e-3, abs=1e-3 * scale)


@pytest.mark.parametrize("name", ["expected", "cvar:0.6", "total-variation:0.35"])
def test_decisions_without_recourse_are_never_the_answer(name, way):
    """A scenario without recourse makes the value infinite; others are still found."""
    for seed in range(4):
        case = Case(seed, infeasible=True)
        best = best_outside(case, name)
        if math.isinf(best):
            with pytest.raises(nr.InfeasibleProblemError):
                nr.solve(case.problem, objective=name)
        else:
            assert nr.solve(case.problem, objective=name, gap=1e-6).value == pytest.approx(best, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("integer", [False, True], ids=["linear", "integer"])
def test_a_problem_without_any_decision_is_refused(integer, way):
    """Rules that no decision keeps are proved by copies; the search comes to an end."""
    problem = nr.TwoStageProblem.from_matrices(
        c=[1.0], A=None, d=None, G=[[1.0]], h=[5.0], E=[[1.0]], M=None, xi=None, b=[[1.0], [2.0], [3.0]],
        x_integer=True, y_integer=integer, x_upper=1.0, y_upper=3.0,
    )  # fmt: skip
    for name in ("expected", "total-variation:0.35"):
        with pytest.raises(nr.InfeasibleProblemError):
            nr.solve(problem, objective=name)


def test_profits_have_lower_tails(way):
    """Of a maximisation, the value is the mean of the lowest profits; regrets stay what they are."""
    costs, profits = Case(3), Case(3, maximize=True)
    for name in ("expected", "cvar:0.6"):
        cost, profit = (nr.solve(case.problem, objective=name, gap=1e-7) for case in (costs, profits))
        assert profit.value == pytest.approx(-cost.value)
        assert profit.lower_bound >= profit.value - 1e-6
        assert profit.absolute_gap == pytest.approx(cost.absolute_gap, abs=1e-4)
    cost, profit = (nr.solve(case.problem, objective="regret", gap=1e-7) for case in (costs, profits))
    assert profit.value == pytest.approx(cost.value)
    assert profit.lower_bound <= profit.value + 1e-9
    assert profit.worst_case == pytest.approx(-cost.worst_case)


@pytest.mark.parametrize("name", ["expected", "cvar:0.6", "regret"])
def test_what_changes_nothing_changes_nothing(name):
    """Permuted scenarios, an offset, and a scenario told twice with its probability split."""
    case = Case(5)
    value = nr.solve(case.problem, objective=name, gap=1e-7).value
    general = case.problem.general_form()
    order = [3, 1, 0, 5, 4, 2]
    assert nr.solve(case.problem.restrict(order), objective=name, gap=1e-7).value == pytest.approx(value)
    moved = nr.TwoStageProblem(**(general | {"offset": 7.0}))
    rise = 0.0 if name == "regret" else 7.0
    assert nr.solve(moved, objective=name, gap=1e-7).value == pytest.approx(value + rise)
    data, p = case.problem.scenario_data, case.p
    split = case.problem.with_scenarios(np.vstack([data, data[:1]]), probabilities=np.r_[p[0] / 3, p[1:], 2 * p[0] / 3])
    assert nr.solve(split, objective=name, gap=1e-7).value == pytest.approx(value)


def test_objectives_are_ordered_as_their_polytopes():
    """V_expected <= V_cvar(a) <= V_cvar(b) <= V_worst; the ends of both balls are expectation and worst case."""
    for seed in range(6):
        problem = Case(seed, integer=seed % 2 == 0).problem
        values = [nr.solve(problem, objective=n, gap=1e-7).value for n in ("expected", "cvar:0.3", "cvar:0.8", "worst")]
        assert all(low <= high + 1e-6 * max(1.0, abs(high)) for low, high in itertools.pairwise(values))
        ends = {"total-variation:0": 0, "total-variation:1": 3, "cvar:0": 0, "cvar:0.9999999": 3, "wasserstein:0": 0}
        for name, place in ends.items():
            assert nr.solve(problem, objective=name, gap=1e-7).value == pytest.approx(values[place], rel=1e-5, abs=1e-5)


def test_the_regret_of_one_scenario_is_zero():
    """Whatever its costs are."""
    for scale in (1e-6, 1.0, 1e7):
        alone = Case(2, scale=scale).problem.restrict([4])
        report = nr.solve(alone, objective="regret")
        assert report.status is nr.Status.OPTIMAL
        assert report.lower_bound <= report.value
        assert report.value == pytest.approx(0.0, abs=1e-6 * scale)


@pytest.mark.parametrize("make", [nr.make_selection, nr.make_vertex_cover])
def test_regret_agrees_with_listing_every_decision(make):
    """Min-max regret of small selections and vertex covers."""
    for seed in range(5):
        problem = make(5, 5, seed=seed)
        xs = [np.array(x, dtype=float) for x in itertools.product((0, 1), repeat=5)]
        feasible = [x for x in xs if problem.first_stage.violation(x) <= 1e-9]
        totals = np.array([nr.evaluate(problem, x).total_costs for x in feasible])
        best = (totals - totals.min(axis=0)).max(axis=1).min()
        for arguments in ((), ("prise", 5)):
            report = nr.solve(problem, *arguments, objective="regret", gap=1e-7)
            assert report.value == pytest.approx(best, abs=1e-6)
            assert report.lower_bound <= best + 1e-6


def test_a_second_engine_confirms_value_and_bound():
    """verify= means the same for every objective."""
    pytest.importorskip("pyscipopt")
    for name in ("expected", "cvar:0.6", "regret", "regret:expected"):
        report = nr.solve(Case(1).problem, objective=name, verify="scip")
        assert report.verification is not None
        assert report.verification.agrees


def test_reducers_say_where_they_do_not_apply():
    """They choose scenarios for the worst case; few scenarios say nothing about a mean."""
    with pytest.raises(nr.NotApplicableError, match="chooses scenarios for the worst case"):
        nr.solve(Case(0).problem, "prise", 2, objective="expected")


def test_a_state_belongs_to_one_objective(tmp_path):
    """A bound on the mean says nothing about the worst case."""
    problem, state = Case(0).problem, tmp_path / "search.state"
    first = nr.solve(problem, objective="expected", state=state)
    again = nr.solve(problem, objective="expected", state=state)
    assert again.value == pytest.approx(first.value)
    assert again.status is nr.Status.OPTIMAL
    with pytest.raises(nr.InputError, match="another problem or objective"):
        nr.solve(problem, objective="worst", state=state)


def test_limits_stop_with_what_is_proved(way):
    """No time, a caller who says stop: never called optimal, and bounds hold."""
    case = Case(0)
    best = best_outside(case, "cvar:0.6")
    for arguments in ({"time_limit": 0.0}, {"on_progress": lambda step: True}):
        report = nr.solve(case.problem, objective="cvar:0.6", **arguments)
        assert report.lower_bound <= best + 1e-6 <= report.value + 2e-6
    assert nr.solve(case.problem, objective="regret", time_limit=0.0).status is nr.Status.TIME_LIMIT


def test_a_report_says_what_was_asked():
    """Text, JSON and back."""
    report = nr.solve(Case(0).problem, objective="cvar:0.6")
    assert "(cvar:0.6)" in str(report)
    assert "worst case" in str(report)
    read = nr.Report.from_json(report.to_json())
    assert (read.objective, read.value, read.lower_bound) == (report.objective, report.value, report.lower_bound)
    assert str(read).splitlines()[:3] == str(report).splitlines()[:3]
    assert nr.solve(Case(0).problem).value == nr.solve(Case(0).problem).worst_case
