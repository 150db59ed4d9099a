"""Who may import whom; see the rooms in docs/design.md."""

import ast
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

import neurprise as nr
from docs import arrows

ROOT = Path(__file__).parents[1]
ENGINES = {"highspy": "solvers/highs/engine.py", "pyscipopt": "solvers/scip.py", "gurobipy": "solvers/gurobi.py"}


@dataclass(frozen=True)
class Import:
    """One imported name: who imports it (path inside the package), what, and whether only when a function runs."""

    importer: str
    name: str
    lazy: bool

    def is_from(self, *rooms):
        """The importer lies in one of these files or folders."""
        return any(self.importer == room or self.importer.startswith(f"{room}/") for room in rooms)

    def reaches(self, *packages):
        """What is imported is one of these packages or lies inside it."""
        return any(self.name == package or self.name.startswith(f"{package}.") for package in packages)


class _Collector(ast.NodeVisitor):
    """All imports of a file, those inside functions or for type checking marked lazy."""

    def __init__(self, importer):
        self.importer, self.found, self._depth = importer, [], 0

    def visit_Import(self, node):
        self._add(alias.name for alias in node.names)

    def visit_ImportFrom(self, node):
        package = ["neurprise", *Path(self.importer).parent.parts]
        base = ".".join(package[: len(package) + 1 - node.level]) + "." if node.level else ""
        module = f"{base}{node.module or ''}".rstrip(".")
        self._add([module, *(f"{module}.{alias.name}" for alias in node.names)])

    def visit_FunctionDef(self, node):
        self._inside(node)

    def visit_If(self, node):
        if "TYPE_CHECKING" in ast.dump(node.test):
            self._inside(node)
        else:
            self.generic_visit(node)

    def _inside(self, node):
        self._depth += 1
        self.generic_visit(node)
        self._depth -= 1

    def _add(self, names):
        self.found += [Import(self.importer, name, self._depth > 0) for name in names]


def all_imports():
    """Every import in the package."""
    package = ROOT / "neurprise"
    found = []
    for path in sorted(package.rglob("*.py")):
        collector = _Collector(path.relative_to(package).as_posix())
        collector.visit(ast.parse(path.read_text(encoding="utf-8")))
        found += collector.found
    return found


IMPORTS = all_imports()
#: Every module but those that run when they are imported.
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for path in (ROOT / "neurprise").rglob("*.py")
    if path.stem != "__main__"
}
#: What modules import of each other, at once or when a function runs.
OWN_NAMES = {each.name for each in IMPORTS if each.reaches("neurprise")}
#: Prints the names that are not there. What is missing because an optional package is not installed does not count.
FIND_ALL = """
import pkgutil, sys

for name in sys.stdin.read().split():
    try:
        pkgutil.resolve_name(name)
    except (AttributeError, ImportError) as error:
        if not isinstance(error, ModuleNotFoundError) or (error.name or "").startswith("neurprise"):
            print(name)
"""


def test_the_walk_sees_the_package():
    """A walk that found nothing would pass every rule."""
    assert any(i.is_from("api.py") and i.reaches("neurprise.search") for i in IMPORTS)
    assert any(i.is_from("solvers/highs") and i.reaches("highspy") for i in IMPORTS)


HEAVY = {"numba", "llvmlite", "sklearn", "highspy", "rich", "joblib", "loky", "threadpoolctl", "safetensors", "asyncio"}
HEAVY |= {"scipy.linalg", "scipy.sparse.csgraph", "scipy.spatial", "scipy.optimize"}
OPTIONAL = {
    "torch",
    "torch_geometric",
    "gurobipy",
    "pyscipopt",
    "pyomo",
    "mpisppy",
    "pyarrow",
    "pandas",
    "dask",
    "distributed",
    "matplotlib",
    "linopy",
    "pulp",
    "xarray",
}


def test_importing_every_public_name_imports_no_heavy_or_optional_package():
    """They wait until they are used."""
    code = "import sys; from neurprise import *; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True)
    assert set(done.stdout.split()) & (HEAVY | OPTIONAL) == set()


def test_the_package_itself_loads_at_once():
    """The command line listens for Ctrl-C before numpy begins to load."""
    code = "import sys, neurprise.cli; sys.exit(bool({'numpy', 'scipy', 'argparse'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_no_file_has_the_name_of_a_public_function():
    """Importing neurprise/solve.py would put the file in the place of the function `nr.solve`."""
    rooms = {path.stem for path in (ROOT / "neurprise").iterdir()}
    assert {name for name in nr.__all__ if callable(getattr(nr, name))} & rooms == set()


@pytest.mark.parametrize("room", ["problem", "recourse", "search", "report"])
def test_a_room_can_be_imported_first(room):
    """As a worker does, whose first task names a function of that room."""
    subprocess.run([sys.executable, "-c", f"import neurprise.{room}"], cwd=ROOT, check=True)


def test_every_module_can_be_imported_and_every_lazy_import_finds_its_name():
    """A name that has moved would else be missed by whoever first runs the function that imports it."""
    assert names_not_found(*MODULES, *(name for name in sorted(OWN_NAMES) if not name.endswith(".*"))) == []


def test_a_lazy_import_of_a_name_that_has_moved_is_seen():
    """The check can fail."""
    lost = "neurprise.search.session.name_that_has_moved"
    assert names_not_found(lost, "neurprise.search.session.Status") == [lost]


def names_not_found(*names):
    """Which of these names, modules or what stands in them, a fresh process cannot find."""
    command, words = [sys.executable, "-c", FIND_ALL], "\n".join(names)
    done = subprocess.run(command, cwd=ROOT, input=words, check=True, capture_output=True, text=True)
    return done.stdout.split()


def test_every_public_name_is_there():
    """`nr.NAME` for all of them, and a plain error for others."""
    assert all(hasattr(nr, name) and name in dir(nr) for name in nr.__all__)
    with pytest.raises(AttributeError, match="optimise"):
        nr.optimise  # noqa: B018


@pytest.mark.parametrize("package, file", ENGINES.items())
def test_an_engine_is_imported_in_its_own_file_only(package, file):
    """Everything else speaks to the protocol."""
    assert {i.importer for i in IMPORTS if i.reaches(package)} == {file}


def test_numba_is_imported_in_its_own_room_only():
    """There it waits for the first call of a compiled function."""
    assert {i.importer for i in IMPORTS if i.reaches("numba")} == {"compiled/storage.py"}
    assert [i for i in IMPORTS if i.reaches("neurprise.compiled.storage") and not i.lazy] == []


def test_training_is_reached_lazily_and_from_few_rooms():
    """Everything but training works without that room, and choosing scenarios never needs PyTorch."""
    outside = [i for i in IMPORTS if i.reaches("neurprise.training") and not i.is_from("training")]
    assert [i for i in outside if not i.is_from("cli", "testing")] == []
    assert [i for i in outside if i.is_from("testing") and not i.lazy] == []


def test_torch_stays_in_the_training_room():
    """The rest of the package runs without it."""
    assert [
        i for i in IMPORTS if i.reaches("torch", "torch_geometric") and not i.is_from("training") and not i.lazy
    ] == []


def test_nothing_depends_on_the_command_line():
    """It stands on top."""
    users = [i for i in IMPORTS if i.reaches("neurprise.cli")]
    assert [i for i in users if not i.is_from("cli", "__main__.py")] == []


def test_the_library_does_not_know_the_lab():
    """`experiments/` imports the package, never the other way round, and no module of the package edits sys.path."""
    assert [i for i in IMPORTS if i.reaches("experiments", "docs", "tests")] == []
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "neurprise").rglob("*.py")]
    assert not any("sys.path." in source or "sys.path[" in source for source in sources)


def test_problems_and_engines_know_no_method():
    """Data goes one way: what states a problem does not solve it."""
    upper = ("neurprise.search", "neurprise.reducers", "neurprise.api", "neurprise.report", "neurprise.recourse")
    lower = [i for i in IMPORTS if i.is_from("problem", "problems", "solvers", "arrays.py", "errors.py")]
    assert [i for i in lower if i.reaches(*upper)] == []


def test_searches_and_reducers_do_not_know_solve():
    """`solve` puts them together, not the other way round."""
    parts = [i for i in IMPORTS if i.is_from("search", "reducers", "recourse")]
    assert [i for i in parts if i.reaches("neurprise.api", "neurprise.report")] == []


def test_no_rooms_import_each_other_in_a_circle():
    """Whoever reads a room needs only the rooms below it."""
    below = dict(arrows.arrows())
    while free := {room for room, others in below.items() if not others & set(below)}:
        below = {room: others for room, others in below.items() if room not in free}
    assert below == {}


def test_seven_files_stand_at_the_top():
    """Everything else is in a room."""
    assert len(list((ROOT / "neurprise").glob("*.py"))) <= 7


def test_files_from_outside_are_data():
    """No module that could run code from a file."""
    assert [i for i in IMPORTS if i.reaches("pickle", "dill", "cloudpickle", "marshal", "shelve")] == []


def test_the_arrows_are_those_of_the_page():
    """docs/design.md lists every room and what it imports; `python -m docs.arrows` prints the table anew."""
    page = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    start = page.index(arrows.HEAD)
    assert page[start:].split("\n\n")[0] + "\n" == arrows.table()


def test_networks_do_not_know_training():
    """One arrow between the two rooms."""
    assert "training" not in arrows.arrows()["networks"]
    assert "networks" in arrows.arrows()["training"]
