"""
Labels: PRISE traces of instances, one JSON line each.

Instance i is drawn from a seed that depends on (seed, i) only. So a label stores no data of the instance, and the file
does not depend on the number of jobs. A `LabelConfig` draws instances of a family, an `OriginConfig` takes them from a
function or from given problems.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from neurprise import arrays
from neurprise.clock import Deadline
from neurprise.errors import InputError, counted
from neurprise.parallel.workers import Workers
from neurprise.problem import TwoStageProblem
from neurprise.problems import get_family
from neurprise.training.line_store import LineStore
from neurprise.training.origins import (
    STORED,
    FamilyInstances,
    Origin,
    OriginConfig,
    check_function,
    checked_instances,
    is_function,
    read_folder,
    store_problems,
    with_family,
)


@dataclass(frozen=True)
class LabelConfig(FamilyInstances):
    """
    Instances of a family, and how they are labelled.

    Parameters
    ----------
    budget
        Largest number of scenarios in a PRISE trace. With 0 there is no trace, for test sets that need optima only.
    exact
        Whether each label holds the optimum and the trace of column-and-constraint generation too.
    """

    budget: int = 8
    exact: bool = True


@dataclass(frozen=True)
class Label:
    """
    Results of PRISE and of the exact search on one instance.

    Parameters
    ----------
    index
        Number of the instance within its run.
    indices, gains
        The PRISE trace: scenarios in order, and the rise of V(R) at each step, starting from 0.
    objective
        V(R) of the whole trace.
    optimum, ccg
        V(all), and the scenarios in the order in which the exact search added them; None if it was left out.
    num_scenarios
        S of the instance.
    """

    index: int
    indices: tuple[int, ...]
    gains: tuple[float, ...]
    objective: float
    optimum: float | None = None
    ccg: tuple[int, ...] | None = None
    num_scenarios: int = 0


#: The source of a directory's instances.
Config = LabelConfig | OriginConfig


@dataclass(frozen=True)
class LabelSet:
    """Labels of one directory, in the order of their instances."""

    config: Config
    labels: tuple[Label, ...]
    folder: Path

    def __len__(self) -> int:
        return len(self.labels)


def label(
    directory: str | Path,
    *,
    family: str,
    size: int | tuple[int, ...],
    scenarios: int,
    count: int,
    seed: int = 0,
    budget: int = 8,
    jobs: int = 1,
    cluster: str | None = None,
    time_limit: float | None = None,
    distribution: str = "uniform",
    exact: bool = True,
) -> LabelSet:
    """
    Label instances until the directory holds `count`; a directory that holds some already is continued.

    Parameters
    ----------
    size
        The sizes that the family's generator asks for, in that order; a single number serves for all.
    jobs, cluster
        Processes of this machine, or the address of a Dask scheduler whose workers do the work; the labels do not
        depend on it.
    time_limit
        Seconds; then OutOfTimeError is raised, and the same call continues.
    exact
        Also solve every instance to proven optimality and store the optimum and the exact search's trace.
    """
    count, jobs = arrays.whole_number("count", count, 1), arrays.whole_number("jobs", jobs, 1)
    instances = checked_instances(family, size, scenarios, seed, distribution)
    config = LabelConfig(**instances, budget=arrays.whole_number("budget", budget, 0), exact=bool(exact))
    line_of = partial(with_family, get_family(config.family), partial(_line, config))
    STORE.fill(Path(directory), config, count, line_of, Workers(jobs, cluster), Deadline(time_limit))
    return read_labels(directory)


def label_problems(
    problems: Origin,
    directory: str | Path,
    *,
    count: int | None = None,
    scenarios: int | None = None,
    seed: int = 0,
    budget: int = 8,
    jobs: int = 1,
    cluster: str | None = None,
    time_limit: float | None = None,
    exact: bool = True,
) -> LabelSet:
    """
    Label any problems until the directory holds `count`; a directory that holds some already is continued.

    Parameters
    ----------
    problems
        Problems, a folder of problem files, or "module:function": a function that draws a problem from a seed.
        Problems are stored in the directory.
    count
        Total number of instances; None: each problem once. More instances than problems need `scenarios`.
    scenarios
        Number of random scenarios that each instance keeps of its problem; None: all. Not for functions.
    jobs, cluster, time_limit
        As in `label`; workers of a cluster read stored problems from the directory, so all must have access to it.
    """
    folder = Path(directory).resolve()
    budget, jobs = arrays.whole_number("budget", budget, 0), arrays.whole_number("jobs", jobs, 1)
    config = OriginConfig(STORED, 0, 0, arrays.whole_number("seed", seed, 0), budget, bool(exact), folder)
    if isinstance(problems, str) and is_function(problems):
        if count is None:
            raise InputError(
                f"labels from the function {problems} need a count, because it draws without limit; pass one."
            )
        if scenarios is not None:
            raise InputError(f"the function {problems} determines its own number of scenarios; leave scenarios out.")
        check_function(problems)
        config = replace(config, origin=problems)
    else:
        known = 0 if scenarios is None else arrays.whole_number("scenarios", scenarios, 1)
        given = read_folder(_existing_folder(problems)) if isinstance(problems, str | Path) else problems
        config = replace(config, problems=store_problems(folder, given), scenarios=known)
    total = config.problems if count is None else arrays.whole_number("count", count, 1)
    if 0 < config.problems < total and not config.scenarios:
        raise InputError(
            f"there must be a problem for each instance, got {counted(config.problems, 'problem')} for "
            f"{counted(total, 'instance')}; say how many scenarios each instance draws "
            "from its problem (scenarios), or leave out the count."
        )
    STORE.fill(folder, config, total, partial(_line, config), Workers(jobs, cluster), Deadline(time_limit))
    return read_labels(folder)


def read_labels(directory: str | Path) -> LabelSet:
    """All labels of a directory; an unfinished last line is ignored."""
    return LabelSet(*STORE.read(directory), Path(directory))


def label_instance(config: Config, index: int) -> Label:
    """The label of one instance."""
    from neurprise.reducers.prise import PRISE

    problem = config.problem(index)
    indices: tuple[int, ...] = ()
    gains: tuple[float, ...] = ()
    if config.budget:
        trace = PRISE().reduce(problem, config.budget)
        indices, gains = trace.indices, trace.gains or ()
    optimum, ccg = _exact_answer(problem) if config.exact else (None, None)
    return Label(index, indices, gains, float(np.sum(gains)), optimum, ccg, problem.num_scenarios)


def _exact_answer(problem: TwoStageProblem) -> tuple[float, tuple[int, ...]]:
    from neurprise.reducers.relaxation import Relaxation
    from neurprise.search.ccg import ColumnAndConstraintGeneration
    from neurprise.search.session import SearchSession

    session = SearchSession(problem)
    # Start with one scenario to get a trace; without an oracle, take the one with the largest dual weight.
    start = () if session.evaluator.has_oracle else Relaxation().choose(session, 1).indices
    search = ColumnAndConstraintGeneration(session, gap=1e-6).run(start)
    return search.worst_case, search.scenarios


def _line(config: Config, index: int) -> bytes:
    return json.dumps(asdict(label_instance(config, index)), allow_nan=False).encode()


def _existing_folder(name: str | Path) -> Path:
    folder = Path(name)
    if not folder.is_dir():
        raise InputError(f"{name} is neither a folder of problem files nor a function given as module:function.")
    return folder


def _configured(folder: Path, data: dict[str, Any]) -> Config:
    if "origin" in data:
        return OriginConfig(**data, folder=folder)
    return LabelConfig(**{**data, "size": tuple(data["size"])})


def _parsed(config: Config, data: dict[str, Any]) -> Label:
    ccg = data["ccg"]
    label = Label(
        int(data["index"]),
        tuple(int(i) for i in data["indices"]),
        tuple(float(g) for g in data["gains"]),
        float(data["objective"]),
        None if data["optimum"] is None else float(data["optimum"]),
        None if ccg is None else tuple(int(i) for i in ccg),
        # Labels of earlier versions lack it; their instances come from families, which all have `scenarios`.
        int(data.get("num_scenarios", config.scenarios)),
    )
    known = range(label.num_scenarios)
    if any(i not in known for i in (*label.indices, *(label.ccg or ()))):
        raise ValueError(f"its scenarios must be in {known}")
    return label


STORE: LineStore[Config, Label] = LineStore("label", "neurprise-labels-1", "labels.jsonl", _configured, _parsed)
