"""Every experiment end to end at smoke size, so that none can rot: run, resume, table, figure."""

from __future__ import annotations

import importlib.util
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from neurprise.bench.figures import figure
from neurprise.bench.methods import METHODS
from neurprise.bench.methods.base import Method
from neurprise.bench.methods.reduced import Reduced
from neurprise.bench.methods.trained import Trained, TrainedScorer, TrainedSurrogate
from neurprise.bench.places import Places
from neurprise.bench.runner import run, stored_rows
from neurprise.bench.spec import Panel, Spec
from neurprise.bench.specs import SPECS
from neurprise.bench.tables import table


def check(folder: Path | None = None) -> Iterator[tuple[str, int]]:
    """Name and rows of every experiment, as each is done; what does not work raises."""
    if folder is None:
        with tempfile.TemporaryDirectory() as made:
            yield from check(Path(made))
        return
    places = Places.below(folder)
    methods = {name: _smaller(method) for name, method in METHODS.items()}
    for spec in SPECS.values():
        yield spec.name, _checked(spec, places, methods)


def _checked(spec: Spec, places: Places, methods: dict[str, Method]) -> int:
    small = replace(spec, panels=tuple(_few_networks(panel, methods) for panel in spec.smaller().panels))
    if not spec.rows_of:
        _, added = run(small, places, methods=methods)
        assert run(small, places, methods=methods) == (added, 0)
    rows = stored_rows(small, places.rows)
    assert "no rows yet" not in table(small, rows)
    if spec.figure and importlib.util.find_spec("matplotlib"):
        assert "</svg>" in figure(small, rows)
    return len(rows)


def _few_networks(panel: Panel, methods: dict[str, Method]) -> Panel:
    """Of the networks that must be trained one of a kind is enough; without PyTorch none is."""
    trained = [name for name in panel.methods if isinstance(methods[name], Trained)]
    kinds = {type(methods[name]): name for name in reversed(trained)} if importlib.util.find_spec("torch") else {}
    return replace(panel, methods=tuple(n for n in panel.methods if n not in trained or n in kinds.values()))


def _smaller(method: Method) -> Method:
    if isinstance(method, TrainedScorer | TrainedSurrogate) and method.recipe is not None:
        return replace(method, recipe=method.recipe.smaller())
    if isinstance(method, Reduced) and method.checkpoint is not None:
        return replace(method, checkpoint=None)  # the paper's networks are in checkouts only
    return method
