"""nr.tradeoff: judged by extensive forms that scipy's milp solves, and by brute force over all decisions."""

import csv
import json
import math
from itertools import pairwise, product

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp

import neurprise as nr
from neurprise.cli import main
from neurprise.search.cost_limit import with_cost_limit
from tests.instances import from_letters, random_letters


def extensive_optimum(problem, weights, limit):
    """Least sum_s weights_s cost_s with every cost_s <= limit: one copy of the recourse per scenario, by scipy."""
    first, recourse = problem.first_stage, problem.recourse
    n, m, count = problem.num_first_stage, problem.num_recourse, problem.num_scenarios
    costs, rows, low, high = first.costs.astype(float).copy(), [], [], []
    lower, upper, integer = [first.lower], [first.upper], [first.integer]
    if len(first.row_lower):
        rows.append(sparse.hstack([first.matrix, sparse.csr_array((len(first.row_lower), count * m))]))
        low, high = [first.row_lower], [first.row_upper]
    blocks = []
    for s in range(count):
        block = problem.scenario(s)
        technology, matrix = recourse.technology.copy(), recourse.matrix.copy()
        technology.data, matrix.data = block.technology.copy(), block.matrix.copy()
        rows.append(sparse.hstack([technology, sparse.kron(np.eye(count)[s : s + 1], matrix)]))
        low.append(block.row_lower)
        high.append(block.row_upper)
        total = np.concatenate([first.costs + block.x_costs, np.zeros(count * m)])
        total[n + s * m : n + (s + 1) * m] = block.costs
        rows.append(sparse.csr_array(total[None, :]))
        low.append([-np.inf])
        high.append([limit - problem.offset])
        costs = costs + weights[s] * block.x_costs
        blocks.append(weights[s] * block.costs)
        lower.append(block.lower)
        upper.append(block.upper)
        integer.append(recourse.integer)
    found = milp(
        np.concatenate([costs, *blocks]),
        constraints=LinearConstraint(sparse.vstack(rows).tocsc(), np.concatenate(low), np.concatenate(high)),
        bounds=Bounds(np.concatenate(lower), np.concatenate(upper)),
        integrality=np.concatenate(integer).astype(int),
        options={"mip_rel_gap": 0.0},
    )
    return found.fun + problem.offset if found.status == 0 else math.inf


def check_frontier(problem, found, weights, gap=1e-4):
    """Points are priced truly, lie on the frontier, and dominate none of each other; bounds hold."""
    sign = -1.0 if problem.maximize else 1.0
    for point in found.points:
        evaluation = nr.evaluate(problem, point.x)
        assert evaluation.worst_case == pytest.approx(point.worst_case)
        assert evaluation.total_costs @ weights == pytest.approx(point.value)
        least = extensive_optimum(problem, weights, sign * point.limit if math.isfinite(point.limit) else 1e9)
        scale = max(1.0, abs(least))
        assert sign * point.bound <= least + 1e-5 * scale
        assert least - 1e-5 * scale <= sign * point.value <= least + (2 * gap) * scale
        assert sign * point.guarantee_bound <= sign * point.worst_case
    for one, other in pairwise(found.points):
        assert sign * one.worst_case < sign * other.worst_case
        assert sign * one.value > sign * other.value


@pytest.mark.parametrize("seed", range(6))
def test_every_point_is_the_best_below_its_limit(seed):
    """Random problems of mixed rows, costs and integers; equal probabilities."""
    problem = from_letters(random_letters(seed, complete=True))
    found = nr.tradeoff(problem, points=4)
    assert found.status == "optimal"
    check_frontier(problem, found, np.full(problem.num_scenarios, 1 / problem.num_scenarios))


@pytest.mark.parametrize("make", [nr.make_selection, nr.make_vertex_cover], ids=["selection", "vertex cover"])
def test_brute_force_finds_no_better_decision(make):
    """All first-stage decisions of a small problem, with probabilities: none beats a point or a bound."""
    problem = make(5, 6, seed=2)
    weights = np.array([0.3, 0.1, 0.2, 0.1, 0.1, 0.2])
    problem = problem.with_labels(probabilities=weights)
    found = nr.tradeoff(problem, points=5, gap=0)
    costs = []
    for bits in product((0, 1), repeat=problem.num_first_stage):
        try:
            totals = nr.evaluate(problem, bits).total_costs
        except nr.InputError:  # breaks a row of the first stage
            continue
        costs.append((totals.max(), totals @ weights))
    for point in found.points:
        within = [mean for worst, mean in costs if worst <= point.limit + 1e-9]
        assert min(within) == pytest.approx(point.value)
        assert point.bound <= min(within) + 1e-9
        as_good = [worst for worst, mean in costs if mean <= point.value + 1e-9]
        assert point.guarantee_bound <= min(as_good) + 1e-9
    assert found.points[0].worst_case == pytest.approx(min(worst for worst, _ in costs))
    assert found.points[-1].value == pytest.approx(min(mean for _, mean in costs))


def sold():
    """Buy up to nine at 2, sell at the price of the scenario what is asked for: a maximisation, integer recourse."""
    return nr.TwoStageProblem.from_matrices(
        [-2], None, None, [[1], [1]], [0, 0], [[-1], [0]], [[0], [-1]], [[7], [2], [9], [4]],
        [[3], [4], [5], [3]], x_integer=True, y_integer=True, x_upper=9, maximize=True, y_row_sense="<=",
    )  # fmt: skip


def test_of_profits_the_guarantee_falls_and_the_mean_rises():
    """And bounds lie above."""
    found = nr.tradeoff(sold(), points=5)
    check_frontier(sold(), found, np.full(4, 1 / 4))
    assert all(point.bound >= point.value for point in found.points)
    assert "raises the expected profit" in found.lesson


def test_a_scenario_of_probability_zero_keeps_the_limit():
    """The worst case is over all scenarios, whatever their probabilities."""
    problem = sold().with_labels(probabilities=[0.5, 0.0, 0.5, 0.0])
    found = nr.tradeoff(problem, points=5)
    check_frontier(problem, found, np.array([0.5, 0.0, 0.5, 0.0]))


@pytest.mark.parametrize(
    "problem",
    [nr.make_selection(5, 1, 0), nr.Selection([3.0, 4.0], [[5.0, 2.0]] * 4, 1), nr.make_selection(8, 12, 1)],
    ids=["one scenario", "equal scenarios", "one decision is best for both"],
)
def test_where_nothing_is_traded_there_is_one_point(problem):
    """And the sentence says so."""
    found = nr.tradeoff(problem)
    assert len(found.points) == 1
    assert "nothing to trade" in str(found)


def test_decisions_without_recourse_are_no_points():
    """A small depot is cheap and serves the first two days only."""
    problem = nr.FacilityLocation([5, 5], [1, 1], [10, 10], [[1, 2], [2, 1]], [[5, 5], [8, 6], [9, 3]])
    found = nr.tradeoff(problem, points=3)
    assert found.points
    assert all(math.isfinite(point.worst_case) for point in found.points)


def test_no_scenario_costs_more_than_its_limit():
    """The recourse costs as before, or there is none; random problems whose costs differ by scenario."""
    for seed in range(8):
        problem = from_letters(random_letters(seed, complete=True))
        x = nr.solve(problem).x
        before = nr.evaluate(problem, x)
        limit = float(np.median(before.total_costs))
        after = nr.evaluate(with_cost_limit(problem, limit + 1e-6), x)
        expected = np.where(before.total_costs <= limit + 1e-6, before.recourse_costs, np.inf)
        assert after.recourse_costs == pytest.approx(expected)


def test_the_tail_can_be_traded_too():
    """CVaR instead of the mean: the value is that of the evaluation."""
    problem = nr.make_selection(8, 20, 3)
    found = nr.tradeoff(problem, "worst", nr.objectives.CVaR(0.5), points=4)
    assert all(nr.evaluate(problem, p.x).cvar(0.5) == pytest.approx(p.value) for p in found.points)


@pytest.mark.parametrize(
    ("arguments", "error", "sentence"),
    [
        (("expected", "worst"), nr.NotApplicableError, "write 'worst' first"),
        (("worst", "worst"), nr.InputError, "such as 'expected'"),
        (("worst", "regret"), nr.InputError, "got 'regret'"),
        (("worst", "mean"), nr.InputError, "objective must be one of"),
        (("worst", "expected", 1), nr.InputError, "points"),
    ],
)
def test_what_cannot_be_traded_is_refused(arguments, error, sentence):
    """With the remedy."""
    with pytest.raises(error, match=sentence):
        nr.tradeoff(nr.make_selection(5, 4, 0), *arguments)


def test_without_time_the_points_so_far_are_returned():
    """None at once; and the status says why."""
    found = nr.tradeoff(sold(), time_limit=0)
    assert found.status == "time limit"
    assert all(point.value <= point.bound for point in found.points)


def test_an_interrupt_keeps_the_points_so_far(monkeypatch):
    """The second search of a point is interrupted."""
    from neurprise.search import frontier

    whole, calls = frontier.search_objective, []

    def interrupted(session, gap):
        calls.append(session)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return whole(session, gap)

    monkeypatch.setattr(frontier, "search_objective", interrupted)
    found = nr.tradeoff(sold(), points=6)
    assert found.status == "interrupted"
    assert 1 <= len(found.points) <= 3


class TestOutput:
    @pytest.fixture
    def folder(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        problem = nr.make_facility_location(4, 4, 8, 1)
        problem.write("sites.npz")
        return problem

    def test_tables_have_a_row_a_point(self, folder):
        """Frame, CSV and JSON have the same numbers, and the decision by name."""
        pytest.importorskip("pandas")
        found = nr.tradeoff(folder, points=3)
        frame = found.to_frame()
        assert frame["worst_case"].tolist() == [point.worst_case for point in found.points]
        assert frame["open[0]"].tolist() == [point.x[0] for point in found.points]
        found.to_csv("out.csv")
        with open("out.csv") as file:
            assert [float(row["expected"]) for row in csv.DictReader(file)] == frame["expected"].tolist()
        data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
        assert [point["decision"]["open[0]"] for point in data["points"]] == frame["open[0]"].tolist()

    def test_the_command_prints_and_writes(self, folder, capsys):
        """The sentence first; the page has the frontier and its chart."""
        command = ["tradeoff", "sites.npz", "--points", "3", "--csv", "out.csv", "--report", "out.html"]
        assert main(command) == 0
        out = capsys.readouterr().out
        assert out.splitlines()[0].startswith(("Giving up", "There is nothing"))
        with open("out.html") as file:
            page = file.read()
        assert '<section id="tradeoff"' in page
        assert main(["tradeoff", "sites.npz", "--points", "3", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["objective"] == "expected"

    def test_bad_options_are_one_sentence(self, folder, capsys):
        """And exit code 2, before anything is solved."""
        for options in (["--objective", "regret"], ["--objective", "mean"], ["--csv", "no/out.csv"]):
            assert main(["tradeoff", "sites.npz", *options]) == 2
            assert capsys.readouterr().err.startswith("neurprise: error")
        assert main(["tradeoff", "sites.npz", "--points", "1"]) == 2

    def test_the_plot_shows_the_points(self, folder):
        """Both stairs, and the sentence as title."""
        pytest.importorskip("matplotlib").use("Agg")
        found = nr.tradeoff(folder, points=3)
        ax = nr.plot.tradeoff(found)
        assert ax.get_title() == found.lesson
        assert len(ax.lines) == 2


def test_a_mean_of_whole_numbers_is_not_rounded():
    """The best mean is 39.28...: its bound may not be 40."""
    report = nr.solve(nr.make_selection(6, 7, 3), objective="expected")
    assert report.status == "optimal"
    assert report.lower_bound <= report.value < 40
