"""SOR: the scenarios that represent all others best, with a proof of how well."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from neurprise.arrays import Floats
from neurprise.clock import Deadline, OutOfTimeError
from neurprise.errors import EngineError, NotApplicableError, part_of
from neurprise.problem import TwoStageProblem
from neurprise.reducers.base import Reduction, SessionReducer, cut_short, num_kept
from neurprise.search.session import SearchSession
from neurprise.solvers import Engine, EngineModel, EngineStatus, Limits

#: Weight of the single guarantees t_i beside their minimum t, as in Goerigk and Khosravi 2023.
SINGLE_WEIGHT = 0.001
#: The model has S^2 assignment variables; beyond this it would not fit into memory.
MAX_SCENARIOS = 1000
_COSTS = ("costs", "x_costs")


@dataclass(frozen=True)
class SOR(SessionReducer):
    """
    Keep the scenarios that maximise the guarantee t of V(R) <= V(all) <= V(R) / t [Goerigk and Khosravi 2023].

    Scenario l represents scenario i by d_il = min_j c^l_j / c^i_j: then c^l >= d_il c^i, and since Q(x, .) is monotone
    and homogeneous in nonnegative costs, Q(x, i) <= Q(x, l) / d_il for every x. The kept scenarios are chosen together
    by one mixed-integer model; nonnegative first-stage costs only help.

    Parameters
    ----------
    solver
        Engine that solves the model.
    time_limit
        Wall-clock seconds; the best choice found by then is kept, with its own guarantee. None for no limit.
    """

    solver: str | Engine = "highs"
    time_limit: float | None = None

    name = "sor"

    def choose(self, session: SearchSession, budget: int, seed: int = 0) -> Reduction:
        clock = Deadline()
        keep = num_kept(session.problem, budget)
        represents = representation(_uncertain_costs(session.problem))
        if keep == session.problem.num_scenarios:
            return Reduction(tuple(range(keep)), guarantee=1.0, runtime=clock.elapsed)
        chosen = _greedy_choice(represents, keep)
        with cut_short(session) as cut:
            chosen = _best_choice(session, represents, chosen)
            if session.deadline.passed:
                raise OutOfTimeError
        guarantee = float(represents[:, chosen].max(axis=1).min())
        return Reduction(tuple(chosen), guarantee=guarantee, num_solves=1, runtime=clock.elapsed, stopped_by=cut.reason)


def _best_choice(session: SearchSession, represents: Floats, greedy: list[int]) -> list[int]:
    """The choice of largest guarantee that the engine finds in time; no worse than the greedy one."""
    useful = np.where(represents < _least_guarantee(represents, greedy), 0.0, represents)
    limits = Limits(gap=0.0).until(session.deadline)
    session.count_solves(1)
    session.say(f"sor: choosing {part_of(len(greedy), len(represents), 'scenario')} together")
    result = session.engine.solve(_selection_model(useful, len(greedy)), limits)
    if result.status not in (EngineStatus.OPTIMAL, EngineStatus.TIME_LIMIT):
        raise EngineError(f"the engine left SOR's model with status {result.status.value!r}; please report it.")
    if result.values is None:
        return greedy
    return np.flatnonzero(result.values[: len(represents)] > 0.5).tolist()


def representation(costs: Floats) -> Floats:
    """
    d_il = min_j costs[l, j] / costs[i, j], at most 1, for costs (S, k) >= 0; shape (S, S).

    A zero cost in i is covered by any cost in l, 0/0 included: d * 0 <= cost holds for every d.
    """
    ratios = np.ones((len(costs), len(costs)))
    for i, row in enumerate(costs):
        paid = row > 0
        ratios[i] = (costs[:, paid] / row[paid]).min(axis=1, initial=1.0)
    return ratios


def _selection_model(represents: Floats, keep: int) -> EngineModel:
    """
    max t + 0.001 sum_i t_i,  t <= t_i <= sum_l d_il mu_il,  sum_l mu_il <= 1,  mu_il <= z_l,  sum_l z_l = keep.

    Columns: z (S), t, t_i (S), mu_il for every d_il > 0 in row order.
    """
    size = len(represents)
    i, l = np.nonzero(represents)  # noqa: E741 (the paper's letters)
    pairs = np.arange(len(i))
    shares = sparse.coo_array((represents[i, l], (i, pairs)), shape=(size, len(i)))
    whole = sparse.coo_array((np.ones(len(i)), (i, pairs)), shape=(size, len(i)))
    kept = sparse.coo_array((np.ones(len(i)), (pairs, l)), shape=(len(i), size))
    eye, ones = sparse.eye_array(size), np.ones((size, 1))
    blocks = [
        [np.ones((1, size)), None, None, None],
        [None, -ones, eye, None],
        [None, None, -eye, shares],
        [None, None, None, -whole],
        [kept, None, None, -sparse.eye_array(len(i))],
    ]
    lower = np.concatenate([[keep], np.zeros(2 * size), -np.ones(size), np.zeros(len(i))])
    upper = np.concatenate([[keep], np.full(3 * size + len(i), np.inf)])
    costs = np.concatenate([np.zeros(size), [-1.0], np.full(size, -SINGLE_WEIGHT), np.zeros(len(i))])
    return EngineModel(
        costs=costs,
        matrix=sparse.csr_array(sparse.block_array(blocks, format="csr")),
        row_lower=lower,
        row_upper=upper,
        lower=np.zeros(len(costs)),
        upper=np.ones(len(costs)),
        integer=np.arange(len(costs)) < size,
    )


def _greedy_choice(represents: Floats, keep: int) -> list[int]:
    """A choice without an engine: always the scenario that raises the objective most; ascending."""
    chosen: list[int] = []
    reached = np.zeros(len(represents))
    for _ in range(keep):
        together = np.maximum(reached[:, None], represents)
        scores = together.min(axis=0) + SINGLE_WEIGHT * together.sum(axis=0)
        scores[chosen] = -np.inf
        chosen.append(int(np.argmax(scores)))
        reached = together[:, chosen[-1]]
    return sorted(chosen)


def _least_guarantee(represents: Floats, greedy: list[int]) -> float:
    """
    A value that t reaches in every optimal choice; pairs with d_il below it are of no use.

    The greedy choice attains t + 0.001 sum_i t_i, and no choice has a larger sum than kept scenarios at 1 and all
    others at their best representative.
    """
    attained = represents[:, greedy].max(axis=1)
    best_other = np.where(np.eye(len(represents), dtype=bool), 0.0, represents).max(axis=1)
    largest_sum = best_other.sum() + np.sort(1.0 - best_other)[-len(greedy) :].sum()
    least = attained.min() + SINGLE_WEIGHT * (attained.sum() - largest_sum)
    return float(least) - 1e-9  # rounding


def _uncertain_costs(problem: TwoStageProblem) -> Floats:
    """The scenarios' costs, shape (S, k), once it is clear that SOR's proof holds for this problem."""
    if problem.num_scenarios > MAX_SCENARIOS:
        raise _refusal(
            f"at most {MAX_SCENARIOS} scenarios, for its model grows with their square, got {problem.num_scenarios}"
        )
    _check_region(problem)
    _check_first_stage(problem)
    if problem.monotone_costs is not None:
        return problem.monotone_costs
    for kind in _COSTS:
        _check_recourse_costs(problem, kind)
    tables = [problem.changes[kind].values for kind in _COSTS if kind in problem.changes]
    return np.hstack(tables) if tables else np.zeros((problem.num_scenarios, 0))


def _check_region(problem: TwoStageProblem) -> None:
    moving = [kind for kind, change in problem.changes.items() if (change.values != change.values[0]).any()]
    region = [kind for kind in moving if kind not in _COSTS]
    if region:
        raise _refusal(f"a recourse region that no scenario changes, but scenarios change {', '.join(region)}")


def _check_first_stage(problem: TwoStageProblem) -> None:
    first = problem.first_stage
    paid = first.costs != 0
    costs, lower, upper = first.costs[paid], first.lower[paid], first.upper[paid]
    lowest = problem.offset + float(np.minimum(costs * lower, costs * upper).sum())
    if lowest < 0:
        raise _refusal(f"first-stage costs that cannot be negative, but by their bounds they can reach {lowest:g}")


def _check_recourse_costs(problem: TwoStageProblem, kind: str) -> None:
    """Costs >= 0 on variables >= 0, so that a higher cost is a higher price."""
    change, base = problem.changes.get(kind), problem.recourse.base(kind)
    fixed = base.copy()
    if change is not None:
        fixed[change.positions] = 0.0
    smallest, paid = min(fixed.min(initial=0.0), 0.0), fixed != 0
    if change is not None:
        smallest = min(smallest, change.values.min(initial=0.0))
        paid[change.positions] |= (change.values != 0).any(axis=0)
    if smallest < 0:
        raise _refusal(f"recourse costs that are zero or positive, got {smallest:g}")
    bounds = problem.recourse.lower if kind == "costs" else problem.first_stage.lower
    if (bounds[paid] < 0).any():
        raise _refusal(f"variables that are zero or positive where they cost, got a bound of {bounds[paid].min():g}")


def _refusal(rule: str) -> NotApplicableError:
    return NotApplicableError(f"SOR needs {rule}; use maxsum, ccg or prise instead.")
