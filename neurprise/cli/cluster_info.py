"""What the workers of a cluster are: versions, engines, compiled code, and whether all of them compute the same."""

from __future__ import annotations

from typing import Any

import neurprise as nr
from neurprise.cli.info import engine_versions
from neurprise.cli.output import aligned
from neurprise.cli.warm import folders
from neurprise.clock import compiling
from neurprise.compiled import compilers
from neurprise.errors import counted
from neurprise.parallel.cluster import Versions, installed_versions


def inspect_cluster(address: str) -> dict[str, Any]:
    """Ask every worker, each by solving a small problem; `faults` says what would keep work from succeeding."""
    from neurprise.parallel.cluster import connect

    client = connect(address)
    try:
        threads = client.nthreads()
        answers = client.run(inspect_worker, on_error="return")
    finally:
        client.close()
    workers = [{"address": name, "threads": threads.get(name, 0), **_answer(answers[name])} for name in sorted(answers)]
    return {"cluster": address, "workers": workers, "faults": _faults(workers)}


def inspect_worker() -> dict[str, Any]:
    """On a worker: what is installed, and a small problem solved, which compiles what is not stored yet."""
    before = compiling.seconds
    answer = nr.solve(nr.make_vertex_cover(8, 5, seed=1), "prise", 3)
    return {
        "versions": dict(installed_versions().of),
        "engines": engine_versions(),
        "compiled_functions": sum(each.num_compiled for each in compilers.values()),
        "compile_seconds": compiling.seconds - before,
        "folders": folders(),
        "worst_case": answer.worst_case,
    }


def cluster_text(data: dict[str, Any]) -> str:
    """One paragraph for each worker, then what is wrong."""
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
        "stored in": ", ".join(worker["folders"]) or "no folder: every process of it compiles anew",
    }


def _faults(workers: list[dict[str, Any]]) -> list[str]:
    """One sentence for everything that is wrong."""
    if not workers:
        return ["the cluster has no worker; start one with: dask worker ADDRESS --nthreads 1."]
    here, found = installed_versions(), []
    for worker in workers:
        name = worker["address"]
        if "error" in worker:
            found.append(f"{name} cannot compute: {worker['error']}.")
            continue
        there = Versions(tuple(worker["versions"].items()))
        found += [f"{name} has {part} {there[part]}, this machine {here[part]}." for part in here.differing(there)]
        if worker["threads"] != 1:
            found.append(f"{name} runs {worker['threads']} units at once in one process; start it with --nthreads 1.")
    if len({worker.get("worst_case") for worker in workers}) > 1:
        found.append("the workers do not agree on the worst case of a small problem.")
    return found
