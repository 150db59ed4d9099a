"""What the repository's `benchmarks/` adds in a checkout: measurements of speed as specs, and programs that check."""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from neurprise.bench.methods import METHODS
from neurprise.bench.places import checkout
from neurprise.bench.provenance import provenance
from neurprise.bench.spec import Spec
from neurprise.bench.tables import WHOLE_VIEWS
from neurprise.bench.text_table import text_table
from neurprise.storage.rows import read_rows


@cache
def measurements() -> dict[str, Spec]:
    """The specs of `benchmarks.measurements`; none for an installed package. Their methods and views become known."""
    if checkout() is None:
        return {}
    rooms = _module("measurements").ROOMS
    for room in rooms:
        METHODS.update(room.METHODS)
        WHOLE_VIEWS.update(getattr(room, "VIEWS", {}))
    return {spec.name: spec for room in rooms for spec in room.SPECS}


def versions_since(commit: str) -> Spec:
    """The measurement that compares an earlier commit of the package with today's."""
    spec: Spec = _module("measurements.versions").since(commit)
    return spec


def scripts(root: Path | None = None) -> dict[str, str]:
    """Name and first sentence of every module of benchmarks/ that has a main(); none for an installed package."""
    folder = (root or checkout() or Path("nowhere")) / "benchmarks"
    modules = {path.stem: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.py"))}
    return {name: _sentence(module) for name, module in modules.items() if _has_main(module)}


def run_script(name: str, arguments: Sequence[str]) -> int:
    """Hand over to the module's main()."""
    return int(_module(name).main(list(arguments)) or 0)


def last_run(name: str, results: Path) -> list[dict[str, Any]]:
    """The rows that the last run of a check kept."""
    rows = list(read_rows(results / f"{name}.jsonl"))
    return [row for row in rows if row["run"] == rows[-1]["run"]]


def last_run_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """All that was counted or measured, under the command and the commit that did."""
    if not rows:
        return "no rows yet"
    made_by = ("command", *provenance())
    table = check_table([{column: row[column] for column in row if column not in made_by} for row in rows])
    return f"{rows[0]['command']} (code of {rows[0]['commit']})\n{table}"


def check_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """All fields of the rows, numbers to four digits."""
    return text_table(list(rows[0]), [list(map(_shown, row.values())) for row in rows])


def _shown(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _module(name: str) -> ModuleType:
    root = str(checkout())
    if root not in sys.path:
        sys.path.insert(0, root)
    return importlib.import_module(f"benchmarks.{name}")


def _sentence(module: ast.Module) -> str:
    return (ast.get_docstring(module) or "").split("\n\n")[0].replace("\n", " ").rstrip(".")


def _has_main(module: ast.Module) -> bool:
    return any(isinstance(node, ast.FunctionDef) and node.name == "main" for node in module.body)
