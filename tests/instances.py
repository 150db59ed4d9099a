"""Small random problems, drawn from one seed each, for comparison with `tests.extensive`."""

import numpy as np
from hypothesis import strategies as st

import neurprise as nr
from tests.extensive import PAPER, paper_letters

seeds = st.integers(0, 10**6)


def random_selection(seed):
    """Up to 7 items and 6 scenarios; any number to select."""
    rng = np.random.default_rng(seed)
    n, S = rng.integers(1, 8), rng.integers(1, 7)
    return nr.Selection(rng.integers(1, 101, n), rng.integers(1, 101, (S, n)), int(rng.integers(0, n + 1)))


def random_vertex_cover(seed):
    """Up to 7 nodes and 5 scenarios; from no edges to all."""
    rng = np.random.default_rng(seed)
    n, S = int(rng.integers(2, 8)), rng.integers(1, 6)
    pairs = np.column_stack(np.triu_indices(n, 1))
    edges = pairs[rng.random(len(pairs)) < rng.random()]
    return nr.VertexCover(rng.integers(1, 101, n), rng.integers(0, 101, (S, n)), edges)


def random_facility_location(seed):
    """2 or 3 sites and up to 3 customers; now and then demand exceeds all capacity."""
    rng = np.random.default_rng(seed)
    m, n, S = rng.integers(2, 4), rng.integers(1, 4), rng.integers(1, 5)
    return nr.FacilityLocation(
        rng.integers(100, 1001, m),
        rng.integers(10, 101, m),
        rng.integers(200, 701, m),
        rng.integers(1, 1001, (m, n)),
        rng.integers(10, 401, (S, n)),
    )


FAMILIES = {
    "selection": random_selection,
    "vertex-cover": random_vertex_cover,
    "facility-location": random_facility_location,
}


def random_letters(seed, *, complete):
    """
    Arguments of `from_matrices`: bounded x, integer and continuous y, uncertain costs, right-hand sides or both.

    With `complete`, a dear slack in every row makes recourse feasible for every x; without it, it often is not.
    """
    rng = np.random.default_rng(seed)
    n, m, r, S = (int(rng.integers(1, top)) for top in (5, 4, 4, 5))
    x_upper = rng.integers(1, 4, n).astype(float)
    A = rng.integers(-2, 4, (int(rng.integers(0, 3)), n)).astype(float)
    inside = rng.integers(0, x_upper + 1)
    costs = rng.integers(1, 30, (S, m)).astype(float)
    letters = {
        "c": rng.integers(-5, 20, n).astype(float),
        "A": A if len(A) else None,
        "d": A @ inside - rng.integers(0, 2, len(A)) if len(A) else None,
        "G": rng.integers(-1, 5, (r, m)).astype(float),
        "h": rng.integers(0, 8, r).astype(float),
        "E": rng.integers(-1, 4, (r, n)).astype(float),
        "M": None,
        "xi": None,
        "b": costs,
        "x_integer": rng.random(n) < 0.8,
        "y_integer": rng.random(m) < 0.5,
        "x_upper": x_upper,
        "y_upper": rng.integers(1, 5, m).astype(float),
    }
    uncertain = rng.integers(3)  # 0: costs, 1: right-hand sides, 2: both
    if uncertain:
        letters |= {"M": rng.integers(-2, 2, (r, 2)).astype(float), "xi": rng.integers(0, 5, (S, 2)).astype(float)}
    if uncertain == 1:
        letters["b"] = costs[0]
    return _with_slack(letters) if complete else letters


def _with_slack(letters):
    rows = len(letters["h"])
    price = np.full((*letters["b"].shape[:-1], rows), 50.0)
    return letters | {
        "G": np.hstack([letters["G"], np.eye(rows)]),
        "b": np.concatenate([letters["b"], price], axis=-1),
        "y_integer": np.concatenate([letters["y_integer"], np.zeros(rows, dtype=bool)]),
        "y_upper": np.concatenate([letters["y_upper"], np.full(rows, np.inf)]),
    }


def from_letters(letters):
    """The package's problem from these letters."""
    return nr.TwoStageProblem.from_matrices(**letters)


def instance(kind, seed):
    """A problem and the paper's statement of it; kind is a family, "complete" or "incomplete"."""
    if kind in FAMILIES:
        problem = FAMILIES[kind](seed)
        return problem, PAPER[kind](problem)
    letters = random_letters(seed, complete=kind == "complete")
    return from_letters(letters), paper_letters(letters)


KINDS = [*FAMILIES, "complete", "incomplete"]


def exactly_two_of_four(costs=(1, 1, 1, 1), y_integer=True):
    """Exactly two of four, the first and the last of them for one scenario each: no bound is a decision by itself."""
    return nr.TwoStageProblem.from_matrices(
        costs, [[1, 1, 1, 1], [-1, -1, -1, -1]], [2, -2], np.zeros((4, 1)), np.zeros(4), np.eye(4), -np.eye(4),
        [[1, 0, 0, 0], [0, 0, 0, 1]], [1], x_integer=True, y_integer=y_integer, x_upper=1, y_upper=1,
    )  # fmt: skip


def market_split():
    """Two equal scenarios; a first stage of fifty binaries that keeps engines busy for hours, and a linear recourse."""
    shares, eye = np.random.default_rng(0).integers(0, 100, (6, 50)), np.eye(6)
    return nr.TwoStageProblem.from_matrices(
        np.zeros(50), None, None, np.vstack([np.hstack([eye, -eye]), np.hstack([-eye, eye])]), np.zeros(12),
        np.vstack([shares, -shares]), np.vstack([-eye, eye]), [shares.sum(axis=1) // 2] * 2, np.ones(12),
        x_integer=True, y_integer=False, x_upper=1,
    )  # fmt: skip
