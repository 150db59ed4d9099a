"""A first-stage decision in JSON: a list of numbers, an object with such a list "x", or one of names and numbers."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

from neurprise.errors import FormatError

Decision = list[float] | dict[str, float]


def parse_solution(name: str, raw: bytes) -> Decision:
    """
    The decision that a JSON text states.

    Parameters
    ----------
    name
        Of the file, for messages.
    raw
        Its bytes; UTF-8, or UTF-16 and UTF-32 as some shells redirect output.
    """
    x = _decision_in(_json(name, raw))
    if not isinstance(x, list | dict):
        came = "no decision" if x is None else type(x).__name__
        raise FormatError(
            'a solution must be a list of numbers, an object with such a list "x" or an object of names and numbers, '
            f"got {came} in {name!r}."
        )
    for key, value in enumerate(x) if isinstance(x, list) else x.items():
        if not isinstance(value, float) or not math.isfinite(value):
            where = f"for {key!r}" if isinstance(x, dict) else f"at position {key}"
            raise FormatError(
                f"a solution must hold finite numbers without quotes, got {_shown(value)} {where} in {name!r}."
            )
    return x


def _decision_in(data: Any) -> Any:
    """A report's decision by name, else its x; anything else is the decision itself, an empty object none at all."""
    if not isinstance(data, dict):
        return data
    reported = [data[key] for key in ("decision", "x") if isinstance(data.get(key, 0), list | dict | None)]
    return reported[0] if reported else data or None


def _json(name: str, raw: bytes) -> Any:
    """The text's value with every number as a float: whole numbers of any length are read in linear time."""
    try:
        return json.loads(raw, parse_int=float, parse_constant=_refuse)
    except RecursionError:
        problem = "its brackets are nested too deeply"
    except UnicodeDecodeError:
        problem = "its bytes are not text"
    except ValueError as error:
        problem = str(error)
    raise FormatError(f"a solution file must hold JSON, but {name!r} does not ({problem}).")


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON number")


def _shown(value: Any) -> str:
    if isinstance(value, (list, dict)):
        return "a list" if isinstance(value, list) else "an object"
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
