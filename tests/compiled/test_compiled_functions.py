"""Functions that are compiled at their first call: what they do, what they tell, and that no time limit pays for it."""

import inspect
import os
import pickle
import subprocess
import sys

import numba
import numpy as np

from neurprise import compiled as room
from neurprise.clock import compiling
from neurprise.compiled import compilers
from neurprise.problems.facility_location import oracle as transport
from neurprise.problems.selection import oracle as listing
from neurprise.problems.vertex_cover import oracle as covers
from tests.compiled.toys import ROOT


def test_nothing_is_loaded_before_the_first_call(toy):
    """Defining compiled functions costs no more than defining functions."""
    before = "import toy, sys; assert 'numba' not in sys.modules\n"
    assert toy.run(before=before)["compiled"] > 0


def test_compiled_functions_call_one_another(toy):
    """`sum_of_halves` uses `half`; both are machine code, for every type of number."""
    assert toy.run("float64", "int64", "float32")["answers"] == [3.0, 3.0, 3.0]


def test_whoever_waits_is_told_why_and_once(toy):
    """One sentence for all functions of the module."""
    assert toy.run("float64", "int64")["told"].splitlines() == ["compiling the toy, once (about 1 s)"]
    assert toy.run()["told"] == ""


def test_on_a_terminal_the_sentence_is_shown(monkeypatch, capsys):
    """Without a terminal standard error stays empty: it may be read by a program."""
    room.tell("compiling the toy")
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    room.tell("compiling the toy")
    assert capsys.readouterr().err.endswith("neurprise: compiling the toy\n")


def test_without_compiling_they_are_plain_python(toy):
    """NUMBA_DISABLE_JIT lets a debugger in."""
    found = toy.run(NUMBA_DISABLE_JIT="1")
    assert (found["answers"], found["compiled"]) == ([3.0], 0)


def test_a_compiled_function_still_looks_like_a_function():
    """Help, signature and pickles work as before."""
    function = covers.cover_costs
    assert "Cheapest cover" in inspect.getdoc(function)
    assert list(inspect.signature(function).parameters) == ["nodes", "neighbours", "weights", "limit"]
    assert pickle.loads(pickle.dumps(function)) is function


def test_several_threads_may_make_the_first_call(toy):
    """All of them get the right answer."""
    before = """
import threading, numpy, toy
found = []
calls = [threading.Thread(target=lambda: found.append(toy.sum_of_halves(numpy.ones(4)))) for _ in range(4)]
for call in calls: call.start()
for call in calls: call.join()
assert found == [2.0] * 4, found
"""
    assert toy.run(before=before)["answers"] == [3.0]


def test_code_that_is_compiled_does_not_reach_beyond_its_file():
    """What is stored counts as fresh while its own source is the same, so all that is in it must come from there."""
    modules = (covers, listing, transport)
    assert {module.__name__ for module in modules} <= compilers.keys()
    for name, compiler in compilers.items():
        for function in compiler.functions:
            used = [function.__wrapped__.__globals__.get(each) for each in function.__wrapped__.__code__.co_names]
            assert {each.__module__ for each in used if isinstance(each, room.CompiledFunction)} <= {name}


def test_compiling_of_any_function_stops_the_clock():
    """A family of one's own with a numba oracle needs nothing of this package for that."""
    assert covers.subset_sums.dispatcher is not None  # loads numba

    @numba.njit
    def cubes(values):
        return (values**3).sum()

    before = compiling.seconds
    assert cubes(np.arange(3.0)) == 9.0
    once = compiling.seconds
    assert cubes(np.arange(4.0)) == 36.0
    assert compiling.seconds == once > before


def test_a_cold_run_answers_as_a_warm_one_within_a_time_limit(tmp_path):
    """Compiling takes longer than the limit; the search gets its seconds all the same."""
    program = """
import neurprise as nr
from neurprise.compiled import compilers
report = nr.solve(nr.make_selection(8, 20, seed=3), "neurprise", 2, time_limit=3)
print(report.worst_case, report.lower_bound, report.scenarios, report.status, report.num_solves)
print(sum(compiler.num_compiled for compiler in compilers.values()))
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", program]
    runs = [subprocess.run(command, env=environment, capture_output=True, text=True, check=True) for _ in range(2)]
    cold, warm = (run.stdout.splitlines() for run in runs)
    assert cold[0] == warm[0]
    assert int(cold[1]) > 0 == int(warm[1])
