"""Numbers that come with the names of scenarios."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from neurprise import arrays
from neurprise.arrays import Floats, as_pandas, has_labels
from neurprise.errors import InputError, near_miss
from neurprise.problem.alignment import by_label
from neurprise.problem.names import texts_of


def in_order_of_names(probabilities: Any, names: tuple[str, ...]) -> Floats:
    """Probabilities in the order of the scenarios; a dict or a Series goes by name."""
    table = as_pandas("probabilities", probabilities)
    if not isinstance(table, Mapping) and not (has_labels(table) and table.ndim == 1):
        return arrays.probabilities("probabilities", table, len(names))
    labelled = dict(table) if isinstance(table, Mapping) else by_label(table)
    given = dict(zip(texts_of(labelled), labelled.values(), strict=True))
    odd = sorted(set(given) ^ set(names))
    if odd:
        what = "got none for" if odd[0] in names else "got one for"
        hint = "" if odd[0] in names else f" ({near_miss(odd[0], names)})"
        raise InputError(f"probabilities must give every scenario a value, {what} {odd[0]!r}{hint}.")
    return arrays.probabilities("probabilities", [given[name] for name in names], len(names))
