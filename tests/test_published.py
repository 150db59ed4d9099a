"""The benchmark of published problems: goes on where it was cut short, and says where the extensive form is ahead."""

import json
from itertools import combinations

import numpy as np
import pytest

import neurprise as nr
from benchmarks import published, record
from benchmarks.published_instances import disrupted_sites, linear_problem


@pytest.fixture
def measure(tmp_path, monkeypatch):
    """Runs the benchmark on two tiny problems with results of its own; returns the rows it printed."""
    known = {
        "one": lambda: linear_problem(3, num_first_stage=4, num_recourse=4),
        "two": lambda: disrupted_sites(3, 2, 1),
    }
    monkeypatch.setattr(published, "instances", lambda: known)
    for module in (published, record):
        monkeypatch.setattr(module, "RESULTS", tmp_path)

    def run(capsys, *arguments):
        published.main(["--time-limit", "5", "--json", *arguments])
        return json.loads(capsys.readouterr().out)["rows"]

    return run


def test_a_run_goes_on_where_it_was_cut_short(measure, capsys, monkeypatch):
    """Rows of the same commit and limit are not measured again; all are printed."""
    first = measure(capsys, "--instances", "one")
    asked = []
    monkeypatch.setattr(published, "measured", recording(published.measured, asked))
    rows = measure(capsys)
    assert [name for name, *_ in asked] == ["two", "two"]
    assert rows[:2] == first
    assert len(rows) == 4


def test_both_methods_agree(measure, capsys):
    """On problems that both close."""
    rows = measure(capsys)
    assert all(row["closed"] and row["error"] is None for row in rows)
    assert rows[0]["best"] == pytest.approx(rows[1]["best"], rel=1e-3)
    assert rows[2]["best"] == pytest.approx(rows[3]["best"], rel=1e-3)


def test_the_verdict_names_who_is_behind():
    """A larger gap, or no decision, where the extensive form has one."""
    row = {"scenarios": 3, "bound": 8.0, "closed": False, "seconds": 1.0, "time_limit": 1.0, "error": None}
    ours = {**row, "method": "nr.solve"}
    theirs = {**row, "method": "extensive form", "best": 9.0}
    lines = published.verdict([
        {**ours, "instance": "a", "best": 10.0}, {**theirs, "instance": "a"},
        {**ours, "instance": "b", "best": 8.5, "seconds": 1.25}, {**theirs, "instance": "b"},
        {**ours, "instance": "c", "best": None}, {**theirs, "instance": "c"},
    ])  # fmt: skip
    assert lines == [
        "no decision: c",
        "larger gap than the extensive form: a, c",
        "nr.solve overran its limit by at most 0.25 s (b)",
    ]


def test_customers_are_never_assigned_to_failed_sites():
    """With every site open."""
    everywhere = nr.evaluate(disrupted_sites(4, 3, 2), np.ones(4))
    for scenario, failing in enumerate(combinations(range(4), 2)):
        assigned = np.array(list(everywhere.recourse(scenario).values()))[:12].reshape(4, 3)
        assert assigned[list(failing)].sum() == 0
        assert assigned.sum() > 0


def recording(function, calls):
    def wrapped(*arguments):
        calls.append(arguments)
        return function(*arguments)

    return wrapped
