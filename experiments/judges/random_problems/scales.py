"""
The same random problems at unusual scales: tiny and huge costs, penalties, big-M rows, rows in odd units.

A drawn problem is stated twice: as the package gets it, and in a form that a judge can compute with. Costs in another
unit of money, rows in other units and a big-M that is larger than it need be do not change what a decision is worth, so
judges read the statement in its plain units. Penalties and costs that differ by many orders of magnitude cannot be
restated; there judges compute in exact arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace

import numpy as np

from experiments.judges.random_problems.draft import Draft
from experiments.judges.random_problems.families import in_money
from experiments.judges.random_problems.generic import TRAITS, Traits, draw_statement
from experiments.judges.random_problems.scale_classes import COSTS, ORDINARY, PENALTY, ROW_UNITS, Scaled
from experiments.judges.random_problems.statement import Statement
from neurprise.arrays import Floats
from neurprise.problem import TwoStageProblem

_Draw = Callable[[np.random.Generator], tuple[TwoStageProblem, Statement]]


def draw_scaled(rng: np.random.Generator, scale: str, draw: _Draw) -> Scaled:
    """A problem of this class; `draw` gives the ordinary one, for the classes that any kind of problem can have."""
    if scale == ORDINARY:
        return Scaled(*draw(rng))
    if scale == COSTS:
        return in_other_money(rng, *draw(rng)) if rng.random() < 0.6 else with_wide_costs(rng)
    if scale == ROW_UNITS:
        return in_other_rows(rng, draw_statement(rng, _traits(rng, *TRAITS)))
    if scale == PENALTY:
        return with_penalties(rng)
    return with_big_m(rng) if rng.random() < 0.5 else with_fixed_charges(rng)


def _traits(rng: np.random.Generator, *names: str) -> Traits:
    return TRAITS[str(rng.choice(list(names)))]


def in_other_money(rng: np.random.Generator, problem: TwoStageProblem, statement: Statement) -> Scaled:
    """All costs times one power of ten: from 1e-9 to about 1e11."""
    money = float(10.0 ** rng.integers(-9, 11))
    return Scaled(in_money(problem, statement, money), statement, money)


def with_wide_costs(rng: np.random.Generator) -> Scaled:
    """Some variables cost up to ten orders of magnitude more than others, and all of it in another unit of money."""
    statement = _exact_statement(rng)
    x_factor, y_factor = (_wide(rng, count) for count in (len(statement.c), statement.b.shape[1]))
    statement = replace(statement, c=statement.c * x_factor, q=statement.q * x_factor, b=statement.b * y_factor)
    money = float(10.0 ** rng.choice([-6, -3, 0, 0, 0]))
    return Scaled(in_money(statement.problem(), statement, money), statement, money, exact=True)


def _exact_statement(rng: np.random.Generator) -> Statement:
    """Mostly with an integer first stage, which can be listed: exact branch and bound on all scenarios is slow."""
    traits = _traits(rng, "integer", "integer, LP recourse", "integer, mixed recourse", "mixed", "infeasible")
    listed = replace(traits, x_integer=1.0) if rng.random() < 0.9 else traits
    return in_quarters(draw_statement(rng, replace(listed, open_bounds=0.0)))


def _wide(rng: np.random.Generator, count: int) -> Floats:
    return np.where(rng.random(count) < 0.5, 1.0, 10.0 ** rng.integers(3, 11, count))


def with_penalties(rng: np.random.Generator) -> Scaled:
    """Every recourse row may be missed, at 1e5 to 1e9 a unit."""
    statement = _exact_statement(rng)
    size, rows = statement.row_lower.shape
    missing, beyond = np.isfinite(statement.row_lower).any(0), np.isfinite(statement.row_upper).any(0)
    repair = np.hstack([np.eye(rows)[:, missing], -np.eye(rows)[:, beyond]])
    price = float(10.0 ** rng.integers(5, 10)) * rng.integers(1, 4, repair.shape[1])
    whole, most = rng.random() < 0.3, rng.choice([6.0, 40.0])
    statement = replace(
        statement,
        b=np.hstack([statement.b, np.tile(price, (size, 1))]),
        W=np.concatenate([statement.W, np.tile(repair, (size, 1, 1))], axis=2),
        y_lower=np.hstack([statement.y_lower, np.zeros((size, len(price)))]),
        y_upper=np.hstack([statement.y_upper, np.full((size, len(price)), most if whole else np.inf)]),
        y_integer=np.concatenate([statement.y_integer, np.full(len(price), whole)]),
    )
    return Scaled(statement.problem(), statement, exact=True)


def with_fixed_charges(rng: np.random.Generator) -> Scaled:
    """
    Demands of hundreds, flows without bounds that integers of either stage switch on at a fixed cost; M as above.

    An engine that takes 1e-7 for zero lets M times as much flow for nothing.
    """
    draft = Draft(int(rng.integers(1, 4)))
    sources, whole = int(rng.integers(1, 4)), bool(rng.random() < 0.2)
    flows = [draft.y(float(rng.integers(1, 9)), integer=whole) for _ in range(sources)]
    for flow in flows:
        if rng.random() < 0.6:
            draft.switch_by_x(draft.x(float(rng.integers(50, 900)), float(rng.integers(1, 3))), flow, _MOST_DEMAND)
        else:
            draft.switch_by_y(draft.y(float(rng.integers(50, 900)), 1.0, integer=True), flow, _MOST_DEMAND)
    reserve = draft.x(float(rng.integers(2, 12)), 300.0, integer=False) if rng.random() < 0.3 else draft.x(5.0)
    demand = rng.integers(20, int(_MOST_DEMAND), draft.size).astype(float)
    draft.row({reserve: 1.0}, dict.fromkeys(flows, 1.0), low=demand)
    statement = draft.statement()
    return Scaled(draft.with_big_m(statement, float(10.0 ** rng.integers(3, 11))).problem(), statement)


#: No demand is larger, so no flow need be.
_MOST_DEMAND = 400.0


def with_big_m(rng: np.random.Generator) -> Scaled:
    """Integers of both stages switch variables off, by rows whose M is between 1e3 and 1e10; judges read a small M."""
    names = ("integer", "integer, LP recourse", "integer, mixed recourse", "mixed", "continuous, integer recourse")
    statement = draw_statement(rng, replace(_traits(rng, *names), open_bounds=0.0, negative_costs=0.1))
    statement = _with_switches(rng, statement)
    small, huge = statement.x_integer.argmax(), float(10.0 ** rng.integers(3, 11))
    reach = 1.0 + float(np.abs(statement.y_upper).max())
    judged, given = (_switched(statement, int(small), entry) for entry in (reach, huge))
    return Scaled(given.problem(), judged)


def _with_switches(rng: np.random.Generator, statement: Statement) -> Statement:
    """At least one x is integer and in [0, 1] or [0, 2]; what is switched is not negative."""
    x_integer, x_lower, x_upper = statement.x_integer.copy(), statement.x_lower.copy(), statement.x_upper.copy()
    k = int(x_integer.argmax())
    x_integer[k], x_lower[k], x_upper[k] = True, 0.0, float(rng.integers(1, 3))
    y_lower = np.maximum(statement.y_lower, 0.0)
    y_upper = np.maximum(statement.y_upper, y_lower)
    c = statement.c.copy()
    c[k] = abs(c[k]) + 1.0
    return replace(
        statement, c=c, x_integer=x_integer, x_lower=x_lower, x_upper=x_upper, y_lower=y_lower, y_upper=y_upper
    )


def _switched(statement: Statement, k: int, big: float) -> Statement:
    """Rows y_j <= M x_k for every y_j that may be zero, and y_j <= M y_0 where y_0 is an integer."""
    size, _, m = statement.W.shape
    switches = np.zeros((m, len(statement.c)))
    switches[:, k] = -big
    W, T, upper = [np.eye(m)], [switches], [np.zeros(m)]
    if statement.y_integer[0] and m > 1:
        later = np.eye(m)[1:]
        later[:, 0] = -big
        W, T, upper = [*W, later], [*T, np.zeros((m - 1, len(statement.c)))], [*upper, np.zeros(m - 1)]
    W_rows, T_rows, limit = np.vstack(W), np.vstack(T), np.concatenate(upper)
    return replace(
        statement,
        W=np.concatenate([statement.W, np.tile(W_rows, (size, 1, 1))], axis=1),
        T=np.concatenate([statement.T, np.tile(T_rows, (size, 1, 1))], axis=1),
        row_lower=np.hstack([statement.row_lower, np.full((size, len(limit)), -np.inf)]),
        row_upper=np.hstack([statement.row_upper, np.tile(limit, (size, 1))]),
    )


def in_other_rows(rng: np.random.Generator, statement: Statement) -> Scaled:
    """Every row times its own power of ten, from 1e-6 to 1e8."""
    row, first_row = (10.0 ** rng.integers(-6, 9, count) for count in (statement.T.shape[1], len(statement.A)))
    given = replace(
        statement,
        A=first_row[:, None] * statement.A,
        a_lower=first_row * statement.a_lower,
        a_upper=first_row * statement.a_upper,
        T=row[:, None] * statement.T,
        W=row[:, None] * statement.W,
        row_lower=row * statement.row_lower,
        row_upper=row * statement.row_upper,
    )
    return Scaled(given.problem(), statement)


def in_quarters(statement: Statement) -> Statement:
    """Every number rounded to a quarter, which floats hold exactly: sums of them need no slack."""
    rounded = {}
    for field in fields(statement):
        values = getattr(statement, field.name)
        if isinstance(values, np.ndarray) and values.dtype != bool:
            rounded[field.name] = np.round(values * 4) / 4 + 0.0
    return replace(statement, **rounded, offset=round(4 * statement.offset) / 4)
