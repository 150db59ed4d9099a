"""Machine code on disk: where it goes, who may use it, and what becomes of damage and of company."""

import stat

import pytest

from tests.compiled.toys import finished
from tests.read_only import read_only

#: Both functions of the module.
BOTH = 2


def test_code_is_stored_beside_its_module_and_found_there(toy):
    """A second process compiles nothing."""
    first, second = toy.run(), toy.run()
    assert first["answers"] == second["answers"] == [3.0]
    assert (first["compiled"], second["compiled"]) == (BOTH, 0)
    assert first["folder"] == second["folder"] == str(toy.folder / "__pycache__")


def test_the_folder_that_numba_is_told_is_the_only_one(toy, tmp_path):
    """NUMBA_CACHE_DIR keeps code apart, and what lies elsewhere is not read."""
    toy.run()
    apart = tmp_path / "apart"
    assert toy.run(NUMBA_CACHE_DIR=str(apart))["compiled"] == BOTH
    again = toy.run(NUMBA_CACHE_DIR=str(apart))
    assert again["compiled"] == 0
    assert again["folder"].startswith(str(apart))


def test_a_changed_source_is_compiled_anew(toy):
    """Stored code of an older version is never run."""
    toy.run()
    source = toy.folder / "toy.py"
    source.write_text(source.read_text().replace("value / 2", "value / 4"))
    assert toy.run()["answers"] == [1.5]


def test_a_read_only_installation_stores_in_the_users_cache(toy, tmp_path):
    """Whoever may not write to the package has a cache folder of their own."""
    with read_only(toy.folder) as prefix:
        first = toy.run(prefix=prefix, XDG_CACHE_HOME=str(tmp_path / "cache"))
        second = toy.run(prefix=prefix, XDG_CACHE_HOME=str(tmp_path / "cache"))
    assert (first["compiled"], second["compiled"]) == (BOTH, 0)
    assert first["folder"].startswith(str(tmp_path / "cache" / "neurprise"))


def test_a_read_only_home_stores_in_a_private_temporary_folder(toy):
    """Code that others could have written there would run with our rights."""
    with read_only(toy.folder, toy.home) as prefix:
        first, second = toy.run(prefix=prefix), toy.run(prefix=prefix)
    assert (first["compiled"], second["compiled"]) == (BOTH, 0)
    (folder,) = toy.temporary.glob("neurprise-*")
    assert first["folder"] == str(folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_temporary_folder_that_others_may_write_to_is_not_used(toy):
    """Neither read nor written; each process compiles for itself."""
    with read_only(toy.folder, toy.home) as prefix:
        toy.run(prefix=prefix)
        (folder,) = toy.temporary.glob("neurprise-*")
        folder.chmod(0o777)
        found = toy.run(prefix=prefix)
    assert (found["answers"], found["compiled"], found["folder"]) == ([3.0], BOTH, None)


def test_everything_runs_where_nothing_can_be_written(toy):
    """Every process compiles for itself, and says what to do about it."""
    with read_only(toy.folder, toy.home, toy.temporary) as prefix:
        nowhere = f"import tempfile; tempfile.tempdir = {str(toy.temporary)!r}\n"
        found = toy.run(prefix=prefix, before=nowhere)
    assert (found["answers"], found["compiled"], found["folder"]) == ([3.0], BOTH, None)
    assert "set NUMBA_CACHE_DIR" in found["told"]


def test_an_installation_warmed_by_its_owner_serves_those_who_may_only_read(toy):
    """An administrator, or the build of an image, compiles for everybody."""
    toy.run()
    with read_only(toy.folder, toy.home) as prefix:
        found = toy.run(prefix=prefix)
        new = toy.run("float32", prefix=prefix)
    assert (found["compiled"], found["folder"]) == (0, str(toy.folder / "__pycache__"))
    assert new["folder"].startswith(str(toy.temporary))


@pytest.mark.parametrize("kind", ["*.nbi", "*.nbc"])
def test_damaged_files_are_replaced(toy, kind):
    """A disk that was full or a machine that lost power must not stop every later run."""
    toy.run()
    for path in (toy.folder / "__pycache__").glob(kind):
        path.write_bytes(path.read_bytes()[:20])
    assert toy.run()["answers"] == [3.0]
    assert toy.run()["compiled"] == 0


def test_two_processes_that_compile_at_once_are_both_right(toy):
    """And a third has nothing left to do."""
    answers = [finished(process)["answers"] for process in [toy.start(), toy.start()]]
    assert answers == [[3.0], [3.0]]
    assert toy.run()["compiled"] == 0


def test_processes_that_compile_for_different_numbers_keep_each_others_code(toy):
    """numba numbers the files of a function; without a lock two processes could give one number to both."""
    kinds = ["float64", "float32", "int64", "int32"]
    running = [toy.start(kind) for kind in kinds]
    assert [finished(process)["answers"] for process in running] == [[3.0]] * len(kinds)
    everything = toy.run(*kinds)
    assert (everything["answers"], everything["compiled"]) == ([3.0] * len(kinds), 0)
