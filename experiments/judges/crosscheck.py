"""
Random problems with every feature, solved by every engine and method, judged by brute force or by two other engines.

    python -m experiments run crosscheck --count 10000 --jobs 2
    python -m experiments run crosscheck --seed 4711 --count 1 --verbose     # one problem again, with every answer
    python -m experiments run crosscheck --seed 4711 --count 1 --shrink      # the smallest that fails the same way

Every problem is drawn from its seed (`random_problems/`) and judged from outside (`oracles/`, where one rule
says what counts as right). Findings are printed as they come; stopped at any moment, the same command goes on
where it was. The exit code is 1 if anything was wrong, raised, or overran its limit.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any

from experiments.judges.examining.outcomes import Outcome, OutcomeFile, open_outcomes
from experiments.judges.examining.questions import examine_chunk
from experiments.judges.examining.shrink import smallest_failures
from experiments.judges.random_problems import KINDS, draw_case
from experiments.judges.record import ROWS, new_parser, publish, save
from neurprise.errors import WorkersError
from neurprise.parallel.pools import Workers
from neurprise.parallel.units import completed
from neurprise.training.line_store import shown

#: What must not happen, and what only needs a look.
FAILURES = ("wrong", "exception", "overrun")
SORTS = (*FAILURES, "undecided", "unfinished")
_PROBLEMS_AT_ONCE = 20
#: Outcomes of a run that has not come to its end.
UNFINISHED = ROWS / ".crosscheck.unfinished"


def run(
    first: int, count: int, jobs: int, minutes: float, stored: OutcomeFile | None = None
) -> tuple[list[Outcome], list[str]]:
    """
    Outcomes in the order of their seeds, and what to say of those that have none.

    Fewer than `count` where time runs out, or where a problem kills its process, with those beside it.
    """
    until = time.time() + 60 * minutes
    known = {} if stored is None else stored.known
    found = [known[seed] for seed in range(first, first + count) if seed in known]
    left = [seed for seed in range(first, first + count) if seed not in known]
    chunks = [left[start : start + _PROBLEMS_AT_ONCE] for start in range(0, len(left), _PROBLEMS_AT_ONCE)]
    deaths: list[str] = []
    units = completed(partial(examine_chunk, until=until), chunks, Workers(jobs), name=_chunk_name)
    try:
        for _, outcomes in shown(units, "problems", len(chunks)):
            found += outcomes
            if stored is not None:
                stored.keep(outcomes)
            for line in _findings(outcomes):
                print(line, file=sys.stderr, flush=True)
    except WorkersError as error:
        deaths.append(str(error))
    return sorted(found, key=lambda outcome: outcome.seed), deaths


def _chunk_name(seeds: Sequence[int]) -> str:
    return f"problems {seeds[0]} to {seeds[-1]}"


def _findings(outcomes: Sequence[Outcome]) -> list[str]:
    return [f"{o.seed} ({o.kind}): {f.sort}: {f.call}: {f.message}" for o in outcomes for f in o.findings]


def summary(kind: str, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Problems of one kind: how many have a finding of each sort, and how they were judged."""
    found = {sort: sum(any(f.sort == sort for f in o.findings) for o in outcomes) for sort in SORTS}
    return {
        "kind": kind,
        "count": len(outcomes),
        **found,
        "brute_forced": sum(o.listed for o in outcomes),
        "hinging": sum(o.hinges for o in outcomes),
        "seconds": round(sum(o.seconds for o in outcomes), 1),
    }


def main(argv: list[str] | None = None) -> int:
    options = _parser().parse_args(argv)
    with nullcontext() if options.no_save or options.verbose else open_outcomes(UNFINISHED) as stored:
        outcomes, deaths = run(options.seed, options.count, options.jobs, options.minutes, stored)
    rows = [summary(kind, [o for o in outcomes if o.kind == kind]) for kind in KINDS]
    rows = [row for row in rows if row["count"]] + [summary("all", outcomes)]
    title = f"{len(outcomes)} problems from seed {options.seed}"
    publish(options, "crosscheck", rows, title, _notes(options, outcomes) + deaths, saved=True)
    if len(outcomes) == options.count and not options.no_save:
        UNFINISHED.unlink(missing_ok=True)
        save("crosscheck", rows)
    return int(bool(_failed(outcomes) or deaths))


def _notes(options: argparse.Namespace, outcomes: Sequence[Outcome]) -> list[str]:
    """Every finding with its seed, and what else was asked for."""
    notes = []
    for outcome in outcomes:
        notes += [f"{outcome.seed}: {answer}" for answer in outcome.answers] if options.verbose else []
        notes += _findings([outcome])
    for seed in _failed(outcomes) if options.shrink else ():
        notes += smallest_failures(draw_case(seed))
    left = options.count - len(outcomes)
    return [*notes, f"{left} problems are left: the same command goes on, unless --no-save"] if left else notes


def _failed(outcomes: Sequence[Outcome]) -> list[int]:
    return [o.seed for o in outcomes if any(finding.sort in FAILURES for finding in o.findings)]


def _parser() -> argparse.ArgumentParser:
    parser = new_parser(__doc__)
    parser.add_argument("--count", type=int, default=300, help="number of problems")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first problem; the next has the next seed")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="stop after this many minutes")
    parser.add_argument("--verbose", action="store_true", help="print every question and answer")
    parser.add_argument("--shrink", action="store_true", help="print code of the smallest problem for each failure")
    return parser
