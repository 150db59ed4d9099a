"""Names of variables, rows and scenarios: texts at the door, defaults where none came."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import Any

import numpy as np

from neurprise.errors import InputError, counted, near_miss

#: What each list of names is about, in words of messages.
WORDS = {
    "x": "first-stage variables",
    "y": "recourse variables",
    "x_row": "first-stage rows",
    "y_row": "recourse rows",
    "scenario": "scenarios",
}

#: Rows that people put under their tables; no scenario, as a rule. In the languages of most spreadsheets.
_SUMS = {
    "sum", "sums", "total", "totals", "grandtotal", "subtotal", "overall", "summe", "gesamt", "gesamtsumme",
    "gesamtergebnis", "insgesamt", "somme", "totaux", "totalgénéral", "suma", "sumatotal", "somma", "totale",
    "soma", "totaal", "totalt", "razem", "ogółem", "celkem", "toplam", "итого", "всего", "合計", "合计", "总计",
}  # fmt: skip

_TIME = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?")
_MIDNIGHT = re.compile(r"\d{4}-\d\d-\d\d[ T]00:00(:00(\.0+)?)?")
# Line breaks and other control characters would break tables and terminals; halves of surrogates cannot be written.
_REFUSED_CATEGORIES = ("Cc", "Cs", "Zl", "Zp")


def texts_of(labels: Iterable[Any]) -> tuple[str, ...]:
    """
    Labels as texts, blanks around them dropped.

    A list of days (no time of day in it) reads 2024-03-01; the parts of a tuple are joined by commas; a missing
    label is empty.
    """
    listed = [_plain(label) for label in labels]
    lengths = {len(label) if isinstance(label, tuple) else 0 for label in listed}
    if len(lengths) == 1 and 0 not in lengths:
        return tuple(map(",".join, zip(*map(texts_of, zip(*listed, strict=True)), strict=True)))
    times = [label for label in listed if isinstance(label, datetime)]
    only_days = all(moment == moment and moment.time() == datetime.min.time() for moment in times)
    return tuple(_text(label, only_days) for label in listed)


def without_midnight(labels: Iterable[Any]) -> list[Any]:
    """Days instead of midnights where all times of day among texts are midnight; other labels as they are."""
    listed = list(labels)
    times = {label for label in listed if isinstance(label, str) and _TIME.fullmatch(label)}
    if not all(map(_MIDNIGHT.fullmatch, times)):
        return listed
    return [label[:10] if isinstance(label, str) and label in times else label for label in listed]


def listed_texts(argument: str, names: Any) -> tuple[str, ...]:
    """A list of names as texts; a single text is not a list of its letters."""
    if isinstance(names, (str, bytes)) or not isinstance(names, Iterable):
        raise InputError(f"{argument} must be a list of names, got {names!r}; put them into a tuple.")
    return texts_of(names)


def checked_names(argument: str, names: Any, part: str, count: int) -> tuple[str, ...]:
    """
    `names` as a tuple of distinct texts, one for each of `count` parts; no names stay no names.

    Parameters
    ----------
    argument
        What the caller calls the list, for messages.
    part
        A key of WORDS.
    """
    texts = listed_texts(argument, names)
    if texts and len(texts) != count:
        raise InputError(
            f"{argument} must name the {WORDS[part]}, {count} in all, or none, got {counted(len(texts), 'name')}."
        )
    for position, text in enumerate(texts):
        _check_text(argument, text, position)
    if len(set(texts)) != len(texts):
        raise InputError(f"the names of {WORDS[part]} must differ, but {_repeated(texts)}; rename one in {argument}.")
    return texts


def position_of(what: str, key: Any, names: Sequence[str]) -> int:
    """
    The position that a name, a label that became one (see `texts_of`), or a number counted from 0 stands for.

    Parameters
    ----------
    what
        What is looked for, in the singular, for messages.
    """
    spellings = _spellings(key)
    for name in spellings:
        if name in names:
            return names.index(name)
    if isinstance(key, (int, np.integer)) and not isinstance(key, bool) and 0 <= key < len(names):
        return int(key)
    if spellings:
        raise InputError(f"{what} must be a known name, got {key!r} ({near_miss(spellings[0], names)}).")
    raise InputError(f"{what} must be a name or a number below {len(names)}, got {key!r}.")


def looks_like_sum(name: str) -> bool:
    """Whether a row of this name is probably a sum of others, such as Total, "Summe:" or a sigma."""
    letters = "".join(sign for sign in name.casefold() if sign.isalpha())
    return letters in _SUMS or name.strip() in ("∑", "Σ")


def _spellings(key: Any) -> tuple[str, ...]:
    """How a key may be written as a name; a day among moments carries its time of day, midnight. None for numbers."""
    if isinstance(key, str):
        return (key.strip(), *([key.strip()[:10]] if _MIDNIGHT.fullmatch(key.strip()) else []))
    key = _plain(key)
    return (*texts_of([key]), str(key)) if isinstance(key, (date, tuple)) else ()


def _plain(label: Any) -> Any:
    """A moment of numpy as Python's; everything else as it is."""
    return label.astype("datetime64[us]").item() if isinstance(label, np.datetime64) else label


def _text(label: Any, only_days: bool) -> str:
    if label is None:
        return ""
    if isinstance(label, tuple):
        return ",".join(_text(part, only_days) for part in label)
    if isinstance(label, datetime) and only_days:
        return label.date().isoformat()
    return str(label).strip()


def _check_text(argument: str, text: str, position: int) -> None:
    if not text:
        raise InputError(f"{argument} must not have empty names, but position {position} is empty; fill it.")
    if not text.isprintable() and any(unicodedata.category(c) in _REFUSED_CATEGORIES for c in text):
        raise InputError(
            f"{argument} must be printable texts of one line, got {text!r} at position {position}; remove line breaks "
            "and control characters."
        )


def _repeated(texts: Sequence[str]) -> str:
    first: dict[str, int] = {}
    pairs = [(text, first.setdefault(text, k), k) for k, text in enumerate(texts)]
    text, one, other = next((text, one, k) for text, one, k in pairs if one != k)
    return f"{text!r} is at positions {one} and {other}"
