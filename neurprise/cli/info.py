"""`neurprise info [FILE]`: what is installed, or what a problem looks like."""

from __future__ import annotations

import argparse
import platform
from importlib import metadata, resources
from typing import Any

import neurprise as nr
from neurprise.cli.exits import FAILURE, OK
from neurprise.cli.options import add_problem, new_command, read_problem
from neurprise.cli.output import aligned, emit
from neurprise.io import suffixes
from neurprise.problems import family_names
from neurprise.solvers import engine_names, engine_version, get_engine


def add_parser(commands: Any, summary: str) -> None:
    details = (
        "Without FILE: versions, engines, checkpoints, families, reducers and formats. With FILE: the problem in it.\n"
        "With --cluster: the same of every worker, and whether all of them compute the same."
    )
    parser = new_command(commands, "info", summary, details, "neurprise info sel.npz")
    add_problem(parser, required=False)
    parser.add_argument("--names", action="store_true", help="also list all variables, rows and scenarios by name")
    parser.add_argument(
        "--cluster", metavar="ADDRESS", help="ask all workers of a Dask scheduler what they are instead"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the installation, or describe one problem, or the workers of a cluster."""
    if args.cluster is not None:
        return _cluster(args)
    if args.file is None:
        if args.names:
            raise nr.InputError("--names lists the names in a problem; give its FILE as well.")
        data = installation()
    else:
        problem = read_problem(args)
        data = description(problem) | ({"names": names(problem)} if args.names else {})
    emit(args, _text(data), data)
    return OK


def _cluster(args: argparse.Namespace) -> int:
    """Ask the workers; a failure where work would not succeed there."""
    from neurprise.cli.cluster_info import cluster_text, inspect_cluster

    if args.file is not None or args.names:
        raise nr.InputError("--cluster asks workers what they are; leave out FILE and --names.")
    data = inspect_cluster(args.cluster)
    emit(args, cluster_text(data), data)
    return FAILURE if data["faults"] else OK


def installation() -> dict[str, Any]:
    """What this installation can do."""
    return {
        "version": metadata.version("neurprise"),
        "python": platform.python_version(),
        "engines": engine_versions(),
        "families": family_names(),
        "reducers": nr.reducers.reducer_names(),
        "formats": suffixes(),
        "checkpoints": checkpoint_names(),
    }


def description(problem: nr.TwoStageProblem) -> dict[str, Any]:
    """Sizes of a problem and what its scenarios change."""
    first, recourse = problem.first_stage, problem.recourse
    return {
        "family": problem.family,
        "num_scenarios": problem.num_scenarios,
        "num_first_stage": problem.num_first_stage,
        "num_first_stage_integer": int(first.integer.sum()),
        "num_first_stage_rows": len(first.row_lower),
        "num_recourse": problem.num_recourse,
        "num_recourse_integer": int(recourse.integer.sum()),
        "num_recourse_rows": len(recourse.row_lower),
        "uncertain": {kind: len(change.positions) for kind, change in problem.changes.items()},
        "maximize": problem.maximize,
        "has_probabilities": problem.probabilities is not None,
    }


def names(problem: nr.TwoStageProblem) -> dict[str, list[str]]:
    """Every name of a problem, by what it names."""
    return {
        "first_stage": list(problem.first_stage_names),
        "first_stage_rows": list(problem.first_stage_row_names),
        "recourse": list(problem.recourse_names),
        "recourse_rows": list(problem.recourse_row_names),
        "scenarios": list(problem.scenario_labels),
    }


def checkpoint_names() -> list[str]:
    """Models shipped in the package."""
    folder = resources.files("neurprise") / "checkpoints"
    if not folder.is_dir():
        return []
    return sorted(entry.name for entry in folder.iterdir() if (entry / "config.json").is_file())


def engine_versions() -> dict[str, str | None]:
    """Every engine's version; None where it is not installed."""
    return {name: _engine_version(name) for name in engine_names()}


def _engine_version(name: str) -> str | None:
    """Version of an installed engine, None where it cannot be used."""
    try:
        get_engine(name)
    except nr.MissingDependencyError:
        return None
    return engine_version(name) or "installed"


def _text(data: dict[str, Any]) -> str:
    """The facts in two columns; below them the names, each on a line of its own behind what it names."""
    facts = {name: _shown(value) for name, value in data.items() if name != "names"}
    lines = [aligned({name.replace("_", " "): value for name, value in facts.items()})]
    for part, listing in data.get("names", {}).items():
        lines += ["", *(f"{part.replace('_', ' '):<16}  {name}" for name in listing)] if listing else []
    return "\n".join(lines)


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {'not installed' if item is None else item}" for name, item in value.items())
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
