"""The package's own format: everything comes back, nothing foreign comes in."""

import errno
import io
import json
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import neurprise as nr
from neurprise.io import read, write
from neurprise.problem.named import NAME_FIELDS
from neurprise.problem.stages import KINDS

FAMILIES = {
    "selection": lambda: nr.make_selection(5, 4, seed=1),
    "vertex-cover": lambda: nr.make_vertex_cover(6, 3, seed=1),
    "facility-location": lambda: nr.make_facility_location(4, 3, 2, seed=1),
}


def generic_problem():
    """Two scenarios that change costs and right-hand sides."""
    return nr.TwoStageProblem.from_matrices(
        c=[1.0, 2.0],
        A=[[1.0, 1.0]],
        d=[1.0],
        G=[[1.0, 0.0], [0.0, 1.0]],
        h=[3.0, 4.0],
        E=[[1.0, 0.0], [0.0, 1.0]],
        M=[[1.0], [0.0]],
        xi=[[1.0], [2.0]],
        b=[[5.0, 6.0], [7.0, 8.0]],
        x_integer=True,
        y_integer=False,
    )


def assert_same(ours, theirs):
    """Every array of the two problems."""
    assert type(ours) is type(theirs)
    for s in range(theirs.num_scenarios):
        for kind in KINDS:
            np.testing.assert_array_equal(getattr(ours.scenario(s), kind), getattr(theirs.scenario(s), kind))
    for name in ("costs", "row_lower", "row_upper", "lower", "upper", "integer"):
        np.testing.assert_array_equal(getattr(ours.first_stage, name), getattr(theirs.first_stage, name))
    for name in ("num_scenarios", "offset", *NAME_FIELDS, "maximize", "family"):
        assert getattr(ours, name) == getattr(theirs, name)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_comes_back_as_itself(tmp_path, family):
    """With its own oracle, not as a generic problem."""
    problem = FAMILIES[family]()
    problem.write(tmp_path / "problem.npz")
    assert_same(read(tmp_path / "problem.npz"), problem)


def test_a_generic_problem_comes_back(tmp_path):
    """Matrices, limits, changes."""
    problem = generic_problem()
    problem.write(tmp_path / "problem.npz")
    assert_same(read(tmp_path / "problem.npz"), problem)


def test_labels_and_probabilities_come_back(tmp_path, read_smps):
    """From a file that has them."""
    problem = read_smps()
    problem.write(tmp_path / "problem.npz")
    copy = read(tmp_path / "problem.npz")
    assert_same(copy, problem)
    assert copy.probabilities.tolist() == [0.25, 0.75]


def test_files_of_earlier_releases_have_fewer_names(tmp_path):
    """A header without names of y and of rows is read as it was."""
    path = tmp_path / "problem.npz"
    generic_problem().with_labels(x_names=["a", "b"]).write(path)

    def older(name, data):
        if name != "header.npy":
            return data
        header = json.loads(np.load(io.BytesIO(data)).tobytes())
        for field in ("y_names", "x_row_names", "y_row_names"):
            del header[field]
        return npy(np.frombuffer(json.dumps(header).encode(), dtype=np.uint8))

    rewritten(path, older)
    assert_same(read(path), generic_problem().with_labels(x_names=["a", "b"]))


def test_probabilities_in_a_file_are_judged(tmp_path):
    """They sum to one, as everywhere."""
    path = tmp_path / "problem.npz"
    generic_problem().with_labels(probabilities=[0.5, 0.5]).write(path)
    rewritten(path, lambda name, data: npy([0.5, 0.7]) if name == "probabilities.npy" else data)
    with pytest.raises(nr.FormatError, match=r"probabilities must sum to one, got 1\.2"):
        read(path)


def test_a_class_of_ones_own_is_written_as_a_generic_problem(tmp_path):
    """The reader does not know the class, and must not."""

    class Mine(nr.Selection):
        pass

    Mine([1, 2], [[3, 4]], 1).write(tmp_path / "mine.npz")
    assert type(read(tmp_path / "mine.npz")) is nr.TwoStageProblem


def test_the_same_problem_gives_the_same_bytes(tmp_path):
    """No time stamps inside."""
    for name in ("a.npz", "b.npz"):
        generic_problem().write(tmp_path / name)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    """And no draft beside it."""
    path = tmp_path / "problem.npz"
    generic_problem().write(path)
    before = path.read_bytes()

    def fail(*_):
        raise OSError(errno.ENOSPC, "no space left")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="no space left"):
        generic_problem().write(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def rewritten(path, change):
    """The archive with its members changed by `change(name, bytes) -> bytes | None`."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            new = change(name, data)
            if new is not None:
                archive.writestr(name, new)


def npy(array, **options):
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.asarray(array), **options)
    return stream.getvalue()


def with_header(**changes):
    """Replaces fields of the JSON header."""

    def change(name, data):
        if name != "header.npy":
            return data
        header = json.loads(np.load(io.BytesIO(data)).tobytes())
        return npy(np.frombuffer(json.dumps(header | changes).encode(), dtype=np.uint8))

    return change


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda name, data: None if name == "header.npy" else data, "was not written by neurprise"),
        (with_header(format="other"), "was not written by neurprise"),
        (with_header(version=2), "format version 2, this neurprise reads 1; upgrade neurprise"),
        (with_header(family="knapsack"), "unknown family 'knapsack'; upgrade"),
        (with_header(num_scenarios=-1), "num_scenarios must be a whole number"),
        (with_header(num_scenarios=3), "does not hold a valid problem"),
        (with_header(x_names=["one"]), "x_names must name the first-stage variables, 2 in all, or none, got 1 name"),
        (with_header(y_names=["one", "one"]), "recourse variables must differ, but 'one' is at positions 0 and 1"),
        (with_header(y_row_names=["a\nb", "c"]), "printable texts of one line"),
        (with_header(x_row_names="a"), "x_row_names must be a list of names"),
        (with_header(scenario_names=[1, 2]), "scenario_names must be a list of names"),
        (with_header(offset="free"), "offset"),
        (lambda name, data: None if name == "recourse.costs.npy" else data, "recourse.costs"),
        (lambda name, data: data[:-3] if name == "recourse.costs.npy" else data, "announces 16 bytes but holds 13"),
        (lambda name, data: b"junk" if name == "recourse.costs.npy" else data, "is not a plain array"),
        (lambda name, data: npy(["a", "b"]) if name == "recourse.costs.npy" else data, "has type <U1"),
        (
            lambda name, data: npy(np.array([None]), allow_pickle=True) if name == "recourse.costs.npy" else data,
            r"has type \|O",
        ),
        (lambda name, data: npy([np.nan, 0.0]) if name == "recourse.costs.npy" else data, "costs must be finite"),
        (lambda name, data: npy([0, 7]) if name == "recourse.matrix.columns.npy" else data, "valid problem"),
        (lambda name, data: npy([0, 9, 2]) if name == "recourse.matrix.starts.npy" else data, "valid problem"),
        (lambda name, data: npy([2**40, 2]) if name == "recourse.matrix.shape.npy" else data, "shape must be"),
        (lambda name, data: npy([0, 0]) if name == "changes.costs.positions.npy" else data, "not distinct"),
        (lambda name, data: npy([0, 99]) if name == "changes.costs.positions.npy" else data, "positions of changed"),
    ],
)
def test_a_manipulated_file_is_refused(tmp_path, change, sentence):
    """Whatever was done to it, the answer is one sentence."""
    path = tmp_path / "problem.npz"
    generic_problem().write(path)
    rewritten(path, change)
    with pytest.raises(nr.FormatError, match=sentence):
        read(path)


def test_an_announced_size_is_checked_before_anything_is_allocated(tmp_path):
    """A header that promises eight terabytes in a file of a few hundred bytes."""
    path = tmp_path / "problem.npz"
    header = npy(np.zeros(1)).replace(b"(1,), }" + b" " * 14, b"(1000000000000,), }  ")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.npy", header)
    with pytest.raises(nr.FormatError, match="announces 8000000000000 bytes but holds 8"):
        read(path)


def test_compressed_members_are_refused(tmp_path):
    """They could unfold to anything."""
    path = tmp_path / "bomb.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.npy", npy(np.zeros(100000)))
    with pytest.raises(nr.FormatError, match="compressed members"):
        read(path)


@pytest.mark.parametrize("content", [b"", b"PK", b"not a zip file", b"PK\x05\x06" + bytes(18)])
def test_what_is_no_archive_is_refused(tmp_path, content):
    """Empty, foreign, or an archive of nothing."""
    path = tmp_path / "problem.npz"
    path.write_bytes(content)
    with pytest.raises(nr.FormatError):
        read(path)


@settings(max_examples=150)
@given(data=st.data())
def test_damaged_bytes_never_crash(tmp_path_factory, data):
    """Truncated or with bytes flipped: refused, or the same problem if the damage is nowhere that matters."""
    path = tmp_path_factory.mktemp("npz") / "problem.npz"
    generic_problem().write(path)
    raw = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(raw[: data.draw(st.integers(0, len(raw)))] if data.draw(st.booleans()) else raw)
    try:
        problem = read(path)
    except nr.FormatError:
        return
    assert_same(problem, generic_problem())


def test_a_hundred_thousand_scenarios_take_a_hundred_megabytes(tmp_path):
    """What scenarios share is stored once; here at a hundredth of that size."""
    path = tmp_path / "large.npz"
    nr.make_selection(100, 1000, seed=0).write(path)
    assert path.stat().st_size < 1.05e6


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("problem.xyz", r"a file that ends in \.npz, \.cor, \.toml or \.dat"),
        ("no/problem.npz", "folder of .* does not exist"),
    ],
)
def test_bad_targets_are_refused(tmp_path, name, sentence):
    """Unknown formats and missing folders."""
    with pytest.raises(nr.InputError, match=sentence):
        write(generic_problem(), tmp_path / name)


def test_a_missing_file_is_named(tmp_path):
    """Not a traceback of the operating system."""
    with pytest.raises(nr.InputError, match=r"none\.npz' is not a file"):
        read(tmp_path / "none.npz")
