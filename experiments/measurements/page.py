"""How large the page of an answer is and how soon it can be used, in headless Chromium."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import neurprise as nr
from docs import chromium
from experiments.instances.sets import InstanceSet
from experiments.methods.base import GAP, Method, Task
from experiments.outcomes import Outcome
from experiments.spec import Panel, Spec

_SORT = """() => { const start = performance.now();
document.querySelector("#scenario-table th button").click();
return (performance.now() - start) / 1000; }"""


@dataclass(frozen=True)
class Opening:
    """
    A page written, opened until everything is drawn, listed and reacts, and its whole table sorted.

    Seconds are those of writing: every scenario is evaluated, and plans are computed.
    """

    title: str = "page"
    gap: float = GAP
    takes_budget = False

    def missing(self) -> str | None:
        return chromium.missing()

    def outcomes(self, task: Task) -> Iterator[Outcome]:
        report = nr.solve(task.problem, "maxsum", 3)
        comparison = nr.compare(task.problem, {"this decision": report}, mean=True)
        with tempfile.TemporaryDirectory() as folder, chromium.chromium() as browser:
            path, start = Path(folder) / "page.html", time.perf_counter()
            report.to_html(path, comparison=comparison)
            written, size = time.perf_counter() - start, path.stat().st_size
            browser.new_page().close()  # its first page starts processes
            page, start = browser.new_page(), time.perf_counter()
            page.goto(path.as_uri())
            page.wait_for_selector("html[data-ready]")
            ready, by_name = time.perf_counter() - start, page.evaluate(_SORT)
        yield Outcome.timed(written, measured={"kB": size / 1000, "ready s": ready, "sorted s": by_name})


METHODS: dict[str, Method] = {"page": Opening()}
PAGE = Spec(
    "page",
    "Size and speed of the page of an answer, in headless Chromium",
    tuple(
        Panel(InstanceSet(f"{name}-{many}", family, size, many, exact_seconds=None), 1, ("page",), ())
        for many in (1000, 10_000)
        for name, family, size in (
            ("SEL-20", "selection", (20,)),
            ("VC-20", "vertex-cover", (20,)),
            ("CFLP-30-30", "facility-location", (30, 30)),
        )
    ),
    view="speed",
    note="Wall-clock seconds to write the page, until it is drawn and reacts, and to sort its table.",
)
SPECS = (PAGE,)
