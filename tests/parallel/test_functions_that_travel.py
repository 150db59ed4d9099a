"""Functions of a script or a notebook that use the package travel to workers and return the right answer."""

from __future__ import annotations

import importlib.util
import pkgutil
import subprocess
import sys
from types import ModuleType

import pytest

import neurprise as nr

#: What users write: a function of `__main__` that names the package, so that it travels by value, with all it names.
FUNCTION = """
import neurprise as nr

def worst_case(seed):
    problem = nr.make_selection(8, 5, seed)
    report = nr.solve(problem)
    assert nr.evaluate(problem, report.x).worst_case == report.worst_case
    return report.worst_case
"""
WITH_JOBLIB = """
if __name__ == "__main__":
    from joblib import Parallel, delayed
    print(Parallel(n_jobs=2, backend="loky")(delayed(worst_case)(seed) for seed in (1, 2)))
"""
WITH_DASK = """
if __name__ == "__main__":
    from distributed import Client, LocalCluster
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        print(client.gather(client.map(worst_case, [1, 2])))
"""


@pytest.fixture(scope="module")
def expected():
    """The same answers from this process."""
    return str([nr.solve(nr.make_selection(8, 5, seed)).worst_case for seed in (1, 2)])


def printed_by(*argv):
    done = subprocess.run([sys.executable, *argv], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("workers", [WITH_JOBLIB, WITH_DASK], ids=["joblib", "dask"])
@pytest.mark.parametrize("place", ["script", "notebook"])
def test_a_function_that_uses_the_package_runs_on_workers(tmp_path, expected, workers, place):
    """It is pickled by value, and the package with it: by name."""
    if workers is WITH_DASK:
        pytest.importorskip("distributed", reason="a cluster needs Dask")
    script = FUNCTION + workers
    (tmp_path / "study.py").write_text(script)
    # As with the cells of a notebook, there is no file that a worker could import `__main__` from.
    argv = [str(tmp_path / "study.py")] if place == "script" else ["-c", script]
    assert printed_by(*argv) == expected


def test_a_function_that_uses_the_package_is_pickled_by_value():
    """It failed with "cannot pickle '_Package' object"."""
    cloudpickle = pytest.importorskip("cloudpickle", reason="Dask and joblib send functions with it")
    names = {"__name__": "__main__"}
    exec(FUNCTION, names)
    assert cloudpickle.loads(cloudpickle.dumps(names["worst_case"]))(1) == names["worst_case"](1)


def test_the_package_is_a_plain_module():
    """Whatever replaces the class of a module makes pickling by name impossible."""
    assert type(nr) is ModuleType


def test_no_file_of_the_package_takes_the_name_of_a_public_function():
    """Importing it would put the file in the function's place."""
    functions = {name for name in nr.__all__ if callable(getattr(nr, name))}
    assert functions.isdisjoint(module.name for module in pkgutil.iter_modules(nr.__path__))


def test_importing_a_room_does_not_load_the_public_names():
    """The command line imports rooms before anything heavy, and public names import them: no circle."""
    code = "import sys; from neurprise import arrays; print(arrays.__name__, 'neurprise.api' in sys.modules)"
    assert printed_by("-c", code) == "neurprise.arrays False"
    assert importlib.util.find_spec("neurprise.solve") is None
