"""The shipped contract: every reducer keeps it, and broken ones are caught."""

from dataclasses import replace

import numpy as np
import pytest

import neurprise as nr
from neurprise.reducers import Reduction, get_reducer, reducer_names
from neurprise.reducers.base import num_kept
from neurprise.testing import check_reducer, small_problems

SELECTION = {"selection": small_problems()["selection"]}


@pytest.mark.parametrize("name", [name for name in reducer_names() if name != "neurprise"])
def test_every_reducer_keeps_the_contract(name):
    """On every family and on problems given by matrices."""
    check_reducer(get_reducer(name))


class Broken:
    """MaxSum, with its answer spoilt by `spoil(reduction, problem, budget, seed)`."""

    name = "broken"

    def __init__(self, spoil):
        self._spoil = spoil

    def reduce(self, problem, budget, seed=0):
        return self._spoil(nr.reducers.MaxSum().reduce(problem, budget), problem, budget, seed)


def repeats_an_index(reduction, problem, budget, seed):
    return replace(reduction, indices=reduction.indices[:1] * len(reduction.indices))


def names_a_scenario_that_is_not_there(reduction, problem, budget, seed):
    return replace(reduction, indices=(problem.num_scenarios, *reduction.indices[1:]))


def keeps_too_many(reduction, problem, budget, seed):
    return nr.reducers.MaxSum().reduce(problem, budget + 1)


def keeps_none(reduction, problem, budget, seed):
    return replace(reduction, indices=())


def returns_numpy_numbers(reduction, problem, budget, seed):
    return replace(reduction, indices=tuple(np.array(reduction.indices)))


def states_a_wrong_objective(reduction, problem, budget, seed):
    return replace(reduction, objective=1e9)


def states_wrong_gains(reduction, problem, budget, seed):
    return replace(reduction, gains=(1.0,) * len(reduction.indices))


def promises_too_much(reduction, problem, budget, seed):
    return replace(reduction, indices=(int(np.argmin(problem.single_scenarios.values())),)[:budget], guarantee=1.0)


def keeps_the_first(reduction, problem, budget, seed):
    return replace(reduction, indices=tuple(range(num_kept(problem, budget))))


@pytest.mark.parametrize(
    ("spoil", "rule"),
    [
        (repeats_an_index, "indices must be distinct"),
        (names_a_scenario_that_is_not_there, "indices must be between 0 and"),
        (keeps_too_many, "budget 1 must keep 1 to 1 scenarios, got 2"),
        (keeps_none, "budget 1 must keep 1 to 1 scenarios, got 0"),
        (returns_numpy_numbers, "indices must be ints, got int64"),
        (states_a_wrong_objective, r"objective must be V\(R\)"),
        (states_wrong_gains, "the first 1 gains must add up to"),
        (promises_too_much, r"V\(all\) exceeds V\(R\) / 1"),
        (keeps_the_first, "the order of the scenarios must not matter"),
    ],
)
def test_a_broken_rule_is_named(spoil, rule):
    """One spoilt answer each; the sentence says which rule."""
    with pytest.raises(AssertionError, match=rule):
        check_reducer(Broken(spoil), SELECTION)


class KeepsOne(nr.reducers.MaxSum):
    """Stops after the scenario of smallest sum, whatever the budget."""

    name = "keeps-one"

    def reduce(self, problem, budget, seed=0):
        order = super().reduce(problem, num_kept(problem, budget) and problem.num_scenarios).indices
        return Reduction(order[-1:])


def test_stopping_early_needs_a_reason():
    """Fewer scenarios than the budget are fine only where none would raise V(R)."""
    with pytest.raises(AssertionError, match=r"unless none raises V\(R\)"):
        check_reducer(KeepsOne(), SELECTION)


class AcceptsEveryBudget(nr.reducers.MaxSum):
    """Corrects an impossible budget in silence."""

    name = "accepts-every-budget"

    def reduce(self, problem, budget, seed=0):
        return super().reduce(problem, budget if isinstance(budget, int) and budget > 0 else 1)


def test_impossible_budgets_must_be_refused():
    """Silence about a wrong budget is a wrong answer."""
    with pytest.raises(AssertionError, match="budget 0 must be refused"):
        check_reducer(AcceptsEveryBudget(), SELECTION)


class Unrepeatable(nr.reducers.Random):
    """Ignores the seed."""

    name = "unrepeatable"

    def __init__(self):
        self._calls = 0

    def reduce(self, problem, budget, seed=0):
        self._calls += 1
        return super().reduce(problem, budget, seed=self._calls)


def test_the_same_seed_must_give_the_same_scenarios():
    """Results that cannot be repeated cannot be compared."""
    with pytest.raises(AssertionError, match="the same seed"):
        check_reducer(Unrepeatable(), SELECTION)


class Vandal(nr.reducers.MaxSum):
    """Moves the offset of the problem it is shown."""

    name = "vandal"

    def reduce(self, problem, budget, seed=0):
        reduction = super().reduce(problem, budget)
        problem.__dict__["offset"] += 1.0
        return reduction


def test_the_problem_must_be_left_alone():
    """Problems are shared between methods."""
    with pytest.raises(AssertionError, match="must not change the problem"):
        check_reducer(Vandal(), {"selection": nr.make_selection(4, 4, seed=0)})


class Refuses:
    """Answers nothing."""

    name = "refuses"

    def reduce(self, problem, budget, seed=0):
        raise nr.NotApplicableError("not today.")


def test_refusing_everything_is_no_reducer():
    """A reducer may refuse some problems, not all of them."""
    with pytest.raises(AssertionError, match="must answer at least one"):
        check_reducer(Refuses())
