"""A decision to begin from, and a callback that sees every improvement."""

import json
import logging

import numpy as np
import pytest

import neurprise as nr
from tests.instances import exactly_two_of_four


@pytest.fixture
def problem():
    return nr.make_facility_location(5, 5, 10, 2)


@pytest.fixture
def answer(problem):
    return nr.solve(problem)


@pytest.mark.parametrize("form", ["report", "array", "dict", "series", "file", "list in a file", "names in a file"])
def test_a_start_comes_in_every_form_a_decision_has(problem, answer, form, tmp_path):
    """With no time to search, the start is the answer."""
    pandas = pytest.importorskip("pandas")
    named = problem.named_decision(answer.x)
    file = tmp_path / "answer.json"
    file.write_text(
        {"list in a file": json.dumps(answer.x.tolist()), "names in a file": json.dumps(named)}.get(
            form, answer.to_json()
        )
    )
    start = {"report": answer, "array": answer.x, "dict": named, "series": pandas.Series(named)}.get(form, str(file))
    report = nr.solve(problem, start=start, time_limit=0)
    assert np.array_equal(report.x, answer.x)
    assert report.worst_case == pytest.approx(answer.worst_case)


def test_a_bad_start_costs_nothing_but_time(problem, answer):
    """The optimum is the same from the worst decision: build everything."""
    first = problem.first_stage
    everything = np.where(first.integer, first.upper, 0.0)
    everything[~first.integer] = problem.max_capacities
    assert nr.solve(problem, start=everything).worst_case == pytest.approx(answer.worst_case, rel=1e-4)


@pytest.mark.parametrize(
    ("start", "sentence"),
    [
        ([1.0, 2.0], "start: x must be of shape"),
        ({"open[9]": 1}, "start: .*did you mean"),
        ("nowhere.json", "path of a JSON or CSV file"),
        (np.full(10, -1.0), "must be at least"),
    ],
)
def test_a_start_that_is_no_decision_is_refused(problem, start, sentence):
    """Said with the word start, because it is not the answer that is wrong."""
    with pytest.raises(nr.InputError, match=sentence):
        nr.solve(problem, start=start)


def test_a_report_without_a_decision_is_no_start():
    """Nothing was found in no time."""
    problem = exactly_two_of_four()
    with pytest.raises(nr.InputError, match="holds no decision"):
        nr.solve(problem, start=nr.solve(problem, time_limit=0))


@pytest.mark.parametrize("method", [(), ("prise", 4), ("ccg", 4), ("maxsum", 4), ("prise", "0%")])
def test_the_callback_sees_bounds_that_only_improve(problem, method):
    """And the last of them is the answer."""
    seen = []
    report = nr.solve(problem, *method, on_progress=seen.append)
    lower, upper = [step.lower_bound for step in seen], [step.worst_case for step in seen]
    assert lower == sorted(lower)
    assert upper == sorted(upper, reverse=True)
    assert len({*zip(lower, upper, strict=True)}) == len(seen)
    assert (lower[-1], upper[-1]) == (report.lower_bound, report.worst_case)


@pytest.mark.parametrize("method", [(), ("prise", 4), ("ccg", 4), ("maxsum", 4), ("kmeans", "0%")])
def test_true_stops_with_the_best_answer_so_far(problem, answer, method):
    """Stopped is neither optimal nor interrupted, and both bounds hold."""
    report = nr.solve(problem, *method, on_progress=lambda step: step.worst_case < np.inf)
    assert report.status == "stopped"
    assert report.lower_bound <= answer.worst_case + 1e-6
    assert report.worst_case == pytest.approx(nr.evaluate(problem, report.x).worst_case)


def test_an_exception_in_the_callback_does_not_cost_the_answer(problem, caplog):
    """The search stops, warns, logs where it was, and returns what it has."""

    def fails(step):
        if step.worst_case < np.inf:
            raise ZeroDivisionError("in my plot")

    with pytest.warns(RuntimeWarning, match=r"on_progress raised ZeroDivisionError\('in my plot'\)"):
        report = nr.solve(problem, on_progress=fails)
    assert report.status == "stopped"
    assert report.worst_case < np.inf
    assert any(record.exc_info for record in caplog.records if record.levelno == logging.ERROR)


def test_ctrl_c_in_the_callback_is_an_interrupt(problem):
    """It reaches the search as it would anywhere else."""

    def interrupt(step):
        raise KeyboardInterrupt

    assert nr.solve(problem, on_progress=interrupt).status == "interrupted"


def test_something_that_cannot_be_called_is_refused(problem):
    """Before the search."""
    with pytest.raises(nr.InputError, match="on_progress must be a function"):
        nr.solve(problem, on_progress=5)
