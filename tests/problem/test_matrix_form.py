"""`from_matrices` beyond the paper's letters: senses, two-sided rows, lower bounds, free variables, profits."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

import neurprise as nr
from neurprise.errors import InputError
from tests.extensive import paper_letters
from tests.instances import from_letters, random_letters, seeds

SMALL = {
    "c": [1.0, 2.0],
    "A": [[1.0, 1.0]],
    "d": [1.0],
    "G": [[1.0], [2.0]],
    "h": [0.0, 4.0],
    "E": [[1.0, 0.0], [0.0, 1.0]],
    "M": [[-1.0], [0.0]],
    "xi": [[3.0], [5.0]],
    "b": [2.0],
    "x_integer": True,
    "y_integer": False,
}


def worst_case(letters):
    """V of the package's problem; inf where no decision serves all scenarios."""
    try:
        return nr.solve(from_letters(letters), gap=0.0).worst_case
    except nr.InfeasibleProblemError:
        return np.inf


@given(seeds)
def test_a_row_turned_round_means_the_same(seed):
    """-Gy <= -(h - Ex - M xi) is Gy >= h - Ex - M xi; judged by the paper's statement."""
    letters = random_letters(seed, complete=True)
    rng = np.random.default_rng(seed)
    turned = dict(letters)
    for names, sense in ((("A", "d"), "x_row_sense"), (("G", "h", "E", "M"), "y_row_sense")):
        rows = 0 if letters[names[0]] is None else len(letters[names[0]])
        sign = rng.choice([-1.0, 1.0], rows)
        for name in names:
            if letters[name] is not None:
                turned[name] = letters[name] * (sign if letters[name].ndim == 1 else sign[:, None])
        turned[sense] = [">=" if factor > 0 else "<=" for factor in sign]
    assert worst_case(turned) == pytest.approx(paper_letters(letters).value())


@given(seeds)
def test_two_sided_rows_keep_within_both_limits(seed):
    """h <= Gy + Ex + M xi <= h_upper, and the same of the first stage; some sides stay open."""
    letters = random_letters(seed, complete=True)
    rng = np.random.default_rng(seed)
    rows = len(letters["h"])
    above = np.where(rng.random(rows) < 0.3, np.inf, rng.integers(0, 6, rows))
    two_sided = letters | {"h_upper": letters["h"] + above}
    paper = paper_letters(letters)
    paper = replace(paper, high=paper.low + above)
    if letters["A"] is not None:
        highest = letters["d"] + rng.integers(0, 4, len(letters["d"]))
        two_sided["d_upper"] = highest
        paper = replace(paper, A=np.vstack([paper.A, -paper.A]), d=np.concatenate([paper.d, -highest]))
    assert worst_case(two_sided) == pytest.approx(paper.value())


@given(seeds)
def test_equations_are_two_inequalities(seed):
    """One sense for all rows, or one each."""
    letters = random_letters(seed, complete=True)
    paper = paper_letters(letters)
    equal = np.arange(len(letters["h"])) % 2 == 0
    senses = np.where(equal, "=", ">=")
    both = replace(paper, high=np.where(equal, paper.low, np.inf))
    assert worst_case(letters | {"y_row_sense": senses}) == pytest.approx(both.value())
    alone = replace(paper, high=paper.low)
    assert worst_case(letters | {"y_row_sense": "=="}) == pytest.approx(alone.value())


@given(seeds)
def test_lower_bounds_move_the_origin(seed):
    """x >= l is x' = x - l >= 0 in the paper's statement; y likewise."""
    letters = random_letters(seed, complete=True)
    rng = np.random.default_rng(seed)
    low_x, low_y = rng.integers(-3, 1, len(letters["c"])), rng.integers(-2, 2, letters["G"].shape[1])
    shifted = dict(letters)
    shifted["x_upper"] = letters["x_upper"] - low_x
    shifted["y_upper"] = np.maximum(letters["y_upper"], low_y) - low_y
    shifted["h"] = letters["h"] - letters["E"] @ low_x - letters["G"] @ low_y
    if letters["A"] is not None:
        shifted["d"] = letters["d"] - letters["A"] @ low_x
    paper = paper_letters(shifted)
    # The cost of low_y differs by scenario, so a column fixed at 1 by its row carries it.
    fixed = np.zeros((1, paper.W.shape[1] + 1))
    fixed[0, -1] = 1
    paper = replace(
        paper,
        W=np.vstack([np.hstack([paper.W, np.zeros((len(paper.W), 1))]), fixed]),
        T=np.vstack([paper.T, np.zeros((1, paper.T.shape[1]))]),
        low=np.hstack([paper.low, np.ones((len(paper.b), 1))]),
        high=np.hstack([paper.high, np.ones((len(paper.b), 1))]),
        b=np.hstack([paper.b, (paper.b @ low_y)[:, None] + 100.0]),
        y_upper=np.append(paper.y_upper, 1.0),
        y_integer=np.append(paper.y_integer, 0),
    )
    ours = letters | {"x_lower": low_x, "y_lower": low_y, "y_upper": np.maximum(letters["y_upper"], low_y)}
    assert worst_case(ours) == pytest.approx(paper.value() - 100.0 + letters["c"] @ low_x)


def test_free_variables_may_be_negative():
    """y = max(x - xi, xi - x) - 10 with xi = -3 or 4: best is x = 0.5, where both are 3.5 - 10."""
    problem = nr.TwoStageProblem.from_matrices(
        c=[0.0],
        A=None,
        d=None,
        G=[[1.0], [1.0]],
        h=[-10.0, -10.0],
        E=[[-1.0], [1.0]],
        M=[[1.0], [-1.0]],
        xi=[[-3.0], [4.0]],
        b=[1.0],
        x_integer=False,
        y_integer=False,
        x_lower=-np.inf,
        y_lower=-np.inf,
    )
    report = nr.solve(problem, gap=0.0)
    assert report.worst_case == pytest.approx(-6.5)
    assert report.x == pytest.approx([0.5])


@given(seeds)
def test_profits_are_negated_costs(seed):
    """maximize=True with profits is the same problem as minimising their negatives, told in profits."""
    letters = random_letters(seed, complete=True)
    profits = letters | {"c": -letters["c"], "b": -letters["b"], "offset": -3.0, "maximize": True}
    problem = from_letters(profits)
    assert problem.maximize
    assert worst_case(profits) == pytest.approx(-(paper_letters(letters).value() + 3.0))


def test_the_fixed_signature_works_by_position():
    """Nine letters in the paper's order; everything else has a name."""
    nine = [SMALL[name] for name in ("c", "A", "d", "G", "h", "E", "M", "xi", "b")]
    problem = nr.TwoStageProblem.from_matrices(*nine, x_integer=True, y_integer=False)
    assert problem.scenario(1).row_lower.tolist() == [5.0, 4.0]


def test_scenarios_move_only_limits_that_exist():
    """A row with one open side keeps it open in every scenario."""
    problem = from_letters(SMALL | {"y_row_sense": ["<=", "="]})
    assert set(problem.changes) == {"row_upper"}
    assert problem.scenario(1).row_lower.tolist() == [-np.inf, 4.0]
    assert problem.scenario(1).row_upper.tolist() == [5.0, 4.0]


@pytest.mark.parametrize(
    "changes, sentence",
    [
        ({"y_row_sense": ">"}, "y_row_sense must be '>=', '<=' or '=', got '>' for row 0"),
        ({"y_row_sense": [">=", "=>"]}, "got '=>' for row 1"),
        ({"y_row_sense": [">="]}, "y_row_sense must be one sense or 2 of them, one for each row, got 1"),
        ({"x_row_sense": [">=", ">="]}, "x_row_sense must be one sense or 1 of them"),
        ({"x_row_sense": 1}, "x_row_sense must be '>=', '<=' or '=', got 1"),
        ({"h_upper": [1.0, 5.0], "y_row_sense": "<="}, "h_upper makes rows two-sided, so y_row_sense must be left out"),
        ({"h_upper": [1.0]}, r"h_upper must be of shape \(2,\)"),
        ({"h_upper": [1.0, 3.0]}, r"rows between h and h_upper: lower must not exceed upper, got \[4.0, 3.0\]"),
        ({"d_upper": [0.0]}, r"rows between d and d_upper: lower must not exceed upper"),
        ({"h": [-np.inf, 4.0]}, "h must be finite"),
        ({"x_lower": 2.0, "x_upper": 1.0}, r"first-stage bounds: lower must not exceed upper, got \[2.0, 1.0\]"),
        ({"y_lower": 2.0, "y_upper": 1.0}, r"recourse bounds: lower must not exceed upper, got \[2.0, 1.0\]"),
        ({"x_lower": [0.0]}, r"x_lower must be of shape \(2,\)"),
        ({"y_lower": np.nan}, "y_lower must be"),
        ({"offset": np.inf}, "offset must be finite, got inf"),
        ({"offset": "3"}, "offset must be a number, got '3'"),
        ({"probabilities": [0.5, 0.4]}, r"probabilities must sum to one, got 0\.9"),
        ({"scenario_names": ["dry", "dry"]}, "names of scenarios must differ, but 'dry' is at positions 0 and 1"),
        ({"x_names": "ab"}, "x_names must be a list of names, got 'ab'"),
        ({"x_names": None}, "x_names must be a list of names, got None"),
        ({"y_names": ["buy", "sell"]}, "y_names must name the recourse variables, 1 in all, or none, got 2 names"),
    ],
)
def test_what_does_not_fit_is_refused(changes, sentence):
    """The sentence names the argument."""
    with pytest.raises(InputError, match=sentence):
        from_letters(SMALL | changes)
