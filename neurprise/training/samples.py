"""
Training data of Neur2RO: first-stage decisions of random instances and their true recourse cost in every scenario.

Each instance has a table, decisions by scenarios. The decisions are those that a short exact search finds (good),
variations of them, greedy ones and random ones. Instance i and its decisions are drawn from a seed that depends on
(seed, i) only, so the file does not depend on the number of jobs.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from neurprise import arrays
from neurprise.arrays import Floats
from neurprise.clock import Deadline
from neurprise.networks.view import knowledge_of
from neurprise.parallel.workers import Workers
from neurprise.problem import TwoStageProblem
from neurprise.problems import get_family
from neurprise.recourse.evaluator import Evaluator
from neurprise.search.ccg import ColumnAndConstraintGeneration
from neurprise.search.session import SearchSession
from neurprise.training.line_store import LineStore
from neurprise.training.origins import FamilyInstances, checked_instances, instance_seed, with_family

#: The search for good decisions ends with this many scenarios, or at this gap.
_SEARCH_SCENARIOS = 3
_SEARCH_GAP = 1e-2
#: Largest share of decisions from the search.
_GOOD_SHARE = 0.25


@dataclass(frozen=True)
class SampleConfig(FamilyInstances):
    """
    Instances of a family, and the number of first-stage decisions that are evaluated on each.

    With the same family, size and seed, they are the instances of a label set.
    """

    decisions: int = 24


@dataclass(frozen=True)
class Sample:
    """
    Costs of some decisions on one instance.

    Parameters
    ----------
    index
        Number of the instance within its run.
    decisions
        Shape (N, n_x).
    costs
        True recourse costs, shape (N, S). All are finite: decisions without recourse in some scenario are left out.
    """

    index: int
    decisions: Floats
    costs: Floats


@dataclass(frozen=True)
class SampleSet:
    """Samples of one directory, in the order of their instances."""

    config: SampleConfig
    samples: tuple[Sample, ...]

    def __len__(self) -> int:
        return len(self.samples)


def sample(
    directory: str | Path,
    *,
    family: str,
    size: int | tuple[int, ...],
    scenarios: int,
    count: int,
    seed: int = 0,
    decisions: int = 24,
    jobs: int = 1,
    cluster: str | None = None,
    time_limit: float | None = None,
    distribution: str = "uniform",
) -> SampleSet:
    """
    Sample instances until the directory holds `count`; a directory that holds some already is continued.

    Parameters
    ----------
    size
        As in `label`.
    decisions
        First-stage decisions of each instance.
    jobs, cluster, time_limit
        As in `label`.
    """
    count, jobs = arrays.whole_number("count", count, 1), arrays.whole_number("jobs", jobs, 1)
    decisions = arrays.whole_number("decisions", decisions, 2)
    config = SampleConfig(**checked_instances(family, size, scenarios, seed, distribution), decisions=decisions)
    line_of = partial(with_family, get_family(config.family), partial(_line, config))
    STORE.fill(Path(directory), config, count, line_of, Workers(jobs, cluster), Deadline(time_limit))
    return read_samples(directory)


def read_samples(directory: str | Path) -> SampleSet:
    """All samples of a directory; an unfinished last line is ignored."""
    return SampleSet(*STORE.read(directory))


def sample_instance(config: SampleConfig, index: int) -> Sample:
    """Good, greedy and random decisions of one instance, and their costs in every scenario."""
    problem = config.problem(index)
    rng = np.random.default_rng((instance_seed(config.seed, index), 1))
    good = _good_decisions(problem, rng)
    kept = good[: max(1, int(_GOOD_SHARE * config.decisions))]
    others = knowledge_of(problem).decisions(problem, good, rng, config.decisions - len(kept))
    decisions = np.unique(np.concatenate([kept, others]), axis=0)
    evaluator = Evaluator(problem)
    costs = np.stack([evaluator.evaluate(x).recourse_costs for x in decisions])
    feasible = np.isfinite(costs).all(axis=1)
    return Sample(index, decisions[feasible], costs[feasible])


def _good_decisions(problem: TwoStageProblem, rng: np.random.Generator) -> Floats:
    """Decisions that a short exact search from a random scenario finds, best first, shape (found, n_x)."""
    session = SearchSession(problem)
    start = [int(rng.integers(problem.num_scenarios))]
    ColumnAndConstraintGeneration(session, gap=_SEARCH_GAP).run(start, min(_SEARCH_SCENARIOS, problem.num_scenarios))
    order = np.argsort(session.pool.totals.max(axis=1), kind="stable")
    return np.stack([session.pool.member(int(place)) for place in order])


def _line(config: SampleConfig, index: int) -> bytes:
    found = sample_instance(config, index)
    data = {"index": index, "decisions": found.decisions.tolist(), "costs": found.costs.tolist()}
    return json.dumps(data, allow_nan=False).encode()


def _configured(_: Path, data: dict[str, Any]) -> SampleConfig:
    return SampleConfig(**{**data, "size": tuple(data["size"])})


def _parsed(config: SampleConfig, data: dict[str, Any]) -> Sample:
    decisions, costs = (np.array(data[name], dtype=np.float64) for name in ("decisions", "costs"))
    shape = (len(decisions), config.scenarios)
    if decisions.ndim != 2 or costs.shape != shape:
        raise ValueError(f"its costs must have shape {shape}")
    return Sample(int(data["index"]), decisions, costs)


STORE = LineStore("sample", "neurprise-samples-1", "samples.jsonl", _configured, _parsed)
