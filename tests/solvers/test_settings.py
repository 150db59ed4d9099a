"""Threads, a log file and the engine's own options."""

import pytest

import neurprise as nr
from neurprise.solvers import EngineSettings, Limits, get_engine
from tests.solvers.models import model

OWN_OPTION = {
    "highs": {"mip_heuristic_effort": 0.0},
    "scip": {"separating/maxrounds": 0},
    "gurobi": {"MIPFocus": 1},
}
RESERVED = {"highs": "time_limit", "scip": "limits/nodes", "gurobi": "timelimit"}
WRONG_VALUE = {"highs": {"presolve": 7}, "scip": {"separating/maxrounds": "x"}, "gurobi": {"MIPFocus": -7}}


@pytest.fixture
def problem():
    return nr.make_facility_location(4, 4, 6, 1)


def test_threads_do_not_change_the_answer_whatever_was_used_before(problem, engine):
    """HiGHS fixes its thread count with the first solve of a process; here it may change from solve to solve."""
    values = [nr.solve(problem, solver=engine.name, threads=threads, gap=0).worst_case for threads in (1, 2, 1)]
    assert values == pytest.approx([values[0]] * 3)


def test_an_engine_keeps_its_own_threads_beside_another(engine):
    """Two engine objects with different thread counts take turns."""
    one, two = (get_engine(engine.name, EngineSettings(threads=threads)) for threads in (1, 2))
    square = model([-1, -2], [[1, 1]], -1.0, 3.5)
    assert [e.solve(square, Limits()).objective for e in (one, two, one)] == pytest.approx([-6, -6, -6])


def test_the_log_file_holds_what_the_engine_says(problem, engine, tmp_path, capfd):
    """Every reduced problem adds to it, an old log is replaced, and nothing is printed."""
    log = tmp_path / "engine.log"
    log.write_text("yesterday")
    report = nr.solve(problem, solver=engine.name, log_file=log)
    written = log.read_text().lower()
    assert engine.name in written or "presolv" in written
    assert "yesterday" not in written
    assert written.count("running highs") == (report.num_solves if engine.name == "highs" else 0)
    assert capfd.readouterr().out == ""


def test_the_log_file_is_the_only_place(problem, engine, tmp_path, caplog):
    """gurobipy repeats its lines as records of Python's logging, which the root logger would print."""
    caplog.set_level("DEBUG")
    nr.solve(problem, solver=engine.name, log_file=tmp_path / "engine.log")
    assert {record.name for record in caplog.records} <= {"neurprise"}


def test_own_options_reach_the_engine(problem, engine):
    """The optimum stays what it is."""
    report = nr.solve(problem, solver=engine.name, engine_options=OWN_OPTION[engine.name])
    assert report.status == "optimal"


@pytest.mark.parametrize("options", [{"no such option": 1}, None], ids=["name", "value"])
def test_options_that_the_engine_does_not_take_are_refused(problem, engine, options):
    """Before any search begins."""
    with pytest.raises(nr.InputError, match="has no option"):
        nr.solve(problem, solver=engine.name, engine_options=options or WRONG_VALUE[engine.name])


def test_options_that_solve_sets_itself_are_refused(problem, engine):
    """A second time limit or a node limit would make the proof say something else."""
    with pytest.raises(nr.InputError, match="is set by solve"):
        nr.solve(problem, solver=engine.name, engine_options={RESERVED[engine.name]: 1})


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"threads": 0}, "threads must be"),
        ({"threads": 1.5}, "threads must be"),
        ({"log_file": "no/such/folder/log.txt"}, "directory that exists"),
        ({"log_file": 3}, "log_file must be the path"),
        ({"engine_options": ["presolve"]}, "engine_options must be a dict"),
        ({"engine_options": {3: 1}}, "must be texts"),
    ],
)
def test_settings_that_make_no_sense_are_refused(problem, settings, sentence):
    """One sentence each."""
    with pytest.raises(nr.InputError, match=sentence):
        nr.solve(problem, **settings)


def test_settings_do_not_go_with_an_engine_object(problem):
    """It has its own."""
    with pytest.raises(nr.InputError, match="go with an engine's name"):
        nr.solve(problem, solver=get_engine("highs"), threads=2)
