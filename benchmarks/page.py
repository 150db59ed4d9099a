"""
How large the page of an answer is and how soon it can be used, in headless Chromium.

    python -m benchmarks.page [--scenarios 1000 10000]

kilobytes: the file. written_s: seconds to evaluate every scenario, compute plans and write it. ready_s: seconds from
opening the file until everything is drawn, listed and reacts. sorted_s: seconds to sort the whole table by name, as
the page itself sees it.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import neurprise as nr
from benchmarks.record import new_parser, publish, whole_table
from docs.chromium import chromium

_SORT = """() => { const start = performance.now();
document.querySelector("#scenario-table th button").click();
return (performance.now() - start) / 1000; }"""


def measured(browser: Any, name: str, problem: nr.TwoStageProblem, path: Path) -> dict[str, Any]:
    """One page: written, opened, sorted."""
    report = nr.solve(problem, "maxsum", 3)
    comparison = nr.compare(problem, {"this decision": report}, mean=True)
    start = time.perf_counter()
    report.to_html(path, comparison=comparison)
    written = time.perf_counter() - start
    page = browser.new_page()
    start = time.perf_counter()
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-ready]")
    ready = time.perf_counter() - start
    row = {"written_s": written, "ready_s": ready, "sorted_s": page.evaluate(_SORT)}
    page.close()
    return {"instance": name, "kilobytes": path.stat().st_size / 1000, **row}


def main(argv: list[str] | None = None) -> None:
    parser = new_parser(__doc__)
    parser.add_argument("--scenarios", type=int, nargs="+", default=[1000, 10_000])
    options = parser.parse_args(argv)
    rows = []
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        browser.new_page().close()  # its first page starts processes
        for count in options.scenarios:
            instances = {
                f"SEL-20-{count}": nr.make_selection(20, count, seed=1),
                f"VC-20-{count}": nr.make_vertex_cover(20, count, seed=1),
                f"CFLP-30-30-{count}": nr.make_facility_location(30, 30, count, seed=1),
            }
            rows += [measured(browser, name, made, Path(folder) / "page.html") for name, made in instances.items()]
    publish(options, "page", rows, [whole_table("pages in headless Chromium", rows)])


if __name__ == "__main__":
    main()
