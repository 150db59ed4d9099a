"""
Every objective on random tiny problems, judged by listing all decisions or by two other engines on one program.

    python -m experiments run objectives-judge --count 2000
    python -m experiments run objectives-judge --seed 4711 --count 1 --verbose    # one problem again, every answer

Problems and tolerances are those of `crosscheck`. Each objective gets the problem as it is, in another order, with a
scenario told twice and its probability split, or with an offset, and is found by both ways of the search.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import numpy as np

import neurprise as nr
from experiments.judges.crosscheck import FAILURES, SORTS
from experiments.judges.examining.examination import Examination, Finding
from experiments.judges.oracles import Judge
from experiments.judges.oracles.truth import truth_of_case
from experiments.judges.oracles.weighing import Weighing, weighings
from experiments.judges.random_problems import SCALES, Case, draw_case
from experiments.judges.record import new_parser, publish
from neurprise.arrays import Floats
from neurprise.objectives import Objective, Wasserstein
from neurprise.search.objective_search import ObjectiveSearch
from neurprise.strengthening import without_strengthening

#: Objectives asked about on each problem, of the dozen there are.
ASKED = 4
#: Share of answers by SCIP, by cuts where one model would do, and by the problem's own rows alone.
BY_SCIP, BY_CUTS, UNSTRENGTHENED = 0.2, 0.5, 0.3
#: Seconds for one answer, and the relative gap.
PATIENCE, GAP = 20.0, 1e-6
WAYS = ("as it is", "in another order", "a scenario twice", "with an offset")


@dataclass(frozen=True)
class Told:
    """What a report says of a problem that differs from the case by an offset; fields as there."""

    value: float
    lower_bound: float
    x: Floats | None
    status: nr.Status
    offset: float


@dataclass(frozen=True)
class Verdict:
    """What came of one objective on one problem."""

    seed: int
    name: str
    findings: tuple[Finding, ...]
    answers: tuple[str, ...]


def examine(seed: int, scale: str | None = None) -> Iterator[Verdict]:
    """Ask about some objectives of the problem of this seed."""
    case, rng = draw_case(seed, scale), np.random.default_rng([seed, 3])
    p = _probabilities(rng, case.problem.num_scenarios)
    truth = truth_of_case(case)
    for weighing in rng.permutation(np.array(weighings(rng, p), dtype=object))[:ASKED]:
        examination = Examination(case, truth)
        _ask(examination, weighing, p, rng)
        yield Verdict(
            seed, weighing.objective.name.partition(":")[0], tuple(examination.findings), tuple(examination.answers)
        )


def _probabilities(rng: np.random.Generator, size: int) -> Floats:
    """Equal ones, any, or some that are zero; shape (S,)."""
    kind = rng.integers(3)
    p = np.ones(size) if kind == 0 else rng.dirichlet(np.ones(size))
    if kind == 2 and size > 1:
        p[rng.permutation(size)[: int(rng.integers(1, size))]] = 0.0
    return np.asarray(p / p.sum())


def _ask(examination: Examination, weighing: Weighing, p: Floats, rng: np.random.Generator) -> None:
    way = str(rng.choice(WAYS))
    engine = "scip" if rng.random() < BY_SCIP else "highs"
    by_cuts, plain = rng.random() < BY_CUTS, rng.random() < UNSTRENGTHENED
    problem, objective, offset = _told(examination.case, weighing.objective, p, way, rng)

    def question() -> Told:
        report = nr.solve(problem, objective=objective, gap=GAP, solver=engine, time_limit=PATIENCE)
        return Told(report.value, report.lower_bound, report.x, report.status, offset)

    with ExitStack() as stack:
        if by_cuts:
            stack.enter_context(patch.object(ObjectiveSearch, "_is_one_model", False))
        if plain:
            stack.enter_context(without_strengthening())
        examination.ask(
            f"{weighing.objective.name}, {way}, {engine}{', by cuts' * by_cuts}{', own rows' * plain}",
            question,
            checked(weighing),
            time_limit=PATIENCE,
            may_refuse=weighing.regret == "relative",
            value=weighing.best,
        )


def _told(
    case: Case, objective: Objective, p: Floats, way: str, rng: np.random.Generator
) -> tuple[nr.TwoStageProblem, Objective, float]:
    """The same problem told in another way, its objective, and what was added to every cost."""
    order, shares = list(range(len(p))), p.copy()
    if way == "in another order":
        order = rng.permutation(len(p)).tolist()
    if way == "a scenario twice":
        twice = int(rng.integers(len(p)))
        order.append(twice)
        shares[twice] *= 0.5
    problem = case.problem.with_scenarios(case.problem.scenario_data[order], probabilities=shares[order])
    if isinstance(objective, Wasserstein) and objective.distances is not None:
        objective = Wasserstein(objective.radius, objective.distances[np.ix_(order, order)])
    if way != "with an offset":
        return problem, objective, 0.0
    general = problem.general_form()
    moved = 7.0 * case.money
    return nr.TwoStageProblem(**(general | {"offset": general["offset"] + moved})), objective, moved


def checked(weighing: Weighing) -> Callable[[Examination, str, Told], None]:
    """A rule: bound <= the least value <= value = that of x, and of an optimal answer they are equal up to the gap."""

    def check(examination: Examination, call: str, told: Told) -> None:
        truth = examination.truth
        value, bound = _in_costs(examination.case, weighing, told)
        best, room = truth.known(weighing.best), _room(examination, weighing)
        said = f"value {value:.9g}, bound {bound:.9g}, but the least is {best:.9g}"
        examination.require(truth.is_at_most(bound - room, weighing.best), call, f"false bound: {said}")
        examination.require(truth.is_at_least(value + room, weighing.best), call, f"better than the best: {said}")
        if told.x is None:
            examination.require(value == math.inf, call, "a value of no decision")
        else:
            x = told.x
            own = truth.known(lambda judge: weighing.of_decision(x, _listing(judge)))
            right = truth.is_value(value, lambda judge: weighing.of_decision(x, _listing(judge)), extra=room)
            right = right or abs(value - own) <= room
            examination.require(right, call, f"value {value:.9g} of {x.tolist()}, but it is {own:.9g}")
        if told.status is nr.Status.OPTIMAL:
            loose = 2 * GAP * max(1.0, abs(best)) + room
            examination.require(truth.is_at_most(value - loose, weighing.best), call, f"not optimal: {said}")
        elif told.status is nr.Status.NUMERICAL_LIMIT:
            examination.find("numerical limit", call, said)
        else:
            examination.find("unfinished", call, f"{told.status.value}: {said}")

    return check


def _in_costs(case: Case, weighing: Weighing, told: Told) -> tuple[float, float]:
    """Value and bound in the judge's costs; regrets are never profits, and relative ones have no unit."""
    if weighing.regret:
        unit = 1.0 if weighing.regret == "relative" else case.money
        return told.value / unit, told.lower_bound / unit
    sign = -1.0 if case.statement.maximize else 1.0
    return tuple((sign * number - told.offset) / case.money for number in (told.value, told.lower_bound))  # type: ignore[return-value]


def _room(examination: Examination, weighing: Weighing) -> float:
    """How far engines' tolerances in the best cost of a scenario may move a regret."""
    if not weighing.regret:
        return 0.0
    truth = examination.truth
    drops = [0.0]
    for s in np.flatnonzero(weighing.possible).tolist():
        best = truth.known(lambda judge, s=s: judge.value([s]))
        relaxed = truth.relaxed(lambda judge, s=s: judge.value([s]))
        if math.isfinite(best) and math.isfinite(relaxed) and best != 0.0:
            noise = best - relaxed + 4e-6 * max(1.0, abs(best))
            drops.append(noise / abs(best) if weighing.regret == "relative" else noise)
    return max(drops)


def _listing(judge: Any) -> Judge:
    assert isinstance(judge, Judge)
    return judge


def rows_of(verdicts: Sequence[Verdict]) -> list[dict[str, Any]]:
    """A row for each objective and for all: how many answers have a finding of each sort."""
    names = sorted({verdict.name for verdict in verdicts})
    groups = {name: [v for v in verdicts if v.name == name] for name in names} | {"all": list(verdicts)}
    return [
        {"objective": name, "problems": len({v.seed for v in group}), "answers": len(group)}
        | {sort.replace(" ", "_"): sum(any(f.sort == sort for f in v.findings) for v in group) for sort in SORTS}
        for name, group in groups.items()
    ]


def main(argv: list[str] | None = None) -> int:
    parser = new_parser(__doc__)
    parser.add_argument("--count", type=int, default=300, help="number of problems")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first problem; the next has the next seed")
    parser.add_argument("--class", dest="scale", choices=SCALES, help="draw problems with such numbers only")
    parser.add_argument("--minutes", type=float, default=math.inf, help="stop after this many minutes")
    parser.add_argument("--verbose", action="store_true", help="print every question and answer")
    options = parser.parse_args(argv)
    until, verdicts = time.time() + 60 * options.minutes, list[Verdict]()
    for seed in range(options.seed, options.seed + options.count):
        if time.time() >= until:
            break
        for verdict in examine(seed, options.scale):
            verdicts.append(verdict)
            said = [f"{f.sort}: {f.call}: {f.message}" for f in verdict.findings]
            for line in [*(verdict.answers if options.verbose else ()), *said]:
                print(f"{seed}: {line}", file=sys.stderr, flush=True)
    title = f"{len({v.seed for v in verdicts})} problems from seed {options.seed}, gap {GAP:g}"
    publish(options, "objectives-judge", rows_of(verdicts), title)
    return int(any(f.sort in FAILURES for verdict in verdicts for f in verdict.findings))


if __name__ == "__main__":
    sys.exit(main())
