"""What the model should say about each scenario of a labelled instance."""

from __future__ import annotations

import numpy as np

from neurprise.errors import InputError
from neurprise.learn.graphs import Singles
from neurprise.learn.labels import Label

TARGETS = ("prise", "critical")


def target_gains(label: Label, num_scenarios: int, kind: str) -> Singles:
    """
    One number per scenario, shape (S,), zero for those that no trace chose.

    "prise" is the paper's target: the gain of each scenario in the PRISE trace. "critical" counts the traces, PRISE's
    and the exact search's, that hold the scenario: gains say little about it, because the first one is V itself and
    drowns the others, and PRISE stops where no single scenario raises V although some pair may.
    """
    gains = np.zeros(num_scenarios, dtype=np.float32)
    if kind == "prise":
        gains[list(label.indices)] = label.gains
        return gains
    if kind != "critical":
        raise InputError(f"targets must be one of {', '.join(TARGETS)}, got {kind!r}.")
    if label.ccg is None:
        raise InputError("targets 'critical' need the traces of the exact search; label with exact=True.")
    for trace in (label.indices, label.ccg):
        gains[list(trace)] += 1.0
    return gains
