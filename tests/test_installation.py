"""The wheel, installed where nobody may write."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import neurprise as nr
from tests.read_only import read_only

ROOT = Path(__file__).parents[1]
PIP = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]

#: Even the last resort for compiled code, a temporary folder, is closed.
PROGRAM = """
import json, sys, tempfile
tempfile.tempdir = sys.argv[1]
import neurprise as nr

problem = nr.make_selection(6, 8, seed=1)
reports = {name: nr.solve(problem, name, 3) for name in nr.reducers.reducer_names()}
answers = {name: [report.worst_case, report.lower_bound] for name, report in reports.items()}
print(json.dumps({"from": nr.__file__, "answers": answers}))
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder that holds the package as its wheel installs it."""
    pytest.importorskip("setuptools", "77", reason="building a wheel without downloads needs it")
    source, folder = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("site")
    shutil.copytree(ROOT / "neurprise", source / "neurprise", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "experiments", source / "experiments", ignore=shutil.ignore_patterns("rows", "labels"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    subprocess.run([*PIP, "wheel", "--no-deps", "--no-build-isolation", "--no-index", "-w", source, source], check=True)
    (wheel,) = source.glob("*.whl")
    subprocess.run([*PIP, "install", "--no-deps", "--no-index", "--target", folder, wheel], check=True)
    return folder


def test_the_lab_is_in_no_wheel(installed):
    """Users install the library; experiments, their rows and labels stay in the repository."""
    packages = {path.parent.name for path in installed.glob("*/__init__.py")}
    assert packages == {"neurprise"}


def test_every_reducer_solves_in_a_read_only_installation_with_a_read_only_home(installed, tmp_path):
    """Nothing can be stored, and everything is answered as in the checkout."""
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    environment |= {"PYTHONPATH": str(installed), "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    with read_only(installed, tmp_path) as prefix:
        command = [*prefix, sys.executable, "-c", PROGRAM, str(tmp_path)]
        done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert Path(found["from"]).is_relative_to(installed)
    problem = nr.make_selection(6, 8, seed=1)
    reports = {name: nr.solve(problem, name, 3) for name in nr.reducers.reducer_names()}
    assert found["answers"] == {name: [each.worst_case, each.lower_bound] for name, each in reports.items()}
