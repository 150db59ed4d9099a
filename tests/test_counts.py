"""Counts that users read are true, and their nouns agree with them."""

import re
from pathlib import Path

import highspy
import numpy as np
import pytest

import neurprise as nr
from neurprise.errors import counted, part_of
from tests.instances import random_letters

_PACKAGE = Path(nr.__file__).parent
#: `{number} words` in an f-string: the noun stays plural beside a one.
_COUNT = r"\{(?:len\([^{}]*\)|[\w.]*num_\w+|[\w.]*count)(?::,)?\}"
_BAD_PLURAL = re.compile(_COUNT + r" (?:of \{[^{}]*\} )?(?!items)[a-z]+s\b(?! are 0)")


@pytest.mark.parametrize(("count", "words"), [(0, "0 solves"), (1, "1 solve"), (2, "2 solves"), (1200, "1,200 solves")])
def test_nouns_agree_with_their_counts(count, words):
    """One is singular, everything else plural."""
    assert counted(count, "solve") == words


def test_parts_agree_with_the_whole():
    """It is the whole that is counted."""
    assert part_of(1, 1, "scenario") == "1 of 1 scenario"
    assert part_of(1, 2, "scenario") == "1 of 2 scenarios"


def test_no_text_of_the_package_writes_a_plural_by_hand():
    """Every count beside a noun goes through `counted`; text for documents of experiments is not looked at."""
    rooms = [path for path in _PACKAGE.rglob("*.py") if not {"bench", "bench.py", "testing"} & set(path.parts)]
    found = {path.name: _BAD_PLURAL.findall(path.read_text(encoding="utf-8")) for path in rooms}
    assert {name: words for name, words in found.items() if words} == {}


@pytest.fixture
def runs(monkeypatch):
    """What HiGHS was asked, one entry a run."""
    asked, run = [], highspy.Highs.run
    monkeypatch.setattr(highspy.Highs, "run", lambda engine: asked.append(engine) or run(engine))
    return asked


@pytest.mark.parametrize("reducer", [None, "prise", "maxsum", "neurprise"])
def test_looking_through_a_list_is_no_solve(runs, reducer):
    """A selection lists its decisions; no engine is called, and none is named."""
    report = nr.solve(nr.make_selection(6, 5, seed=1), reducer, None if reducer is None else 2)
    assert (len(runs), report.num_solves) == (0, 0)
    assert f"0 solves, {len(report.scenarios)} of 5 scenarios kept" in str(report)
    assert f"({report.reducer})" in str(report)


@pytest.mark.parametrize("reducer", [nr.reducers.Relaxation(), nr.reducers.NeurPRISE("universal")])
def test_solves_of_relaxations_are_solves(runs, reducer):
    """The engine was called, whoever asked it."""
    problem = nr.make_selection(6, 5, seed=1)
    solves = nr.solve(problem, reducer, 2).num_solves
    assert 0 < solves <= len(runs)
    assert 0 < reducer.reduce(problem, 2).num_solves <= solves


def _one_of_each(**letters):
    """One variable in each stage: what x lacks of the demand is bought for 3."""
    demand = {"G": [[1.0]], "h": [0.0], "E": [[1.0]], "b": [3.0]}
    return nr.TwoStageProblem.from_matrices(
        c=[1.0], A=np.zeros((0, 1)), d=[], **demand, **letters, x_integer=True, x_upper=9
    )


def test_solves_with_continuous_recourse_are_solves(runs, monkeypatch):
    """Integers in both stages: the first masters have continuous recourse, and may be all that is needed."""
    monkeypatch.setattr("neurprise.search.ccg.is_small", lambda problem, num_scenarios: False)
    report = nr.solve(_one_of_each(xi=[[1.0], [2.0]], M=[[-1.0]], y_integer=True))
    assert 2 <= report.num_solves <= len(runs)


def test_one_solve_one_variable_and_one_scenario_are_singular():
    """The smallest report reads as written by hand."""
    problem = _one_of_each(xi=[[1.0]], M=[[0.0]], y_integer=False)
    text = str(nr.solve(problem))
    assert "the only variable is 0" in text
    assert "1 solve, 1 of 1 scenario kept" in text
    assert "1 scenario\n" in repr(problem)
    assert "1 row" in repr(problem)


def test_a_maximisation_without_limit_is_told_in_profits():
    """Neur2RO's main problem speaks of what the user maximises."""
    from neurprise.search.session import SearchSession

    problem = nr.TwoStageProblem.from_matrices(**random_letters(1, complete=True))
    object.__setattr__(problem, "maximize", True)
    with pytest.raises(nr.UnboundedProblemError, match="the total profit rises without limit"):
        SearchSession(problem).refuse_unbounded()


@pytest.mark.parametrize(
    ("letters", "remedy"),
    [({"xi": [[99.0]]}, "relax a constraint."), ({"xi": [[99.0], [1.0]]}, "relax a constraint or drop scenarios.")],
)
def test_the_only_scenario_is_not_to_be_dropped(letters, remedy):
    """A remedy must be possible."""
    problem = _one_of_each(**letters, M=[[-1.0]], y_integer=False, y_upper=1.0)
    with pytest.raises(nr.InfeasibleProblemError) as refused:
        nr.solve(problem)
    assert str(refused.value).endswith(remedy)
