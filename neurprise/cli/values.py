"""What options may be: each function reads one word and refuses it with the rule, the word and the remedy."""

from __future__ import annotations

import math
from argparse import ArgumentTypeError
from collections.abc import Callable, Sequence

from neurprise.errors import did_you_mean


def whole_number(lowest: int) -> Callable[[str], int]:
    """A whole number from `lowest` on."""

    def read(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = lowest - 1
        if value < lowest:
            raise ArgumentTypeError(f"must be a whole number at least {lowest}, got {text!r}")
        return value

    return read


def seconds(text: str) -> float:
    """A duration; inf means no limit."""
    value = _number(text)
    if not value >= 0:
        raise ArgumentTypeError(f"must be seconds, zero or positive, without a unit, got {text!r}")
    return value


def relative_gap(text: str) -> float:
    """A share from 0 to 1; people who write 5 mean five percent."""
    value = _number(text.removesuffix("%"))
    if text.endswith("%") or value >= 1:
        percent = f"; write {value:g} % as {value / 100:g}" if math.isfinite(value) else ""
        raise ArgumentTypeError(f"must be a share below 1, got {text!r}{percent}")
    if not value >= 0:
        raise ArgumentTypeError(f"must be zero or positive and below 1, such as 0.01 for one percent, got {text!r}")
    return value


def one_of(known: Sequence[str], spelled: Callable[[str], str] = str) -> Callable[[str], str]:
    """One of these names, after `spelled` has removed what does not matter; `known` of the result lists them."""

    def read(text: str) -> str:
        name = spelled(text)
        if name not in known:
            raise ArgumentTypeError(unknown_name(text, known))
        return name

    read.known = known  # type: ignore[attr-defined]  # for completion in shells
    return read


def unknown_name(text: str, known: Sequence[str]) -> str:
    """What to say of a word that must be one of those known."""
    return f"must be one of {', '.join(known)}, got {text!r}{did_you_mean(text, known)}"


def _number(text: str) -> float:
    """The number that a text spells; nan for any other text."""
    try:
        return float(text)
    except ValueError:
        return math.nan
