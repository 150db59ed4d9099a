"""The recourse of many scenarios in little room: entries that are not zero, as compressed text."""

from __future__ import annotations

import base64
import json
import math
import zlib
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from neurprise.clock import Deadline
from neurprise.recourse.plan import Plan
from neurprise.report.page.content import ScenarioCosts, number

#: Plans take up to so many characters of a page, and so many seconds; the scenarios that matter most come first.
MAX_CHARACTERS = 100_000
MAX_SECONDS = 10.0

_BASE64_GROWTH = 4 / 3
#: Scenarios between two looks at how much room is taken.
_BLOCK = 16


@dataclass(frozen=True)
class PackedPlans:
    """
    Plans as the page stores them.

    Parameters
    ----------
    packed
        Base64 of deflated lines of JSON, one a scenario: its place in the page's list, then pairs of a recourse
        variable's number and its value.
    count
        How many scenarios that is.
    """

    packed: str
    count: int


def packed_plans(plan: Plan, scenarios: ScenarioCosts, kept: Iterable[int]) -> PackedPlans:
    """The plans of as many scenarios as there is room for: those kept, then the others from the worst on."""
    deadline, press, parts, size, count = Deadline(MAX_SECONDS), zlib.compressobj(9, wbits=-15), list[bytes](), 0, 0
    for place in _by_importance(scenarios, kept):
        if size * _BASE64_GROWTH > MAX_CHARACTERS or (deadline.passed and count > 0):
            break
        if math.isfinite(scenarios.costs[place]):
            parts.append(press.compress(_line(plan, scenarios.numbers[place], place)))
            count += 1
            if count % _BLOCK == 0:
                parts.append(press.flush(zlib.Z_SYNC_FLUSH))
                size = sum(map(len, parts))
    parts.append(press.flush())
    return PackedPlans(base64.b64encode(b"".join(parts)).decode(), count)


def _by_importance(scenarios: ScenarioCosts, kept: Iterable[int]) -> list[int]:
    """Places in the page's list: the worst scenario, those kept, the others from the worst on."""
    place = {s: k for k, s in enumerate(scenarios.numbers)}
    return list(dict.fromkeys([scenarios.order[0], *(place[s] for s in kept if s in place), *scenarios.order]))


def _line(plan: Plan, scenario: int, place: int) -> bytes:
    y = plan.recourse_vector(scenario)
    entries = [part for i in np.flatnonzero(y).tolist() for part in (i, number(float(y[i])))]
    return (json.dumps([place, *entries], separators=(",", ":")) + "\n").encode()
