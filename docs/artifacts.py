"""
The files that a command made: networks and labels, each with its hash and the command.

    python -m docs.artifacts [--write]      # --write puts them into experiments/artifacts.md

The repository holds the networks that ship and the labels they learn from. It does not hold the networks that
experiments train or compare: of those the page remembers size, hash and command, renewed where `experiments/made` has
them.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

from experiments.places import ROOT, default_places

PAGE = ROOT / "experiments" / "artifacts.md"
_COLUMNS = "| file | bytes | SHA-256, first 16 digits | command |\n|---|---|---|---|\n"
_HEAD = f"""\
# Files that a command made

Written by `python -m docs.artifacts --write`; a test compares hashes. Rows in `experiments/rows` say themselves what
made them.

{_COLUMNS}"""
_NETWORKS = f"""
## Networks of experiments

Not in the repository: the command makes them again, in `experiments/made/checkpoints`.

{_COLUMNS}"""


def page(networks: Path | None = None) -> str:
    """
    One line per trained network and per set of labels.

    Parameters
    ----------
    networks
        Folder whose networks are listed anew; the page remembers the others.
    """
    held = [_line(path) for path in _tracked("*weights.safetensors", "experiments/labels/*/labels.jsonl")]
    remembered = _remembered()
    for path in sorted(networks.glob("*/weights.safetensors")) if networks else ():
        remembered[path.relative_to(ROOT).as_posix()] = _line(path)
    return (
        _HEAD + "\n".join(held) + "\n" + _NETWORKS + "\n".join(remembered[name] for name in sorted(remembered)) + "\n"
    )


def _remembered() -> dict[str, str]:
    """The lines of the page's second table by file."""
    lines = PAGE.read_text(encoding="utf-8").partition(_NETWORKS)[2].splitlines() if PAGE.exists() else []
    return {line.split()[1]: line for line in lines}


def _tracked(*patterns: str) -> list[Path]:
    done = subprocess.run(["git", "-C", str(ROOT), "ls-files", *patterns], capture_output=True, text=True, check=True)
    return [path for name in sorted(set(done.stdout.split())) if (path := ROOT / name).exists()]


def _line(path: Path) -> str:
    content = path.read_bytes()
    command = _label_command(path.parent) if path.name == "labels.jsonl" else _training_command(path.parent)
    digits = hashlib.sha256(content).hexdigest()[:16]
    return f"| {path.relative_to(ROOT).as_posix()} | {len(content)} | {digits} | {command} |"


def _training_command(folder: Path) -> str:
    card = folder / "card.md"
    found = re.search(r"- Command: `([^`]+)`", card.read_text()) if card.exists() else None
    return f"`{' '.join(found[1].split())}`" if found else "see card.md"


def _label_command(folder: Path) -> str:
    config = json.loads((folder / "config.json").read_text())
    count = len((folder / "labels.jsonl").read_bytes().splitlines())
    if "family" in config:
        size = "x".join(map(str, config["size"]))
        drawn = f"--family {config['family']} --size {size} --distribution {config['distribution']}"
    else:
        drawn = f"--from {config['origin']}"
    scenarios = "" if not config["scenarios"] else f" --scenarios {config['scenarios']}"
    exact = "" if config["exact"] else " --no-exact"
    numbers = f"--count {count} --seed {config['seed']} --budget {config['budget']}{exact}"
    return f"`neurprise label {folder.relative_to(ROOT).as_posix()} {drawn}{scenarios} {numbers}`"


def main(argv: list[str]) -> int:
    """Compare or write the page; exit code 1 if it is wrong."""
    if "--write" in argv:
        PAGE.write_text(page(default_places().checkpoints))
    right = PAGE.exists() and PAGE.read_text() == page()
    print(f"{PAGE.relative_to(ROOT).as_posix()}: {'ok' if right else 'WRONG, run python -m docs.artifacts --write'}")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
