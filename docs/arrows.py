"""
Which room imports which: the table in docs/design.md, computed from the imports themselves.

    python -m docs.arrows            # print the table
"""

from __future__ import annotations

import ast
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "neurprise"
HEAD = "| room | imports |\n|---|---|\n"


def room_of(module: str) -> str | None:
    """The room of a module inside the package, e.g. 'exact' of 'neurprise.search.pool'; None outside of it."""
    parts = module.split(".")
    if parts[0] != "neurprise" or len(parts) == 1:
        return None
    known = (PACKAGE / parts[1]).is_dir() or (PACKAGE / f"{parts[1]}.py").is_file()
    return parts[1] if known else "api"  # public names stand in api.py


def arrows() -> dict[str, set[str]]:
    """Every room with the rooms that it imports, at once or when a function runs, itself left out."""
    found: dict[str, set[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        own = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        rooms = {room_of(name) for name in _imported(ast.parse(path.read_text(encoding="utf-8")))}
        found.setdefault(own, set()).update(room for room in rooms if room not in (None, own))
    return {room: others for room, others in found.items() if not room.startswith("__")}


def table() -> str:
    """The table as it stands in docs/design.md."""
    rows = (f"| `{room}` | {', '.join(sorted(others)) or 'nothing'} |\n" for room, others in sorted(arrows().items()))
    return HEAD + "".join(rows)


def _imported(tree: ast.Module) -> set[str]:
    """Modules that a file names in its imports; `from a import b` may mean the module a.b."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            whole = node.module == "neurprise"
            names |= {f"neurprise.{alias.name}" for alias in node.names} if whole else {node.module}
    return names


if __name__ == "__main__":
    print(table(), end="")
