"""Every experiment end to end at smoke size, so that none can rot: run, resume, table, figure."""

from __future__ import annotations

import importlib.util
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from experiments.methods import METHODS
from experiments.methods.base import Method, Shrinkable, why_not
from experiments.methods.trained import Trained
from experiments.places import Places
from experiments.runner import run, stored_rows
from experiments.spec import Panel, Spec
from experiments.specs import all_specs
from experiments.views.figures import figure
from experiments.views.tables import table


def check(folder: Path | None = None) -> Iterator[tuple[str, int]]:
    """Name and rows of every experiment, as each is done; what does not work raises."""
    if folder is None:
        with tempfile.TemporaryDirectory() as made:
            yield from check(Path(made))
        return
    places, specs = Places.below(folder), all_specs()
    methods = {name: method.smaller() if isinstance(method, Shrinkable) else method for name, method in METHODS.items()}
    for spec in specs.values():
        yield spec.name, _checked(spec, places, methods)


def _checked(spec: Spec, places: Places, methods: dict[str, Method]) -> int:
    """How many rows it made; none where its methods cannot run here."""
    small = replace(spec, panels=tuple(_what_can_run(panel, methods) for panel in spec.smaller().panels))
    if not spec.rows_of:
        _, added = run(small, places, methods=methods)
        assert run(small, places, methods=methods) == (added, 0)
    rows = stored_rows(small, places.rows)
    assert not rows or "no rows yet" not in table(small, rows)
    if rows and spec.figure and importlib.util.find_spec("matplotlib"):
        assert "</svg>" in figure(small, rows)
    return len(rows)


def _what_can_run(panel: Panel, methods: dict[str, Method]) -> Panel:
    """Of the networks that must be trained one of a kind is enough; without PyTorch none is."""
    trained = [name for name in panel.methods if isinstance(methods[name], Trained)]
    kinds = {type(methods[name]): name for name in reversed(trained)} if importlib.util.find_spec("torch") else {}
    left_out = set(trained) - set(kinds.values())
    left_out |= {name for name in panel.methods if why_not(methods[name]) is not None}
    return replace(panel, methods=tuple(name for name in panel.methods if name not in left_out))
