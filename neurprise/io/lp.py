"""
LP files: one deterministic mixed-integer linear model in algebraic form, as CPLEX, Gurobi, SCIP and HiGHS write it.

Sections: Minimize/Maximize, Subject To, Bounds, Generals, Binaries, End. Other features are refused by name. So is a
file that the readers of Gurobi, SCIP and HiGHS read differently: nobody can know which model is meant. The judge
`experiments run files` finds such files.
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
from neurprise.io.lp_tokens import Tokens, is_by_gurobi, sections
from neurprise.io.records import read_text


@dataclass
class _Linear:
    """constant + terms'v; `repeated` is the first variable that occurs twice."""

    constant: float = 0.0
    terms: dict[str, float] = field(default_factory=dict)
    has_constant: bool = False
    repeated: str = ""


@dataclass
class _Row:
    name: str
    body: _Linear
    low: float = -math.inf
    high: float = math.inf


@dataclass
class _Bounds:
    """What the file says about a variable's bounds; None where it says nothing."""

    low: float | None = None
    high: float | None = None


def read_lp(path: Path) -> LinearModel:
    """Parse one file; raises FormatError with the line number."""
    text = read_text(path)
    parser = _Parser(is_by_gurobi(text))
    readers = {
        "min": parser.objective_section,
        "max": parser.maximised_section,
        "rows": parser.rows_section,
        "bounds": parser.bounds_section,
        "integer": parser.integer_section,
        "binary": parser.binary_section,
    }
    for section, tokens in sections(path.name, text):
        readers[section](tokens)
    return parser.model(path)


@dataclass
class _Parser:
    by_gurobi: bool
    maximize: bool = False
    objective: _Linear | None = None
    rows: list[_Row] = field(default_factory=list)
    columns: dict[str, _Bounds] = field(default_factory=dict)
    integers: set[str] = field(default_factory=set)
    binaries: set[str] = field(default_factory=set)

    def maximised_section(self, tokens: Tokens) -> None:
        self.maximize = True
        self.objective_section(tokens)

    def objective_section(self, tokens: Tokens) -> None:
        if self.objective is not None:
            tokens.fail("several objectives are not supported; keep one")
        tokens.label()
        self.objective = _Linear() if tokens.done else self._expression(tokens)
        if not tokens.done:
            tokens.unexpected("a sign between the objective's terms")
        if self.objective.repeated:
            tokens.fail(f"{self.objective.repeated!r} occurs twice in the objective; add its coefficients up")
        if self.objective.has_constant and self.by_gurobi:
            tokens.fail("a number without a variable is a variable's name to Gurobi, which wrote this file; rename it")

    def rows_section(self, tokens: Tokens) -> None:
        while not tokens.done:
            label = tokens.label()
            empty = bool(label) and tokens.next_is("relation")  # engines write rows without terms so
            row = _Row(label or f"R{len(self.rows) + 1}", _Linear() if empty else self._expression(tokens))
            relation = tokens.relation()
            if row.body.terms or empty:
                _limit_row(row, relation, tokens.limit())
            else:
                self._number_first(row, relation, tokens)
            if row.body.has_constant:
                tokens.fail(f"row {row.name!r} has a number among its terms; move it to the right-hand side")
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
                self._bound_after_number(tokens, left, relation)
                continue
            name = tokens.name()
            if tokens.next_word() == "free":
                tokens.take()
                self._bound(tokens, name, ">=", -math.inf)
                self._bound(tokens, name, "<=", math.inf)
            else:
                self._bound(tokens, name, tokens.relation(), tokens.limit())

    def _bound_after_number(self, tokens: Tokens, left: float, relation: str) -> None:
        """`low <= name`, perhaps with `<= high`."""
        name = tokens.name()
        is_new = name not in self.columns
        self._bound(tokens, name, _flipped(relation), left)
        if tokens.next_is("relation"):
            if relation != "<=" or tokens.relation() != "<=":
                tokens.fail(f"two bounds in one line must both be <=, see {name!r}")
            self._bound(tokens, name, "<=", tokens.limit())
        elif is_new and name != name.lower():
            tokens.fail(
                f"Gurobi reads {name!r}, which occurs here first, in lower case; put the name before the number"
            )

    def _bound(self, tokens: Tokens, name: str, relation: str, value: float) -> None:
        bounds = self.columns.setdefault(name, _Bounds())
        if relation != "<=":
            bounds.low = _same_or_new(tokens, f"lower bound of {name!r}", bounds.low, value)
        if relation != ">=":
            bounds.high = _same_or_new(tokens, f"upper bound of {name!r}", bounds.high, value)

    def integer_section(self, tokens: Tokens) -> None:
        while not tokens.done:
            self.integers.add(self._listed_name(tokens))

    def binary_section(self, tokens: Tokens) -> None:
        while not tokens.done:
            self.binaries.add(self._listed_name(tokens))

    def _listed_name(self, tokens: Tokens) -> str:
        """A name of Generals or Binaries; engines also write variables there that occur nowhere else."""
        name = tokens.name()
        self.columns.setdefault(name, _Bounds())
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
        if tokens.next_is("name"):
            name = tokens.name()
            self.columns.setdefault(name, _Bounds())
            result.repeated = result.repeated or (name if name in result.terms else "")
            result.terms[name] = result.terms.get(name, 0.0) + factor
        elif has_number:
            result.constant += factor
            result.has_constant = True
        else:
            tokens.unexpected("a number or a variable")

    def _limits(self, path: Path, name: str) -> tuple[float, float]:
        """A variable's bounds after the format's defaults; bounds of a binary variable stay, in whichever order."""
        stated, binary = self.columns[name], name in self.binaries
        low = 0.0 if stated.low is None else stated.low
        high = (1.0 if binary else math.inf) if stated.high is None else stated.high
        if binary and (low < 0 or high > 1):
            raise FormatError(
                f"{path.name}: {name!r} is binary, but its bounds are {low:g} and {high:g}, which engines read "
                "differently; correct the bounds, or list it under Generals."
            )
        return low, high

    def _check_names(self, path: Path) -> None:
        """HiGHS takes the beginning of such names for a number; with `inf` in a row it refuses the file itself."""
        in_rows = {name for row in self.rows for name in row.body.terms}
        for name in self.columns:
            start = name[:3].lower()
            if start == "nan" or (start == "inf" and name not in in_rows):
                raise FormatError(f"{path.name}: HiGHS reads {name!r} as a number, not as a name; rename it.")

    def model(self, path: Path) -> LinearModel:
        names = tuple(row.name for row in self.rows)
        if not self.columns:
            raise FormatError(f"{path.name}: a model needs variables, got none.")
        self._check_names(path)
        repeated = next((name for name, count in Counter(names).items() if count > 1), None)
        if repeated is not None:
            raise FormatError(f"{path.name}: rows need different names, got {repeated!r} twice; rename one.")
        at = {name: j for j, name in enumerate(self.columns)}
        entries = [(i, at[name], v) for i, row in enumerate(self.rows) for name, v in row.body.terms.items()]
        rows, columns, values = zip(*entries, strict=True) if entries else ((), (), ())
        bounds = np.array([self._limits(path, name) for name in self.columns])
        objective, whole = self.objective or _Linear(), self.integers | self.binaries
        model = LinearModel(
            columns=tuple(self.columns),
            rows=names,
            costs=np.array([objective.terms.get(name, 0.0) for name in self.columns]),
            matrix=sparse.csr_array((values, (rows, columns)), shape=(len(names), len(at)), dtype=np.float64),
            row_lower=np.array([row.low for row in self.rows]),
            row_upper=np.array([row.high for row in self.rows]),
            lower=bounds[:, 0].copy(),
            upper=bounds[:, 1].copy(),
            integer=np.array([name in whole for name in self.columns]),
            offset=objective.constant,
            maximize=self.maximize,
        )
        _check_numbers(path, model)
        return model


def _limit_row(row: _Row, relation: str, value: float) -> None:
    row.low = row.low if relation == "<=" else value
    row.high = row.high if relation == ">=" else value


def _same_or_new(tokens: Tokens, what: str, known: float | None, value: float) -> float:
    """A bound may come again with the same number only: engines disagree which one counts."""
    if known is not None and known != value:
        tokens.fail(f"the {what} is given twice, as {known:g} and as {value:g}; remove one")
    return value


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
