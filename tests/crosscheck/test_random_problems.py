"""Random problems with every feature: all the package says is right. `python -m benchmarks.crosscheck` runs more."""

import json

import pytest

pytest.importorskip("pyscipopt", reason="SCIP judges")
pytest.importorskip("gurobipy", reason="Gurobi judges")

from benchmarks import crosscheck
from benchmarks.crosscheck_questions import examine, warm_up
from benchmarks.random_problems import KINDS, draw_case

AT_ONCE = 15
MUST_NOT_HAPPEN = ("wrong", "exception", "undecided")  # how long a call took is not a test's business


@pytest.mark.parametrize("first", range(0, 300, AT_ONCE))
def test_no_answer_is_wrong(first):
    """Solve, evaluate, reduce, refine, verify and cut short; brute force or two other engines know the truth."""
    warm_up()
    found = [(seed, finding) for seed in range(first, first + AT_ONCE) for finding in examine(seed).findings]
    assert [(seed, finding) for seed, finding in found if finding.sort in MUST_NOT_HAPPEN] == []


@pytest.mark.parametrize("seed", [408, 2543, 3010, 3189, 3276, 3471, 4972, 5425, 5695, 5980])
def test_what_was_once_wrong_stays_right(seed):
    """A crash, false optima, false infeasibility and endless searches, each an engine's own doing."""
    assert [finding for finding in examine(seed).findings if finding.sort in MUST_NOT_HAPPEN] == []


@pytest.mark.parametrize("kind", list(KINDS))
def test_a_seed_always_draws_the_same_problem(kind):
    """A failure can be looked at again."""
    seed = 28 * len(KINDS) + list(KINDS).index(kind)
    one, other = draw_case(seed), draw_case(seed)
    assert one.kind == kind
    assert {k: str(v) for k, v in vars(one.statement).items()} == {k: str(v) for k, v in vars(other.statement).items()}


def test_the_command_prints_a_row_per_kind_and_one_for_all(capsys):
    """Rows count problems; nothing is kept when not asked for."""
    assert crosscheck.main(["--count", "3", "--seed", "12", "--json", "--no-save"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [(row["kind"], row["count"]) for row in rows] == [
        ("selection", 1),
        ("vertex cover", 1),
        ("facility location", 1),
        ("all", 3),
    ]


def test_the_command_stops_in_time_and_says_how_to_go_on(capsys):
    """No time at all leaves every problem for later."""
    assert crosscheck.main(["--count", "5", "--seed", "12", "--minutes", "0", "--no-save"]) == 0
    assert "go on with --seed 12 --count 5" in capsys.readouterr().out
