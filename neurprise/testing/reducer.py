"""The contract every reducer keeps; each rule is one function below."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from neurprise.errors import CheckpointError, NotApplicableError
from neurprise.problem import TwoStageProblem
from neurprise.problems import make_facility_location, make_selection, make_vertex_cover
from neurprise.recourse.evaluator import Evaluator
from neurprise.reducers.base import Reducer, Reduction
from neurprise.search.extensive_form import Master
from neurprise.solvers import Limits, get_engine
from neurprise.testing.rules import require

#: Relative to |V(all)|: engines are no more precise than this.
TOLERANCE = 1e-5
SEEDS = (0, 1, 2, 3)


def check_reducer(reducer: Reducer, problems: Mapping[str, TwoStageProblem] | None = None) -> None:
    """
    Raise AssertionError, naming the rule, unless the reducer keeps the contract on small problems.

    Parameters
    ----------
    reducer
        What `nr.solve(reducer=...)` would be given.
    problems
        Small problems by name; None: `small_problems()`. A reducer may refuse some of them with NotApplicableError.
    """
    require(isinstance(getattr(reducer, "name", None), str), f"{reducer!r} must have a name, a string")
    shown = small_problems() if problems is None else problems
    cases = [_Case(reducer, label, problem) for label, problem in shown.items() if _accepts(reducer, problem)]
    require(bool(cases), f"{reducer.name} must answer at least one of {', '.join(shown)}, but refuses all")
    for case in cases:
        _keeps_the_budget(case)
        _refuses_impossible_budgets(case)
        _leaves_the_problem_alone(case)
        _answers_one_scenario(case)
        _answers_equal_scenarios(case)
    is_random = [_depends_on_the_seed(case) for case in cases]
    if not any(is_random):  # random choices depend on the order of the scenarios
        for case in cases:
            _does_not_depend_on_the_order(case)


def small_problems() -> dict[str, TwoStageProblem]:
    """Problems of every kind that solve in milliseconds: each family, and three given by matrices."""
    return {
        "selection": make_selection(6, 6, seed=4, distribution="normal"),
        "vertex cover": make_vertex_cover(6, 6, seed=8, distribution="normal"),
        "facility location": make_facility_location(4, 3, 5, seed=5, distribution="normal"),
        "uncertain costs": _from_matrices(seed=9, uncertain_demand=False),
        "uncertain costs and demands": _from_matrices(seed=6, uncertain_demand=True),
        "profits": _from_matrices(seed=2, uncertain_demand=True, offered=40.0),
    }


def _from_matrices(seed: int, uncertain_demand: bool, offered: float = 0.0) -> TwoStageProblem:
    """
    Choose at least one of four actions now; each is paid later at the scenario's price, and so is the shortage.

    y_k >= x_k for every action, y_5 >= demand_s - capacities'x; five scenarios. `offered` lowers the cost
    of an action now, so that the total may be negative.
    """
    rng = np.random.default_rng(seed)
    return TwoStageProblem.from_matrices(
        c=rng.uniform(5, 15, 4) - offered,
        A=np.ones((1, 4)),
        d=[1.0],
        G=np.eye(5),
        h=[0.0, 0.0, 0.0, 0.0, 3.0],
        E=np.vstack([-np.eye(4), rng.uniform(1, 5, (1, 4))]),
        M=[[0.0], [0.0], [0.0], [0.0], [-1.0]] if uncertain_demand else None,
        xi=rng.uniform(0, 6, (5, 1)) if uncertain_demand else None,
        b=rng.uniform(10, 40, (5, 5)),
        x_integer=True,
        y_integer=[True, True, True, True, False],
        x_upper=1,
    )


class _Case:
    """One reducer on one problem, with exact values V(R) to compare with."""

    def __init__(self, reducer: Reducer, label: str, problem: TwoStageProblem) -> None:
        self.reducer = reducer
        self.label = label
        self.problem = problem
        self._values: dict[frozenset[int], float] = {}

    @property
    def size(self) -> int:
        return self.problem.num_scenarios

    def on(self, label: str, problem: TwoStageProblem) -> _Case:
        """The same reducer on a variation of the problem."""
        return _Case(self.reducer, f"{self.label}, {label}", problem)

    def reduce(self, budget: Any, seed: int = 0) -> Reduction:
        return self.reducer.reduce(self.problem, budget, seed=seed)

    def value(self, indices: tuple[int, ...]) -> float:
        """V(R), by an engine, to gap 0."""
        key = frozenset(indices)
        if key not in self._values:
            engine = get_engine("highs")
            self._values[key] = Master(Evaluator(self.problem, engine), engine).solve(sorted(key), Limits()).value
        return self._values[key]

    @property
    def full_value(self) -> float:
        return self.value(tuple(range(self.size)))

    @property
    def noise(self) -> float:
        return TOLERANCE * max(1.0, abs(self.full_value))

    def require(self, kept: bool, rule: str) -> None:
        require(kept, f"{self.reducer.name} on {self.label}: {rule}")


def _accepts(reducer: Reducer, problem: TwoStageProblem) -> bool:
    try:
        reducer.reduce(problem, 1)
    except (NotApplicableError, CheckpointError) as refusal:
        require(bool(str(refusal)), f"{reducer.name} must say why it refuses a problem, but raised an empty error")
        return False
    return True


def _keeps_the_budget(case: _Case) -> None:
    """Budgets below, at and above the number of scenarios are answered with distinct, existing scenarios."""
    for budget in (1, 2, case.size, case.size + 3):
        reduction = case.reduce(budget)
        _indices_are_scenarios(case, reduction)
        _length_fits_the_budget(case, reduction, budget)
        _values_are_true(case, reduction)


def _indices_are_scenarios(case: _Case, reduction: Reduction) -> None:
    indices = reduction.indices
    case.require(isinstance(indices, tuple), f"indices must be a tuple, got {type(indices).__name__}")
    for index in indices:
        case.require(type(index) is int, f"indices must be ints, got {type(index).__name__}")
        case.require(0 <= index < case.size, f"indices must be between 0 and {case.size - 1}, got {index}")
    case.require(len(set(indices)) == len(indices), f"indices must be distinct, got {indices}")


def _length_fits_the_budget(case: _Case, reduction: Reduction, budget: int) -> None:
    indices, most = reduction.indices, min(budget, case.size)
    case.require(1 <= len(indices) <= most, f"budget {budget} must keep 1 to {most} scenarios, got {len(indices)}")
    if len(indices) < most:
        # Stopping early is allowed if no further scenario raises V(R).
        for j in sorted(set(range(case.size)) - set(indices)):
            rise = case.value((*indices, j)) - case.value(indices)
            case.require(
                rise <= case.noise,
                f"budget {budget} must keep {most} scenarios unless none raises V(R), got {indices}, "
                f"and scenario {j} raises it by {rise:g}",
            )


def _values_are_true(case: _Case, reduction: Reduction) -> None:
    """The numbers of a Reduction are true: V(R) <= V(all) <= V(R) / guarantee, and gains add up to V(R)."""
    costs = reduction.in_users_sign(case.problem)  # reduce() speaks of profits where the source maximises
    indices, gains, objective, t = costs.indices, costs.gains, costs.objective, costs.guarantee
    if objective is not None:
        value = case.value(indices)
        case.require(abs(objective - value) <= case.noise, f"objective must be V(R) = {value:g}, got {objective:g}")
        case.require(objective <= case.full_value + case.noise, "V(R) must not exceed V(all)")
    if gains is not None:
        case.require(len(gains) == len(indices), f"gains must be one per index, got {len(gains)} for {len(indices)}")
        for k, reached in enumerate(np.cumsum(gains).tolist(), start=1):
            value = case.value(indices[:k])
            case.require(
                abs(reached - value) <= case.noise,
                f"the first {k} gains must add up to V(R_{k}) = {value:g}, got {reached:g}",
            )
    if t is not None:
        case.require(0 <= t <= 1, f"guarantee must be between 0 and 1, got {t:g}")
        case.require(t * case.full_value <= case.value(indices) + case.noise, f"V(all) exceeds V(R) / {t:g}")


def _refuses_impossible_budgets(case: _Case) -> None:
    for budget in (0, -1, 1.5, "two", None):
        try:
            case.reduce(budget)
        except ValueError as error:
            case.require("budget" in str(error), f"the error for budget {budget!r} must name the budget, got: {error}")
        else:
            case.require(False, f"budget {budget!r} must be refused with a ValueError")


def _leaves_the_problem_alone(case: _Case) -> None:
    before = _content(case.problem)
    case.reduce(2)
    case.require(_content(case.problem) == before, "reduce must not change the problem")


def _content(problem: TwoStageProblem) -> list[bytes]:
    """Every number of the problem, as bytes."""
    parts: list[Any] = [problem.num_scenarios, problem.offset]
    for stage in (problem.first_stage, problem.recourse):
        parts += [getattr(part, "data", part) for part in vars(stage).values()]
    for kind in sorted(problem.changes):
        parts += [problem.changes[kind].positions, problem.changes[kind].values]
    return [np.ascontiguousarray(part).tobytes() for part in parts]


def _answers_one_scenario(case: _Case) -> None:
    alone = case.on("one scenario", case.problem.restrict([0]))
    got = alone.reduce(2).indices
    alone.require(got == (0,), f"the only scenario must be kept, got {got}")


def _answers_equal_scenarios(case: _Case) -> None:
    """Four times the same scenario: any of them will do, each at most once."""
    same = case.problem.with_scenarios(np.repeat(case.problem.scenario_data[:1], 4, axis=0))
    equal = case.on("all scenarios equal", same)
    reduction = equal.reduce(2)
    _indices_are_scenarios(equal, reduction)
    _length_fits_the_budget(equal, reduction, 2)


def _depends_on_the_seed(case: _Case) -> bool:
    """Whether different seeds give different scenarios; the same seed must not."""
    chosen = [case.reduce(2, seed=seed).indices for seed in SEEDS]
    again = [case.reduce(2, seed=seed).indices for seed in SEEDS]
    case.require(chosen == again, "the same seed must give the same scenarios")
    return len(set(chosen)) > 1


def _does_not_depend_on_the_order(case: _Case) -> None:
    """Permuting scenarios permutes the choice; another choice of the same V(R) is a tie."""
    order = np.random.default_rng(0).permutation(case.size)
    permuted = case.on("permuted", case.problem.restrict(order.tolist()))
    for budget in (1, 2):
        expected = case.reduce(budget).indices
        got = tuple(order[list(permuted.reduce(budget).indices)].tolist())
        tie = abs(case.value(expected) - case.value(got)) <= case.noise
        permuted.require(
            set(got) == set(expected) or tie,
            f"the order of the scenarios must not matter, but {got} was kept instead of {expected}",
        )
