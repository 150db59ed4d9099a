"""What `fuzz` damages: for each format small valid files, how they are damaged, and who reads them."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import neurprise as nr
from experiments.judges.damaged_files.mutations import mutated_archive, mutated_bytes, mutated_text
from neurprise.io.decision import parse_solution
from neurprise.networks.checkpoints import SHIPPED

Files = dict[str, bytes]
Mutation = Callable[[bytes, random.Random], bytes]

CORE = """\
NAME T
ROWS
 N C
 L A
 G D
 E F
COLUMNS
    X C 2 A 1
    X D 1
    M 'MARKER' 'INTORG'
    Y C 3 D 1
    M 'MARKER' 'INTEND'
    Z C 4 F 1
RHS
    R A 10 D 4
    R F 1 C -7
RANGES
    G D 3
BOUNDS
 UP B Y 8
ENDATA
"""
TIME = "TIME T\nPERIODS\n    X A P1\n    Y D P2\nENDATA\n"
STOCHS = (
    "STOCH T\nSCENARIOS DISCRETE\n SC S1 ROOT 0.5 P2\n    R D 3\n    X D 2\n SC S2 S1 0.5 P2\n    Y C 6\nENDATA\n",
    "STOCH T\nINDEP DISCRETE ADD\n    R D 3 P2 0.5\n    R D 6 0.5\n    Z C 1 0.1\n    Z C 2 0.9\nENDATA\n",
    "STOCH T\nBLOCKS DISCRETE\n BL B1 P2 0.5\n    R D 3\n BL B1 P2 0.5\n    R D 9\n BL B2 1\n UP B Z 4\nENDATA\n",
)
LP = """\
\\ a kitchen
Minimize
 obj: 2 make + 5 buy - 0.5 left + 10
Subject To
 cap: make <= 10
 demand: make + buy - left = 4
 range: -3 <= make - left <= 8
Bounds
 buy <= 40
 left <= 1
 -1 <= more <= 1e30
 rest free
Generals
 make
Binaries
 left
End
"""
PLAN = """\
model = "m.lp"
scenarios = "t.csv"
first_stage = ["make"]
ignore = ["weekday"]
[columns]
fish = { rhs = "demand" }
price = [{ cost = "buy" }, { upper = "buy" }]
rate = { row = "demand", variable = "make" }
day = "name"
chance = "probability"
"""
TABLE = "fish,price,rate,day,chance,weekday\n4,5,1,mon,0.5,a\n7,6.5,1.1,tue,0.25,b\n5,4,0.9,wed,0.25,c\n"


@dataclass(frozen=True)
class Target:
    """
    Parameters
    ----------
    seeds
        Valid sets of files, by name.
    read
        Reads the damaged files in a folder; returns what came of it.
    mutations
        How each file may be damaged, by name; the others stay whole.
    """

    seeds: Callable[[], Sequence[Files]]
    read: Callable[[Path], object]
    mutations: dict[str, Sequence[Mutation]]

    def damaged(self, seed: int) -> Files:
        """The files of one case; one or more of them are damaged."""
        rng = random.Random(seed)
        files = dict(rng.choice(self.seeds()))
        names = [name for name in files if name in self.mutations]
        for name in rng.sample(names, rng.choice((1, 1, 1, min(2, len(names)), len(names)))):
            files[name] = rng.choice(self.mutations[name])(files[name], rng)
        return files


def _text(*texts: dict[str, str]) -> Callable[[], Sequence[Files]]:
    files = [{name: text.encode() for name, text in one.items()} for one in texts]
    return lambda: files


def _problem(name: str) -> Callable[[Path], object]:
    def read(folder: Path) -> object:
        problem = nr.read(folder / name)
        return problem.scenario(problem.num_scenarios - 1)

    return read


@cache
def _archives() -> Sequence[Files]:
    """A family, another with edges, and a generic problem."""
    generic = nr.TwoStageProblem.from_matrices(
        [1, 2], [[1, 1]], [1], [[1]], [0], [[1, 0]], [[-1]], [[3], [5]], [[4], [6]], x_integer=True, y_integer=False
    )
    problems = (
        nr.make_selection(4, 3, 0),
        nr.make_vertex_cover(4, 3, 0),
        nr.make_facility_location(2, 3, 3, 0),
        generic,
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "p.npz"
        archives = []
        for problem in problems:
            problem.write(path)
            archives.append({"p.npz": path.read_bytes()})
    return archives


@cache
def _parquet() -> Sequence[Files]:
    """The table of the plan in another file format."""
    import pyarrow
    from pyarrow import parquet

    header, *rows = (line.split(",") for line in TABLE.splitlines())
    columns = {
        name: [row[k] if name in ("day", "weekday") else float(row[k]) for row in rows] for k, name in enumerate(header)
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.parquet"
        parquet.write_table(pyarrow.table(columns), path)
        raw = path.read_bytes()
    return [{"plan.toml": PLAN.replace("t.csv", "t.parquet").encode(), "m.lp": LP.encode(), "t.parquet": raw}]


def _checkpoint() -> Sequence[Files]:
    """The shipped network for selection problems."""
    return [{name: (SHIPPED / "selection" / name).read_bytes() for name in ("config.json", "weights.safetensors")}]


def _score(folder: Path) -> object:
    return nr.reducers.NeurPRISE(folder).reduce(nr.make_selection(6, 5, 0), 2)


def _damaged_header(raw: bytes, rng: random.Random) -> bytes:
    """Safetensors begin with the length of a JSON text, which is damaged here and measured again."""
    length = int.from_bytes(raw[:8], "little")
    header = mutated_text(raw[8 : 8 + length], rng)
    return len(header).to_bytes(8, "little") + header + raw[8 + length :]


_PLAN_FILES = {"plan.toml": PLAN, "m.lp": LP, "t.csv": TABLE}
_SMPS_FILES = [{"f.cor": CORE, "f.tim": TIME, "f.sto": stoch} for stoch in STOCHS]
_MPS_PLAN = (
    'model = "m.mps"\nscenarios = "t.csv"\nfirst_stage = ["X"]\n[columns]\nd = { rhs = "A" }\nc = { cost = "Y" }\n'
)
_DAMAGED_TEXT = (mutated_text,)

TARGETS = {
    "smps": Target(_text(*_SMPS_FILES), _problem("f.cor"), dict.fromkeys(("f.cor", "f.tim", "f.sto"), _DAMAGED_TEXT)),
    "toml": Target(_text(_PLAN_FILES), _problem("plan.toml"), {"plan.toml": _DAMAGED_TEXT}),
    "csv": Target(_text(_PLAN_FILES), _problem("plan.toml"), {"t.csv": _DAMAGED_TEXT}),
    "parquet": Target(_parquet, _problem("plan.toml"), {"t.parquet": (mutated_bytes,)}),
    "lp": Target(_text(_PLAN_FILES), _problem("plan.toml"), {"m.lp": _DAMAGED_TEXT}),
    "mps": Target(
        _text({"plan.toml": _MPS_PLAN, "m.mps": CORE, "t.csv": "d,c\n3,5\n4,6\n"}),
        _problem("plan.toml"),
        {"m.mps": _DAMAGED_TEXT},
    ),
    "dat": Target(_text({"s.dat": "3;2;2\n1;2;3\n4;5;6.5\n7;8;9\n"}), _problem("s.dat"), {"s.dat": _DAMAGED_TEXT}),
    "npz": Target(_archives, _problem("p.npz"), {"p.npz": (mutated_archive, mutated_archive, mutated_bytes)}),
    "solution": Target(
        _text({"x.json": "[1, 0, 2.5, 1e3]"}, {"x.json": '{"x": [1, 0], "status": "optimal", "scenarios": [3, {}]}'}),
        lambda folder: parse_solution("x.json", (folder / "x.json").read_bytes()),
        {"x.json": (mutated_text, mutated_bytes)},
    ),
    "checkpoint": Target(
        _checkpoint,
        _score,
        {"config.json": _DAMAGED_TEXT, "weights.safetensors": (mutated_bytes, _damaged_header)},
    ),
}
