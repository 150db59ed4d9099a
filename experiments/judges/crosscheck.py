"""
Random problems with every feature, solved by every engine and method, judged by brute force or by two other engines.

    python -m experiments run crosscheck --count 10000 --medium 1500 --jobs 2
    python -m experiments run crosscheck --seed 4711 --count 1 --verbose     # one problem again, with every answer
    python -m experiments run crosscheck --seed 4711 --count 1 --shrink      # the smallest that fails the same way
    python -m experiments run crosscheck --class big-M --count 100           # problems of one class of numbers only
    python -m experiments run crosscheck --seed 12 --count 0 --medium 1      # one medium-sized problem

Every problem is drawn from its seed (`random_problems/`) and judged from outside (`oracles/`, where one rule
says what counts as right). Findings are printed as they come; stopped at any moment, the same command goes on
where it was. The exit code is 1 if anything was wrong, raised, overran its limit, or was worse than a decision at hand.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any

from experiments.judges.examining.outcomes import Outcome, OutcomeFile, open_outcomes
from experiments.judges.examining.questions import examine_chunk
from experiments.judges.examining.shrink import as_code, smallest_failures
from experiments.judges.random_problems import KINDS, ORDINARY, SCALES, Case, draw_case
from experiments.judges.random_problems.medium import MEDIUM_KINDS, draw_medium
from experiments.judges.record import ROWS, new_parser, publish, save
from neurprise.errors import WorkersError
from neurprise.parallel.workers import Workers, completed
from neurprise.training.line_store import shown

#: What must not happen, and what only needs a look.
FAILURES = ("wrong", "exception", "overrun", "worse")
SORTS = (*FAILURES, "numerical limit", "undecided", "unfinished")
_PROBLEMS_AT_ONCE = 20
#: Outcomes of a run that has not come to its end.
UNFINISHED = ROWS / ".crosscheck.unfinished"


@dataclass(frozen=True)
class Series:
    """Problems of consecutive seeds; `scale` is None where each seed draws its own class."""

    first: int
    count: int
    scale: str | None = None
    medium: bool = False

    @property
    def name(self) -> str:
        return f"{'medium' if self.medium else 'tiny'}, {self.scale or 'all classes'}"


def run(
    series: Series, jobs: int, minutes: float, stored: OutcomeFile | None = None
) -> tuple[list[Outcome], list[str]]:
    """
    Outcomes in the order of their seeds, and what to say of those that have none.

    Fewer than `count` where time runs out, or where a problem kills its process, with those beside it.
    """
    until = time.time() + 60 * minutes
    known = {} if stored is None else stored.known(series.name)
    seeds = range(series.first, series.first + series.count)
    found = [known[seed] for seed in seeds if seed in known]
    left = [seed for seed in seeds if seed not in known]
    chunks = [left[start : start + _PROBLEMS_AT_ONCE] for start in range(0, len(left), _PROBLEMS_AT_ONCE)]
    deaths: list[str] = []
    work = partial(examine_chunk, until=until, scale=series.scale, medium=series.medium)
    units = completed(work, chunks, Workers(jobs), name=_chunk_name)
    try:
        for _, outcomes in shown(units, "problems", len(chunks)):
            found += outcomes
            if stored is not None:
                stored.keep(series.name, outcomes)
            for line in _findings(outcomes):
                print(line, file=sys.stderr, flush=True)
    except WorkersError as error:
        deaths.append(str(error))
    return sorted(found, key=lambda outcome: outcome.seed), deaths


def _chunk_name(seeds: Sequence[int]) -> str:
    return f"problems {seeds[0]} to {seeds[-1]}"


def _findings(outcomes: Sequence[Outcome]) -> list[str]:
    return [f"{_name(o)}: {f.sort}: {f.call}: {f.message}" for o in outcomes for f in o.findings]


def _name(outcome: Outcome) -> str:
    return f"{outcome.seed} ({'medium ' * outcome.medium}{outcome.kind}, {outcome.scale})"


def rows_of(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    """A row for each class of numbers, for each kind of ordinary problem and for all; tiny and medium-sized apart."""
    rows = []
    for size in ("tiny", "medium"):
        mine = [o for o in outcomes if o.medium == (size == "medium")]
        rows += [summary(size, scale, "all", [o for o in mine if o.scale == scale]) for scale in SCALES]
        ordinary = [o for o in mine if o.scale == ORDINARY]
        rows += [
            summary(size, ORDINARY, kind, [o for o in ordinary if o.kind == kind]) for kind in (*KINDS, *MEDIUM_KINDS)
        ]
        rows.append(summary(size, "all", "all", mine))
    return [row for row in rows if row["count"]]


def summary(size: str, scale: str, kind: str, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """How many of these problems have a finding of each sort, and how they were judged."""
    found = {sort.replace(" ", "_"): sum(any(f.sort == sort for f in o.findings) for o in outcomes) for sort in SORTS}
    return {
        "size": size,
        "class": scale,
        "kind": kind,
        "count": len(outcomes),
        **found,
        "brute_forced": sum(o.listed for o in outcomes),
        "hinging": sum(o.hinges for o in outcomes),
        "seconds": round(sum(o.seconds for o in outcomes), 1),
    }


def main(argv: list[str] | None = None) -> int:
    options = _parser().parse_args(argv)
    outcomes: list[Outcome] = []
    deaths: list[str] = []
    with nullcontext() if options.no_save or options.verbose else open_outcomes(UNFINISHED) as stored:
        for series in _series(options):
            found, dead = run(series, options.jobs, options.minutes, stored)
            outcomes, deaths = outcomes + found, deaths + dead
    title = f"{len(outcomes)} problems from seed {options.seed}"
    rows = rows_of(outcomes)
    publish(options, "crosscheck", rows, title, _notes(options, outcomes) + deaths, saved=True)
    if len(outcomes) == options.count + options.medium and not options.no_save:
        UNFINISHED.unlink(missing_ok=True)
        save("crosscheck", rows)
    return int(bool(_failed(outcomes) or deaths))


def _series(options: argparse.Namespace) -> list[Series]:
    tiny = Series(options.seed, options.count, options.scale)
    return [tiny, Series(options.seed, options.medium, options.scale, medium=True)]


def _notes(options: argparse.Namespace, outcomes: Sequence[Outcome]) -> list[str]:
    """Every finding with its seed, and what else was asked for."""
    notes = []
    for outcome in outcomes:
        notes += [f"{_name(outcome)}: {answer}" for answer in outcome.answers] if options.verbose else []
        notes += _findings([outcome])
        if options.verbose and outcome.findings:
            notes.append(as_code(_case(outcome, options)))
    for outcome in _failed(outcomes) if options.shrink else ():
        notes += smallest_failures(_case(outcome, options))
    left = options.count + options.medium - len(outcomes)
    return [*notes, f"{left} problems are left: the same command goes on, unless --no-save"] if left else notes


def _case(outcome: Outcome, options: argparse.Namespace) -> Case:
    return (draw_medium if outcome.medium else draw_case)(outcome.seed, options.scale)


def _failed(outcomes: Sequence[Outcome]) -> list[Outcome]:
    return [o for o in outcomes if any(finding.sort in FAILURES for finding in o.findings)]


def _parser() -> argparse.ArgumentParser:
    parser = new_parser(__doc__)
    parser.add_argument("--count", type=int, default=300, help="number of tiny problems")
    parser.add_argument("--medium", type=int, default=0, help="number of medium-sized problems")
    parser.add_argument("--class", dest="scale", choices=SCALES, help="draw problems with such numbers only")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first problem; the next has the next seed")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="stop after this many minutes")
    parser.add_argument(
        "--verbose", action="store_true", help="print every question and answer, and code of a failing problem"
    )
    parser.add_argument("--shrink", action="store_true", help="print code of the smallest problem for each failure")
    return parser


if __name__ == "__main__":
    sys.exit(main())
