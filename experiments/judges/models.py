"""
Models of modelling tools, one per scenario: `nr.from_models` says what each tool says of its own model.

    python -m experiments run models --count 200
    python -m experiments run models --tool pulp linopy --seed 4711 --count 1

Every seed gives a model and three scenarios that change its numbers, with names that the tool allows. Each tool states
them, and solves each scenario alone: HiGHS through the tool, Gurobi by itself. `wrong` are models whose value, or whose
lack of one, is not what `nr.solve` says of the problem restricted to that scenario, or into which `problem.load` put
something else. `equal` agree; `refused` are refused by a sentence (names that the tool made equal), `unbuilt` by the
tool itself. The exit code is 1 if a model was wrong.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import neurprise as nr
from experiments.judges.model_files.scenarios import draw_scenarios
from experiments.judges.model_files.solving import TOOLS, Tool, tools
from experiments.judges.model_files.writers import silence
from experiments.judges.record import new_parser, publish

SORTS = ("equal", "refused", "unbuilt", "wrong")
#: Values may differ by what engines leave open.
_ACCURACY = 1e-6


def judge_model(seed: int, tool: Tool) -> tuple[str, str]:
    """The verdict on one seed and one tool, and what to say of it."""
    drawn = draw_scenarios(seed, tool.keeps_constants, tool.odd_names)
    try:
        with silence(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            built = {name: tool.build(model) for name, model in drawn.models.items()}
    except Exception as error:
        return "unbuilt", f"{type(error).__name__}: {error}"
    try:
        problem = nr.from_models(built, first_stage=[tool.name_of(k, drawn) for k in drawn.first_stage])
    except nr.InputError as error:
        return "refused", str(error)
    for s, name in enumerate(drawn.models):
        with silence():
            (ours, x), theirs = _ours(problem.restrict([s])), tool.solve(tool.build(drawn.models[name]))
        if not _same(ours, theirs):
            return "wrong", f"{name}: {ours} here, {theirs} by the tool"
        if x is not None:
            with silence():
                loaded = tool.value(problem, built[name], name, x)
            if not _same(ours, loaded):
                return "wrong", f"{name}: {ours} here, {loaded} in the model that was loaded"
    return "equal", ""


def _ours(problem: Any) -> tuple[float | str, Any]:
    """Our value and decision, or why there is none."""
    try:
        report = nr.solve(problem, gap=0)
    except nr.InfeasibleProblemError:
        return "infeasible", None
    except nr.UnboundedProblemError:
        return "unbounded", None
    return float(report.worst_case), report.x


def _same(ours: float | str, theirs: float | str) -> bool:
    if isinstance(ours, str) or isinstance(theirs, str):
        return ours == theirs or "or" in str(theirs)
    return abs(ours - theirs) <= _ACCURACY * max(1.0, abs(ours))


def run(seeds: range, names: Sequence[str]) -> tuple[list[dict[str, Any]], list[str]]:
    """A row for each tool, and what to say of wrong models."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    notes: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        known = tools(Path(folder))
        for seed in seeds:
            for name in names:
                verdict, note = judge_model(seed, known[name])
                counts[name][verdict] += 1
                if verdict == "wrong":
                    notes.append(f"{name} {seed}: {note}")
                    print(notes[-1], file=sys.stderr, flush=True)
    return [
        {"tool": name, "models": len(seeds), **{sort: counts[name][sort] for sort in SORTS}} for name in names
    ], notes


def main(argv: Sequence[str] | None = None) -> int:
    parser = new_parser(__doc__)
    parser.add_argument("--count", type=int, default=200, help="number of models for each tool")
    parser.add_argument("--seed", type=int, default=0, help="of the first model")
    parser.add_argument("--tool", nargs="+", choices=TOOLS, default=list(TOOLS))
    options = parser.parse_args(argv)
    rows, notes = run(range(options.seed, options.seed + options.count), options.tool)
    publish(options, "models", rows, f"{options.count} models for each tool from seed {options.seed}", notes)
    return int(any(row["wrong"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
