"""A search that leaves a state on disk goes on from it, on the same problem only."""

import hashlib
import json
import math
import re

import numpy as np
import pytest

import neurprise as nr
from neurprise.cli import main
from neurprise.problem.values import digest
from neurprise.search.observers import StateFile
from tests.instances import from_letters, random_letters


@pytest.fixture
def problem():
    return nr.make_facility_location(6, 6, 12, seed=2)


def stopped_early(problem, path):
    """Search until the second improvement."""
    seen = []
    return nr.solve(problem, state=path, on_progress=lambda step: seen.append(step) or len(seen) >= 2)


def test_a_search_goes_on_where_it_was(problem, tmp_path):
    """Nothing that was known is lost: neither the bound nor the best decision."""
    path = tmp_path / "search.state"
    first = stopped_early(problem, path)
    assert first.status is nr.Status.STOPPED
    steps = []
    second = nr.solve(problem, state=path, on_progress=lambda step: steps.append(step))
    assert steps[0].lower_bound >= first.lower_bound
    assert steps[0].worst_case <= first.worst_case
    assert second.worst_case == pytest.approx(nr.solve(problem).worst_case)
    assert second.status is nr.Status.OPTIMAL


def test_a_finished_search_ends_at_once(problem, tmp_path):
    """One more master confirms what was known."""
    path = tmp_path / "search.state"
    first = nr.solve(problem, state=path)
    second = nr.solve(problem, state=path)
    assert second.worst_case == first.worst_case
    assert second.num_solves <= 1


def rewrite(path, change):
    """Change a state as somebody would who knows about checksums."""
    data = {**json.loads(path.read_text()), **change}
    del data["checksum"]
    checksum = hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()
    path.write_text(json.dumps({**data, "checksum": checksum}))


def test_a_search_that_goes_on_says_so(problem, tmp_path, caplog):
    """With the bound that is known and the seconds that it took; a new search says nothing."""
    caplog.set_level("INFO", logger="neurprise")
    path = tmp_path / "search.state"
    first = nr.solve(problem, state=path)
    assert "resumed" not in caplog.text
    nr.solve(problem, state=path)
    assert f"resumed from {path} (bound {first.lower_bound:,.6g}, 0 s)".split(",")[0] in caplog.text
    nr.solve(problem, state=path)
    seconds = json.loads(path.read_text())["seconds"]
    assert seconds > first.runtime


@pytest.mark.parametrize("place", ["", "nowhere/search.state"])
def test_a_state_that_is_no_file_is_refused(problem, tmp_path, place):
    """A folder, or a file in no folder."""
    with pytest.raises(nr.InputError, match="state must be a file"):
        nr.solve(problem, state=tmp_path / place)


def test_the_state_of_another_problem_is_refused(problem, tmp_path):
    """A bound that was proved there holds nowhere else."""
    path = tmp_path / "search.state"
    nr.solve(problem, state=path)
    with pytest.raises(nr.InputError, match="state of another problem"):
        nr.solve(nr.make_facility_location(6, 6, 12, seed=3), state=path)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"not json",
        b'{"format": "other"}',
        b'{"format": "neurprise-state-2", "problem": "x"}',
        b'{"format": "neurprise-state-1"}',
    ],
)
def test_a_file_that_is_no_state_is_refused(problem, tmp_path, content):
    """And left as it is."""
    path = tmp_path / "search.state"
    path.write_bytes(content)
    with pytest.raises(nr.InputError, match="is not the state of a search"):
        nr.solve(problem, state=path)
    assert path.read_bytes() == content


@pytest.mark.parametrize("change", [{"scenarios": [99]}, {"bound_scenarios": [-1]}, {"decisions": [[1.0]]}])
def test_a_state_that_does_not_fit_the_problem_is_refused(problem, tmp_path, change):
    """Somebody has changed it by hand."""
    path = tmp_path / "search.state"
    nr.solve(problem, state=path)
    rewrite(path, change)
    with pytest.raises(nr.InputError, match="do not fit the problem"):
        nr.solve(problem, state=path)


@pytest.mark.parametrize("change", [{"lower_bound": 1e9}, {"scenarios": [0]}, {"checksum": "0"}, {"more": 1}])
def test_a_state_that_was_changed_is_refused(problem, tmp_path, change):
    """A bound that nobody proved would be printed as proved. The file is left as it is."""
    path = tmp_path / "search.state"
    nr.solve(problem, state=path)
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    content = path.read_bytes()
    with pytest.raises(nr.InputError, match="its checksum is wrong; remove it"):
        nr.solve(problem, state=path)
    assert path.read_bytes() == content


@pytest.mark.parametrize("maximize", [False, True])
def test_a_bound_beyond_a_stored_decision_is_refused(tmp_path, maximize):
    """Decisions are evaluated before anything that is said about them is believed."""
    letters, sign = random_letters(3, complete=True), -1.0 if maximize else 1.0
    problem = from_letters(letters | {"c": sign * letters["c"], "b": sign * letters["b"], "maximize": maximize})
    path = tmp_path / "search.state"
    nr.solve(problem, state=path)
    rewrite(path, {"lower_bound": 1e9})
    content = path.read_bytes()
    bound = "-1e+09" if maximize else "1e+09"
    with pytest.raises(nr.InputError, match=rf"must not contradict itself, but .* its bound is {re.escape(bound)}"):
        nr.solve(problem, state=path)
    assert path.read_bytes() == content


def test_a_second_search_on_one_state_is_refused(problem, tmp_path):
    """The first goes on."""
    first = StateFile(tmp_path / "search.state", problem)
    with pytest.raises(nr.InputError, match="another process is writing"):
        nr.solve(problem, state=tmp_path / "search.state")
    first.release()
    assert math.isfinite(nr.solve(problem, state=tmp_path / "search.state").worst_case)


def test_a_reducer_knows_what_was_proved_before(problem, tmp_path):
    """The state of an exact search serves the pipeline too."""
    path = tmp_path / "search.state"
    exact = nr.solve(problem, state=path)
    reduced = nr.solve(problem, "maxsum", 2, state=path)
    assert reduced.lower_bound == pytest.approx(exact.lower_bound)


def test_equal_problems_have_equal_fingerprints(problem, tmp_path):
    """Also after a trip through a file; another number changes it."""
    problem.write(tmp_path / "problem.npz")
    assert digest(nr.read(tmp_path / "problem.npz")) == digest(problem)
    changed = np.array(problem.scenario_data)
    changed[0, 0] += 1
    assert digest(problem.with_scenarios(changed)) != digest(problem)


def test_the_command_line_keeps_a_state(problem, tmp_path, capsys):
    """`neurprise solve FILE --state PATH`."""
    problem.write(tmp_path / "problem.npz")
    argv = ["solve", str(tmp_path / "problem.npz"), "--state", str(tmp_path / "search.state"), "--json"]
    assert main(argv) == 0
    first = json.loads(capsys.readouterr().out)
    assert main(argv) == 0
    assert json.loads(capsys.readouterr().out)["worst_case"] == first["worst_case"]
