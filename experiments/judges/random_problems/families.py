"""Random problems of the three families with fractional data, and of the paper's letters; each with its statement."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

import neurprise as nr
from experiments.judges.random_problems.statement import Statement
from neurprise.arrays import Floats
from neurprise.problem import TwoStageProblem


def draw_selection(rng: np.random.Generator) -> tuple[TwoStageProblem, Statement]:
    """Up to 5 items; any number to select; some costs are zero or negative."""
    n, size, amounts = int(rng.integers(1, 6)), _num_scenarios(rng), _amounts(rng)
    now, later = amounts(-3, 20, (n,)), _repeating(rng, amounts(-3, 20, (size, n)))
    count = int(rng.integers(0, n + 1))
    rows = np.vstack([np.ones(n), np.eye(n)])
    lower, upper = np.concatenate([[count], np.full(n, -np.inf)]), np.concatenate([[count], np.ones(n)])
    statement = _binary(now, later, rows, lower, upper)
    return nr.Selection(now, later, count), replace(
        statement, A=np.ones((1, n)), a_lower=np.array([-np.inf]), a_upper=np.array([float(count)])
    )


def draw_vertex_cover(rng: np.random.Generator) -> tuple[TwoStageProblem, Statement]:
    """Up to 5 nodes; from no edges to all; rewards for taking a node now."""
    n, size, amounts = int(rng.integers(2, 6)), _num_scenarios(rng), _amounts(rng)
    now, later = amounts(-3, 20, (n,)), _repeating(rng, amounts(0, 20, (size, n)))
    pairs = np.column_stack(np.triu_indices(n, 1))
    edges = pairs[rng.random(len(pairs)) < rng.random()]
    covered = np.zeros((len(edges), n))
    covered[np.repeat(np.arange(len(edges)), 2), edges.ravel()] = 1
    rows = np.vstack([covered, np.eye(n)])
    lower = np.concatenate([np.ones(len(edges)), np.full(n, -np.inf)])
    upper = np.concatenate([np.full(len(edges), np.inf), np.ones(n)])
    return nr.VertexCover(now, later, edges), _binary(now, later, rows, lower, upper)


def _binary(now: Floats, later: Floats, rows: Floats, lower: Floats, upper: Floats) -> Statement:
    """Binary x and y in the same rows, scenario costs on y."""
    n, size = len(now), len(later)
    return Statement(
        c=now,
        **_no_first_stage_rows(n),
        x_lower=np.zeros(n),
        x_upper=np.ones(n),
        x_integer=np.ones(n, dtype=bool),
        b=later,
        q=np.zeros((size, n)),
        T=_for_all(rows, size),
        W=_for_all(rows, size),
        row_lower=_for_all(lower, size),
        row_upper=_for_all(upper, size),
        y_lower=np.zeros((size, n)),
        y_upper=np.ones((size, n)),
        y_integer=np.ones(n, dtype=bool),
    )


def draw_facility_location(rng: np.random.Generator) -> tuple[TwoStageProblem, Statement]:
    """2 or 3 sites, 1 or 2 customers; now and then too little capacity, no demand, or a customer who pays."""
    m, n, size, amounts = int(rng.integers(2, 4)), int(rng.integers(1, 3)), _num_scenarios(rng), _amounts(rng)
    opening, unit, largest = amounts(0, 60, (m,)), amounts(0, 5, (m,)), amounts(1, 15, (m,))
    transport = amounts(-8 if rng.random() < 0.25 else 0, 25, (m, n))
    demands = _repeating(rng, amounts(0, 12, (size, n)))
    size = len(demands)
    problem = nr.FacilityLocation(opening, unit, largest, transport, demands)
    ship_from, ship_to = np.kron(np.eye(m), np.ones(n)), np.kron(np.ones(m), np.eye(n))
    technology = np.vstack([np.hstack([np.zeros((m, m)), -np.eye(m)]), np.zeros((n, 2 * m))])
    return problem, Statement(
        c=np.concatenate([opening, unit]),
        A=np.hstack([np.diag(largest), -np.eye(m)]),
        a_lower=np.zeros(m),
        a_upper=np.full(m, np.inf),
        x_lower=np.zeros(2 * m),
        x_upper=np.concatenate([np.ones(m), np.full(m, np.inf)]),
        x_integer=np.repeat([True, False], m),
        b=_for_all(transport.ravel(), size),
        q=np.zeros((size, 2 * m)),
        T=_for_all(technology, size),
        W=_for_all(np.vstack([ship_from, ship_to]), size),
        row_lower=np.hstack([np.full((size, m), -np.inf), demands]),
        row_upper=np.hstack([np.zeros((size, m)), np.full((size, n), np.inf)]),
        y_lower=np.zeros((size, m * n)),
        y_upper=np.full((size, m * n), np.inf),
        y_integer=np.zeros(m * n, dtype=bool),
    )


def in_money(problem: TwoStageProblem, statement: Statement, money: float) -> TwoStageProblem:
    """The same problem of a family, or of none, with all costs times `money`."""
    now, later = statement.c * money, statement.b * money
    if isinstance(problem, nr.Selection):
        return nr.Selection(now, later, problem.num_select)
    if isinstance(problem, nr.VertexCover):
        return nr.VertexCover(now, later, problem.edges)
    if isinstance(problem, nr.FacilityLocation):
        m, (sites, customers) = len(now) // 2, problem.transport_costs.shape
        demands = statement.row_lower[:, sites:]
        transport = later[0].reshape(sites, customers)
        return nr.FacilityLocation(now[:m], now[m:], problem.max_capacities, transport, demands)
    return replace(statement, c=now, b=later, q=statement.q * money, offset=statement.offset * money).problem()


def draw_letters(rng: np.random.Generator) -> tuple[TwoStageProblem, Statement]:
    """The paper's Eq. (1) through `from_matrices`: uncertain costs, right-hand sides or both; fractional bounds."""
    n, m, r, size = (int(rng.integers(1, top)) for top in (4, 4, 4, 6))
    uncertain = int(rng.integers(3))  # 0: costs, 1: right-hand sides, 2: both
    M, xi = (_whole(rng, -2, 3, (r, 2)), _whole(rng, -3, 9, (size, 2))) if uncertain else (None, None)
    b = _whole(rng, -3, 12, (m,) if uncertain == 1 else (size, m))
    A = _whole(rng, -2, 4, (1, n)) if rng.random() < 0.4 else None
    d = _whole(rng, -4, 3, (1,)) if A is not None else None
    letters = {"c": _whole(rng, -6, 15, n), "A": A, "d": d, "G": _whole(rng, -2, 5, (r, m)), "h": _whole(rng, -6, 6, r)}
    letters |= {"E": _whole(rng, -2, 4, (r, n)), "M": M, "xi": xi, "b": b}
    kinds: dict[str, Any] = {"x_integer": rng.random(n) < 0.7, "y_integer": rng.random(m) < 0.6}
    kinds |= {"x_upper": _upper(rng, n), "y_upper": _upper(rng, m)}
    problem = nr.TwoStageProblem.from_matrices(**letters, **kinds)
    return problem, _from_letters(letters, kinds, size)


def _from_letters(letters: dict[str, Any], kinds: dict[str, Any], size: int) -> Statement:
    c, G, h, E, b = (np.asarray(letters[name]) for name in "cGhEb")
    n, (r, m) = len(c), G.shape
    shift = 0.0 if letters["xi"] is None else letters["xi"] @ letters["M"].T
    rows = _no_first_stage_rows(n)
    if letters["A"] is not None:
        rows = {"A": letters["A"], "a_lower": letters["d"], "a_upper": np.full(len(letters["d"]), np.inf)}
    return Statement(
        c=c,
        **rows,
        x_lower=np.zeros(n),
        x_upper=kinds["x_upper"],
        x_integer=kinds["x_integer"],
        b=np.array(np.broadcast_to(b, (size, m))),
        q=np.zeros((size, n)),
        T=_for_all(E, size),
        W=_for_all(G, size),
        row_lower=np.array(np.broadcast_to(h - shift, (size, r))),
        row_upper=np.full((size, r), np.inf),
        y_lower=np.zeros((size, m)),
        y_upper=_for_all(kinds["y_upper"], size),
        y_integer=kinds["y_integer"],
    )


def _whole(rng: np.random.Generator, low: int, high: int, shape: int | tuple[int, ...]) -> Floats:
    return rng.integers(low, high, shape).astype(float)


def _no_first_stage_rows(n: int) -> dict[str, Any]:
    return {"A": np.zeros((0, n)), "a_lower": np.zeros(0), "a_upper": np.zeros(0)}


def _for_all(values: Floats, size: int) -> Floats:
    return np.repeat(np.asarray(values, dtype=float)[None], size, axis=0)


def _upper(rng: np.random.Generator, count: int) -> Floats:
    """Whole, fractional or infinite."""
    return rng.choice([1.0, 2.0, 3.0, 0.2, 1.5, 2.7, np.inf], count, p=[0.25, 0.15, 0.15, 0.05, 0.1, 0.15, 0.15])


def _num_scenarios(rng: np.random.Generator) -> int:
    return 1 if rng.random() < 0.1 else int(rng.integers(2, 7))


def _amounts(rng: np.random.Generator) -> Callable[[float, float, tuple[int, ...]], Floats]:
    """Whole numbers, quarters or thousandths, uniform between two limits."""
    step = rng.choice([1, 4, 1000])
    return lambda low, high, shape: np.round(rng.uniform(low, high, shape) * step) / step + 0.0


def _repeating(rng: np.random.Generator, scenarios: Floats) -> Floats:
    """Now and then a scenario comes twice."""
    return np.vstack([scenarios, scenarios[:1]]) if rng.random() < 0.12 else scenarios


KINDS = {
    "letters": draw_letters,
    "selection": draw_selection,
    "vertex cover": draw_vertex_cover,
    "facility location": draw_facility_location,
}
