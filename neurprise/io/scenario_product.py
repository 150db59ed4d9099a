"""Independent random parts and their product: every combination of their outcomes is a scenario, or a sample is."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np

from neurprise import arrays
from neurprise.arrays import PROBABILITY_TOLERANCE, Floats, Ints
from neurprise.errors import FormatError
from neurprise.io.staging import check_size

#: Scenarios that are built without being asked for more.
MAX_SCENARIOS = 100_000
_ROUNDS_OF_DRAWS = 20
_MOST_PARTS_IN_A_NAME = 10

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True)
class Outcome(Generic[Key]):
    """
    One value of a random part.

    Parameters
    ----------
    values
        What it sets.
    parent
        Outcome of the same part whose values hold where this one sets none; None for the core's values.
    """

    name: str
    probability: float
    values: dict[Key, float] = field(default_factory=dict)
    parent: int | None = None


@dataclass(frozen=True)
class Part(Generic[Key]):
    """One random part: it takes one of its outcomes, independently of the other parts."""

    name: str
    outcomes: list[Outcome[Key]] = field(default_factory=list)

    def touched(self) -> list[Key]:
        """Everything that some outcome sets, in order of appearance."""
        return list(dict.fromkeys(key for outcome in self.outcomes for key in outcome.values))

    def table(self, keys: Sequence[Key], base: Mapping[Key, float]) -> Floats:
        """Value of every key under every outcome, shape (outcomes, keys)."""
        column = {key: k for k, key in enumerate(keys)}
        table = np.tile(np.array([base[key] for key in keys], dtype=np.float64), (len(self.outcomes), 1))
        for row, outcome in enumerate(self.outcomes):
            if outcome.parent is not None:
                table[row] = table[outcome.parent]
            for key, value in outcome.values.items():
                table[row, column[key]] = value
        return table


@dataclass(frozen=True)
class Scenarios(Generic[Key]):
    """
    Parameters
    ----------
    keys
        What scenarios set, length k.
    values
        Shape (S, k).
    names, probabilities
        One per scenario.
    """

    keys: list[Key]
    values: Floats
    names: tuple[str, ...]
    probabilities: Floats


def combine(
    source: str,
    parts: Sequence[Part[Key]],
    base: Mapping[Key, float],
    *,
    sample: int | None = None,
    seed: int = 0,
    max_scenarios: int = MAX_SCENARIOS,
) -> Scenarios[Key]:
    """
    All combinations of the parts' outcomes, or up to `sample` distinct ones drawn by their probabilities.

    Parameters
    ----------
    source
        File name for messages.
    base
        Value of a key where no outcome sets it.
    """
    limit = arrays.whole_number("max_scenarios", max_scenarios, 1)
    wanted = None if sample is None else arrays.whole_number("sample", sample, 1, limit)
    total = math.prod(len(part.outcomes) for part in parts)
    if wanted is None and total > limit:
        raise FormatError(
            f"{source}: the independent parts combine to {_written(total)} scenarios, more than {limit}; draw some "
            "with sample=1000, seed=1 (on the command line --sample 1000 --seed 1) or raise max_scenarios."
        )
    num_scenarios = total if wanted is None else min(total, wanted)
    keys = [key for part in parts for key in part.touched()]
    largest = max([num_scenarios, *(len(part.outcomes) for part in parts)])
    check_size(source, largest, max(len(keys), len(parts)), "draw fewer scenarios with sample=1000, seed=1")
    for part in parts:
        _check_probabilities(source, part)
    if total == num_scenarios:
        choices, probabilities = _all_choices(parts, total)
    else:
        rng = np.random.default_rng(arrays.whole_number("seed", seed, 0))
        choices, probabilities = _draw(parts, num_scenarios, rng)
    return Scenarios(keys, _values(parts, base, choices), _names(parts, choices), probabilities)


def _all_choices(parts: Sequence[Part[Key]], total: int) -> tuple[Ints, Floats]:
    """Outcome number of every part in every combination, shape (S, parts); the last part varies fastest."""
    choices = np.empty((total, len(parts)), dtype=np.int64)
    rest = np.arange(total)
    for p in reversed(range(len(parts))):
        rest, choices[:, p] = np.divmod(rest, len(parts[p].outcomes))
    probabilities = np.ones(total)
    for p, part in enumerate(parts):
        probabilities *= np.array([outcome.probability for outcome in part.outcomes])[choices[:, p]]
    # Each part's sum may be rounded; over many parts that adds up.
    drifted = abs(probabilities.sum() - 1.0) > PROBABILITY_TOLERANCE
    return choices, probabilities / probabilities.sum() if drifted else probabilities


def _draw(parts: Sequence[Part[Key]], count: int, rng: np.random.Generator) -> tuple[Ints, Floats]:
    """`count` distinct combinations, in the order drawn, each with its share of all draws."""
    chances = [_normalised(part) for part in parts]
    seen: dict[bytes, int] = {}
    kept: list[Ints] = []
    for _ in range(_ROUNDS_OF_DRAWS):
        draws = np.column_stack([rng.choice(len(chance), size=count, p=chance) for chance in chances])
        for row in draws:
            key = row.tobytes()
            if key not in seen and len(kept) < count:
                kept.append(row)
                seen[key] = 0
            if key in seen:
                seen[key] += 1
        if len(kept) == count:
            break
    counts = np.array(list(seen.values()), dtype=np.float64)
    return np.array(kept), counts / counts.sum()


def _check_probabilities(source: str, part: Part[Key]) -> None:
    total = sum(outcome.probability for outcome in part.outcomes)
    if abs(total - 1.0) > PROBABILITY_TOLERANCE:
        raise FormatError(
            f"{source}: the probabilities of {part.name} must sum to one, got {total:.6g} for {len(part.outcomes)} "
            "outcomes; correct them."
        )


def _normalised(part: Part[Key]) -> Floats:
    chances = np.array([outcome.probability for outcome in part.outcomes])
    return np.asarray(chances / chances.sum())


def _values(parts: Sequence[Part[Key]], base: Mapping[Key, float], choices: Ints) -> Floats:
    blocks = []
    for p, part in enumerate(parts):
        blocks.append(part.table(part.touched(), base)[choices[:, p]])
    return np.hstack(blocks)


def _names(parts: Sequence[Part[Key]], choices: Ints) -> tuple[str, ...]:
    """The outcome's own name where one part varies, else outcome numbers such as '2-1-3', or a number."""
    moving = [p for p, part in enumerate(parts) if len(part.outcomes) > 1]
    if len(moving) <= 1:
        p = moving[0] if moving else 0
        return tuple(parts[p].outcomes[k].name for k in choices[:, p])
    if len(moving) > _MOST_PARTS_IN_A_NAME:
        return tuple(str(s) for s in range(1, len(choices) + 1))
    return tuple("-".join(map(str, row)) for row in (choices[:, moving] + 1).tolist())


def _written(total: int) -> str:
    """The number itself, or its order of magnitude: Python refuses to print very long integers."""
    return str(total) if total < 10**15 else f"about 10^{int(total.bit_length() * math.log10(2))}"
