"""`neurprise warm` leaves nothing to compile."""

import json
import os
import subprocess
import sys

import pytest

from tests.compiled.toys import ROOT

#: What people do: every family at a usual size, solved and reduced in every way that runs compiled code.
USUAL = """
import json
import numpy as np
import neurprise as nr
from neurprise.compiled import compilers

problems = [
    nr.make_selection(20, 50, seed=1),
    nr.make_selection(30, 20, seed=1),
    nr.make_vertex_cover(16, 50, seed=1),
    nr.make_vertex_cover(24, 10, seed=1),
    nr.VertexCover(np.ones(40), np.arange(1, 81).reshape(2, 40), np.arange(40).reshape(-1, 2)),
    nr.make_facility_location(8, 6, 20, seed=1),
]
for problem in problems:
    for reducer in ("ccg", "prise", "singlevalue", "neurprise"):
        report = nr.solve(problem, reducer, 2)
    nr.evaluate(problem, report.x)
    nr.evaluate(problem.restrict([1, 0]), report.x)
nr.reducers.NeurPRISE().reduce(nr.make_vertex_cover(80, 10, seed=1), 3)
print(json.dumps({module: each.num_compiled for module, each in compilers.items()}))
"""

#: Compiled functions that no call of `warm_up` reached, in a process that found nothing stored.
LEFT_OUT = """
import contextlib, importlib, json, pkgutil
import neurprise
from neurprise.cli.warm import warm_up
from neurprise.compiled import compilers

warm_up()
for module in pkgutil.walk_packages(neurprise.__path__, "neurprise."):
    if not module.name.endswith("__main__"):
        with contextlib.suppress(ImportError):  # an engine that is not installed
            importlib.import_module(module.name)
functions = [function for each in compilers.values() for function in each.functions]
print(json.dumps([function.__name__ for function in functions if not function.dispatcher.signatures]))
"""


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """Runs Python and returns the JSON it printed; all runs share one folder for compiled code, empty at first."""
    pytest.importorskip("torch")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(tmp_path_factory.mktemp("code"))}

    def run(*arguments):
        done = subprocess.run(
            [sys.executable, *arguments], env=environment, cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


def test_after_warming_the_usual_work_compiles_nothing(python):
    """Every compiled function was reached, with the types that solving and choosing use."""
    assert python("-c", LEFT_OUT) == []
    again = python("-m", "neurprise", "warm", "--json")
    assert {each["functions"] for each in again["compiled"].values()} == {0}
    assert again["folders"]
    assert set(python("-c", USUAL).values()) == {0}
