"""The repository's own measurements (speed, start-up, cross-checks), which run from a checkout only."""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Sequence
from pathlib import Path

from neurprise.bench.places import checkout


def scripts(root: Path | None = None) -> dict[str, str]:
    """Name and first sentence of every module of benchmarks/ that has a main(); none for an installed package."""
    folder = (root or checkout() or Path("nowhere")) / "benchmarks"
    modules = {path.stem: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.py"))}
    return {name: _sentence(module) for name, module in modules.items() if _has_main(module)}


def run_script(name: str, arguments: Sequence[str]) -> int:
    """Hand over to the module's main()."""
    sys.path.insert(0, str(checkout()))
    return int(importlib.import_module(f"benchmarks.{name}").main(list(arguments)) or 0)


def _sentence(module: ast.Module) -> str:
    return (ast.get_docstring(module) or "").split("\n\n")[0].replace("\n", " ").rstrip(".")


def _has_main(module: ast.Module) -> bool:
    return any(isinstance(node, ast.FunctionDef) and node.name == "main" for node in module.body)
