"""A module with compiled functions in a folder of its own, and a home without anything."""

import os

import pytest

from tests.compiled.toys import MODULE, ROOT, Toy

_OF_THE_CALLER = ("NUMBA_CACHE_DIR", "NUMBA_DISABLE_JIT", "XDG_CACHE_HOME")


@pytest.fixture
def toy(tmp_path):
    folder, home, temporary = tmp_path / "package", tmp_path / "home", tmp_path / "temporary"
    for each in (folder, home, temporary):
        each.mkdir()
    (folder / "toy.py").write_text(MODULE)
    inherited = {name: value for name, value in os.environ.items() if name not in _OF_THE_CALLER}
    own = {"PYTHONPATH": f"{folder}{os.pathsep}{ROOT}", "HOME": str(home), "TMPDIR": str(temporary)}
    return Toy(folder, home, temporary, {**inherited, **own})
