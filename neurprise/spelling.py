"""Near misses: what somebody probably meant who wrote a name that is not known."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from itertools import islice

_SHOWN = 5
_COMPARED = 20_000


def near_miss(name: str, known: Iterable[str]) -> str:
    """What to say after an unknown name: the closest known one, or what is known."""
    close = _closest(name, known)
    return f"did you mean {close!r}?" if close is not None else f"known are {listed(known)}"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A question in brackets where one of the known names is close; else nothing."""
    close = _closest(name, known)
    return f" (did you mean {close!r}?)" if close is not None else ""


def listed(names: Iterable[str]) -> str:
    """The first few names in quotes, and how many there are when that is not all."""
    everything = list(names)
    shown = ", ".join(map(repr, islice(everything, _SHOWN)))
    return shown if len(everything) <= _SHOWN else f"{shown}, ... ({len(everything)} in all)"


def _closest(name: str, known: Iterable[str]) -> str | None:
    folded = {text.casefold(): text for text in reversed(list(islice(known, _COMPARED)))}
    close = difflib.get_close_matches(name.strip().casefold(), folded, n=1)
    return folded[close[0]] if close else None
