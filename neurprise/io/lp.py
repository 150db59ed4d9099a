"""
LP files: one deterministic mixed-integer linear model in algebraic form, as CPLEX, Gurobi, SCIP and HiGHS write it.

Sections: Minimize/Maximize, Subject To, Bounds, Generals, Binaries, End. Quadratic terms, special ordered sets,
semi-continuous variables and other extensions are refused.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from scipy import sparse

from neurprise.errors import FormatError
from neurprise.io.linear import LinearModel
from neurprise.io.lp_tokens import Tokens, sections


@dataclass
class _Linear:
    """constant + terms'v."""

    constant: float = 0.0
    terms: dict[str, float] = field(default_factory=dict)


@dataclass
class _Row:
    name: str
    body: _Linear
    low: float = -math.inf
    high: float = math.inf


def read_lp(path: Path) -> LinearModel:
    """Parse one file; raises FormatError with the line number."""
    parser = _Parser()
    readers = {
        "min": parser.objective_section,
        "max": parser.maximised_section,
        "rows": parser.rows_section,
        "bounds": parser.bounds_section,
        "integer": parser.integer_section,
        "binary": parser.binary_section,
    }
    for section, tokens in sections(path):
        readers[section](tokens)
    return parser.model(path)


@dataclass
class _Parser:
    maximize: bool = False
    objective: _Linear = field(default_factory=_Linear)
    rows: list[_Row] = field(default_factory=list)
    columns: dict[str, tuple[float, float]] = field(default_factory=dict)
    integers: set[str] = field(default_factory=set)

    def maximised_section(self, tokens: Tokens) -> None:
        self.maximize = True
        self.objective_section(tokens)

    def objective_section(self, tokens: Tokens) -> None:
        tokens.label()
        if not tokens.done:
            self.objective = self._expression(tokens)
        if not tokens.done:
            tokens.unexpected("a sign between the objective's terms")

    def rows_section(self, tokens: Tokens) -> None:
        while not tokens.done:
            row = _Row(tokens.label() or f"R{len(self.rows) + 1}", self._expression(tokens))
            relation = tokens.relation()
            if row.body.terms:
                _limit_row(row, relation, tokens.limit())
            else:
                self._number_first(row, relation, tokens)
            self.rows.append(row)

    def _number_first(self, row: _Row, relation: str, tokens: Tokens) -> None:
        """`low <= expression`, perhaps with `<= high`."""
        left, row.body = row.body.constant, self._expression(tokens)
        _limit_row(row, _flipped(relation), left)
        if tokens.next_is("relation"):
            if tokens.relation() != relation or relation == "=":
                tokens.fail("both signs of a double inequality must point in one direction")
            _limit_row(row, relation, tokens.limit())

    def bounds_section(self, tokens: Tokens) -> None:
        while not tokens.done:
            if tokens.at_limit():
                left, relation = tokens.limit(), tokens.relation()
                name = tokens.name()
                self._bound(name, _flipped(relation), left)
                if tokens.next_is("relation"):
                    self._bound(name, tokens.relation(), tokens.limit())
                continue
            name = tokens.name()
            if tokens.next_word() == "free":
                tokens.take()
                self.columns[name] = (-math.inf, math.inf)
            else:
                self._bound(name, tokens.relation(), tokens.limit())

    def _bound(self, name: str, relation: str, value: float) -> None:
        low, high = self.columns.get(name, (0.0, math.inf))
        self.columns[name] = (low if relation == "<=" else value, high if relation == ">=" else value)

    def integer_section(self, tokens: Tokens) -> None:
        while not tokens.done:
            self.integers.add(self._known_name(tokens))

    def binary_section(self, tokens: Tokens) -> None:
        while not tokens.done:
            name = self._known_name(tokens)
            self.integers.add(name)
            self.columns[name] = (0.0, 1.0)

    def _known_name(self, tokens: Tokens) -> str:
        name = tokens.name()
        if name not in self.columns:
            tokens.fail(f"the variable {name!r} is used nowhere in the model")
        return name

    def _expression(self, tokens: Tokens) -> _Linear:
        """A term, and further ones as long as a sign joins them."""
        result = _Linear()
        self._term(tokens, result)
        while tokens.next_is("sign"):
            self._term(tokens, result)
        return result

    def _term(self, tokens: Tokens, result: _Linear) -> None:
        factor, has_number = tokens.sign(), tokens.next_is("number")
        if has_number:
            factor *= float(tokens.take())
        if tokens.next_is("name") and not tokens.at_label():
            name = tokens.take()
            self.columns.setdefault(name, (0.0, math.inf))
            result.terms[name] = result.terms.get(name, 0.0) + factor
        elif has_number:
            result.constant += factor
        else:
            tokens.unexpected("a number or a variable")

    def model(self, path: Path) -> LinearModel:
        names = tuple(row.name for row in self.rows)
        if not self.columns:
            raise FormatError(f"{path.name}: a model needs variables, got none.")
        repeated = next((name for name, count in Counter(names).items() if count > 1), None)
        if repeated is not None:
            raise FormatError(f"{path.name}: rows need different names, got {repeated!r} twice; rename one.")
        at = {name: j for j, name in enumerate(self.columns)}
        entries = [(i, at[name], v) for i, row in enumerate(self.rows) for name, v in row.body.terms.items()]
        rows, columns, values = zip(*entries, strict=True) if entries else ((), (), ())
        bounds = np.array(list(self.columns.values()))
        model = LinearModel(
            columns=tuple(self.columns),
            rows=names,
            costs=np.array([self.objective.terms.get(name, 0.0) for name in self.columns]),
            matrix=sparse.csr_array((values, (rows, columns)), shape=(len(names), len(at)), dtype=np.float64),
            row_lower=np.array([row.low - row.body.constant for row in self.rows]),
            row_upper=np.array([row.high - row.body.constant for row in self.rows]),
            lower=bounds[:, 0].copy(),
            upper=bounds[:, 1].copy(),
            integer=np.array([name in self.integers for name in self.columns]),
            offset=self.objective.constant,
            maximize=self.maximize,
        )
        _check_numbers(path, model)
        return model


def _limit_row(row: _Row, relation: str, value: float) -> None:
    row.low = row.low if relation == "<=" else value
    row.high = row.high if relation == ">=" else value


def _flipped(relation: str) -> str:
    return {"<=": ">=", ">=": "<=", "=": "="}[relation]


def _check_numbers(path: Path, model: LinearModel) -> None:
    if not np.isfinite([model.offset, *model.costs, *model.matrix.data]).all():
        raise FormatError(f"{path.name}: coefficients must be finite numbers.")
    for names, low, high in (
        (model.columns, model.lower, model.upper),
        (model.rows, model.row_lower, model.row_upper),
    ):
        bad = np.flatnonzero(~(low <= high) | (low == np.inf) | (high == -np.inf))
        if bad.size:
            k = bad[0]
            raise FormatError(f"{path.name}: {names[k]!r} must lie between {low[k]} and {high[k]}; correct its limits.")
