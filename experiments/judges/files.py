"""
Models written by engines and modelling tools as LP and MPS files: we read what engines read, or refuse.

    python -m experiments run files --count 3000
    python -m experiments run files --seed 4711 --count 1 --keep FOLDER    # the files of one model, and every verdict
    python -m experiments run files --count 3000 --damage                  # with one or more random edits in each file

Every model is drawn from its seed, written by highspy, SCIP, Gurobi, PuLP, linopy, Pyomo and ours, and read by the
readers of HiGHS, SCIP and Gurobi and by ours. A file is `wrong` if we read it otherwise than any engine that reads it:
where engines differ, only a refusal is right. The other verdicts are `equal`, `refused`, `alone` (refused, although the
engines that read the file agree) and `unread` (by any engine). Counted apart: `highs_apart`, files that SCIP and Gurobi
read alike and HiGHS reads otherwise, and `lossy`, files that all read alike, but not as the model that was drawn.
The exit code is 1 if a file was wrong or broke our reader.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from experiments.judges.damaged_files.mutations import mutated_text
from experiments.judges.model_files.drawing import draw_model
from experiments.judges.model_files.isolation import EngineReaders
from experiments.judges.model_files.readers import canonical, difference, read_with_ours
from experiments.judges.model_files.writers import WRITERS, written
from experiments.judges.record import new_parser, publish
from neurprise.io.linear import LinearModel

SORTS = ("equal", "refused", "alone", "unread", "unwritten", "wrong", "highs_apart", "lossy")
#: Writers print at least this many digits.
_WRITTEN_ACCURACY = 1e-9
#: Gurobi cuts lines of MPS files somewhere above this many bytes.
_LONGEST_LINE = 1000


def judge_file(path: Path, readers: EngineReaders, drawn: LinearModel | None = None) -> tuple[list[str], str]:
    """The verdict on one file and what else to count, and what to say of it."""
    text, engines = path.read_text(encoding="utf-8", errors="replace"), readers.read(path)
    apart = ["highs_apart"] if _highs_apart(engines, text) else []
    try:
        ours = read_with_ours(path)
    except Exception as error:
        return ["wrong", *apart], f"broke our reader: {type(error).__name__}: {error}"
    if isinstance(ours, str):
        return ["alone" if engines and _agree(list(engines.values()), text) else "refused", *apart], ours
    ours = canonical(ours)
    for engine, theirs in engines.items():
        what = "a feature that is not linear" if theirs is None else difference(ours, theirs, text)
        if what:
            return ["wrong", *apart], f"{engine} reads otherwise: {what}"
    if not engines:
        return ["unread"], ""
    lost = "" if drawn is None else difference(ours, canonical(drawn), text, _WRITTEN_ACCURACY)
    if lost and not lost.startswith(("columns", "rows")):  # tools rename, split ranges and leave out what is unused
        return ["equal", "lossy"], f"the drawn model has other {lost}"
    return ["equal"], ""


def _agree(models: Sequence[LinearModel | None], text: str) -> bool:
    """Whether all of these are the same linear model."""
    first = models[0]
    return first is not None and all(other is not None and not difference(first, other, text) for other in models)


def _highs_apart(engines: dict[str, LinearModel | None], text: str) -> bool:
    if len(engines) < 3:
        return False
    others = [engines["scip"], engines["gurobi"]]
    return _agree(others, text) and not _agree([engines["highs"], *others], text)


def _files(seed: int, writers: Sequence[str], folder: Path, damage: bool) -> Iterator[tuple[str, Path | None]]:
    """The model of a seed in all formats, each with its writer; None where the tool refuses the model or its names."""
    model = draw_model(seed)
    for writer in writers:
        for suffix in ("lp", "mps"):
            path = folder / f"{seed}_{writer}.{suffix}"
            if written(writer, model, path) and damage:
                _damage(path, random.Random(f"{seed} {writer} {suffix}"))
            yield f"{writer} {suffix}", path if path.is_file() else None


def _damage(path: Path, rng: random.Random) -> None:
    """Edit a file at random, but leave its lines shorter than readers cut them."""
    raw = mutated_text(path.read_bytes(), rng)
    while max(map(len, raw.split(b"\n"))) > _LONGEST_LINE:
        raw = mutated_text(path.read_bytes(), rng)
    path.write_bytes(raw)


def run(
    seeds: range, writers: Sequence[str], damage: bool = False, keep: Path | None = None
) -> tuple[list[dict[str, Any]], list[str]]:
    """A row for each writer and format, and what to say of wrong files."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    notes: list[str] = []
    with tempfile.TemporaryDirectory() as folder, closing(EngineReaders()) as readers:
        for seed in seeds:
            for kind, path in _files(seed, writers, keep or Path(folder), damage):
                if path is None:
                    counts[kind]["unwritten"] += 1
                    continue
                verdicts, note = judge_file(path, readers, None if damage else draw_model(seed))
                counts[kind].update(verdicts)
                if "wrong" in verdicts or keep is not None:
                    notes.append(f"{path.name}: {', '.join(verdicts)} {note}")
                    print(notes[-1], file=sys.stderr, flush=True)
                if keep is None:
                    path.unlink()
    rows = [{"file": kind, "models": len(seeds), **{s: found[s] for s in SORTS}} for kind, found in counts.items()]
    return [*rows, _total(rows)], notes


def _total(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    sums = {name: sum(row[name] for row in rows) for name in rows[0] if name not in ("file", "models")}
    return {"file": "all", "models": rows[0]["models"], **sums}


def main(argv: Sequence[str] | None = None) -> int:
    parser = new_parser(__doc__)
    parser.add_argument("--count", type=int, default=300, help="number of models")
    parser.add_argument("--seed", type=int, default=0, help="of the first model")
    parser.add_argument("--writer", nargs="+", choices=list(WRITERS), default=list(WRITERS))
    parser.add_argument("--damage", action="store_true", help="edit every file at random before it is read")
    parser.add_argument("--keep", type=Path, help="keep the files in this folder, and print every verdict")
    options = parser.parse_args(argv)
    seeds = range(options.seed, options.seed + options.count)
    rows, notes = run(seeds, options.writer, options.damage, options.keep)
    publish(options, "files", rows, f"{options.count} models from seed {options.seed}", notes)
    return int(any(row["wrong"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
