"""`neurprise info [FILE]`: describe the installation, a problem file or a cluster."""

from __future__ import annotations

import argparse
import platform
from importlib import metadata, resources
from typing import Any

import neurprise as nr
from neurprise.cli.exits import FAILURE, OK
from neurprise.cli.options import add_problem, new_command, read_problem
from neurprise.cli.output import aligned, emit
from neurprise.cli.warm import folders
from neurprise.clock import compiling
from neurprise.compiled import compilers, without_numpy
from neurprise.errors import counted
from neurprise.io import suffixes
from neurprise.problems import family_names
from neurprise.solvers import engine_names, engine_version, get_engine


def add_parser(commands: Any, summary: str) -> None:
    details = (
        "Without FILE: versions, engines, checkpoints, families, reducers and formats. With FILE: its problem.\n"
        "With --cluster: describe every worker and check that all of them compute the same."
    )
    parser = new_command(commands, "info", summary, details, "neurprise info sel.npz")
    add_problem(parser, required=False)
    parser.add_argument("--names", action="store_true", help="also list all variables, rows and scenarios by name")
    parser.add_argument("--cluster", metavar="ADDRESS", help="describe the workers of this Dask scheduler instead")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the installation, or describe one problem, or the workers of a cluster."""
    if args.cluster is not None:
        return _cluster(args)
    if args.file is None:
        if args.names:
            raise nr.InputError("--names lists the names in a problem; add its FILE.")
        data = installation()
    else:
        problem = read_problem(args)
        data = description(problem) | ({"names": names(problem)} if args.names else {})
    emit(args, _text(data), data)
    return OK


def _cluster(args: argparse.Namespace) -> int:
    """Describe the workers; exit with a failure if work would not succeed there."""
    if args.file is not None or args.names:
        raise nr.InputError("--cluster describes workers; leave out FILE and --names.")
    data = inspect_cluster(args.cluster)
    emit(args, cluster_text(data), data)
    return FAILURE if data["faults"] else OK


def installation() -> dict[str, Any]:
    """Versions and names in this installation."""
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
    """Sizes of a problem and the data that vary between its scenarios."""
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
    """All names in a problem, by kind."""
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
    """The facts in two columns, then one line for each name."""
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


def inspect_cluster(address: str) -> dict[str, Any]:
    """Inspect every worker with a small problem; `faults` lists reasons why work would fail."""
    from neurprise.parallel.cluster import connect  # needs Dask

    client = connect(address)
    try:
        threads = client.nthreads()
        answers = client.run(inspect_worker, on_error="return")
    finally:
        client.close()
    workers = [{"address": name, "threads": threads.get(name, 0), **_answer(answers[name])} for name in sorted(answers)]
    return {"cluster": address, "workers": workers, "faults": _faults(workers)}


def inspect_worker() -> dict[str, Any]:
    """Run on a worker: list its versions and solve a small problem, which compiles missing functions."""
    from neurprise.parallel.cluster import installed_versions

    before = compiling.seconds
    with without_numpy():
        answer = nr.solve(nr.make_vertex_cover(8, 5, seed=1), "prise", 3)
    return {
        "versions": installed_versions(),
        "engines": engine_versions(),
        "compiled_functions": sum(each.num_compiled for each in compilers.values()),
        "compile_seconds": compiling.seconds - before,
        "folders": folders(),
        "worst_case": answer.worst_case,
    }


def cluster_text(data: dict[str, Any]) -> str:
    """One paragraph for each worker, then the faults."""
    parts = [aligned({"cluster": data["cluster"], "workers": len(data["workers"])})]
    parts += [aligned(_rows(worker)) for worker in data["workers"]]
    parts.append("\n".join(data["faults"]) or "all workers compute with the same versions as this machine")
    return "\n\n".join(parts)


def _answer(found: Any) -> dict[str, Any]:
    return {"error": repr(found)} if isinstance(found, BaseException) else dict(found)


def _rows(worker: dict[str, Any]) -> dict[str, object]:
    if "error" in worker:
        return {"worker": worker["address"], "error": worker["error"]}
    engines = {name: version for name, version in worker["engines"].items() if version is not None}
    return {
        "worker": worker["address"],
        "threads": worker["threads"],
        "versions": ", ".join(f"{name} {version}" for name, version in worker["versions"].items()),
        "engines": ", ".join(f"{name} {version}" for name, version in engines.items()),
        "compiled now": counted(worker["compiled_functions"], "function"),
        "stored in": ", ".join(worker["folders"]) or "no folder: every process compiles again",
    }


def _faults(workers: list[dict[str, Any]]) -> list[str]:
    """One sentence for each fault."""
    from neurprise.parallel import cluster

    if not workers:
        return ["the cluster has no worker; start one with: dask worker ADDRESS --nthreads 1."]
    here, found = cluster.installed_versions(), []
    for worker in workers:
        name = worker["address"]
        if "error" in worker:
            found.append(f"{name} cannot compute: {worker['error']}.")
            continue
        there = worker["versions"]
        found += [
            f"{name} has {part} {there[part]}, this machine {here[part]}." for part in cluster.differing(here, there)
        ]
        if worker["threads"] != 1:
            found.append(
                f"{name} runs {worker['threads']} units in parallel in one process; start it with --nthreads 1."
            )
    if len({worker.get("worst_case") for worker in workers}) > 1:
        found.append("the workers do not agree on the worst case of a small problem.")
    return found
