"""
Photographs the page of one instance of every family and of one SMPS file, for docs/page.md.

    python -m docs.screenshots [--output docs/screenshots] [--all]      # --all: light and dark, 900 and 400 pixels wide
"""

from __future__ import annotations

import argparse
import io
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import neurprise as nr
from docs.check import ROOT
from docs.chromium import chromium

FOLDER = ROOT / "docs" / "screenshots"


def items() -> nr.TwoStageProblem:
    return nr.make_selection(num_items=20, num_scenarios=200, seed=4)


def links() -> nr.TwoStageProblem:
    return nr.make_vertex_cover(num_nodes=20, num_scenarios=50, seed=7)


def depots() -> nr.TwoStageProblem:
    """Depots and customers on a plane; shipping costs what the way is long."""
    rng = np.random.default_rng(5)
    sites, customers = rng.uniform(0, 100, (10, 2)), rng.uniform(0, 100, (25, 2))
    ways = np.linalg.norm(sites[:, None] - customers[None], axis=2).round(1)
    demands = rng.integers(10, 60, (40, 25))
    problem = nr.FacilityLocation(
        rng.integers(2000, 5000, 10), np.full(10, 5.0), np.full(10, 400.0), ways, demands,
        site_coordinates=sites, customer_coordinates=customers,
    )  # fmt: skip
    return problem.with_labels(scenario_names=[f"week {s + 1}" for s in range(40)])


def plants() -> nr.TwoStageProblem:
    """The unit commitment of the examples, with twelve days of wind."""
    from examples.unit_commitment import build_model, net_load

    return nr.from_linopy(build_model(net_load(12)), probabilities=np.full(12, 1 / 12))


def kiosk() -> nr.TwoStageProblem:
    """A maximisation."""
    return nr.read(ROOT / "examples" / "kiosk" / "plan.toml")


def brewery() -> nr.TwoStageProblem:
    return nr.read(ROOT / "examples" / "smps" / "brewery.cor")


#: Name of the picture -> the problem and how it is solved.
INSTANCES: dict[str, tuple[Callable[[], nr.TwoStageProblem], dict[str, Any]]] = {
    "selection": (items, {"reducer": "prise", "budget": 4}),
    "vertex-cover": (links, {"reducer": "prise", "budget": 4, "refine": True}),
    "facility-location": (depots, {}),
    "unit-commitment": (plants, {"gap": 1e-3}),
    "kiosk": (kiosk, {}),
    "smps": (brewery, {}),
}


#: Name's ending -> width in pixels and scheme; every instance is shown in the first view, one of them also in the last.
VIEWS = {"": (1000, "light"), "-dark": (900, "dark"), "-400": (400, "light"), "-dark-400": (400, "dark")}
#: The README shows the top of this page.
README_SHOWS, README_HEIGHT = "unit-commitment", 700
FIRST, LAST = "", "-dark-400"
SHOWN_TWICE = "vertex-cover"
#: Colours that a picture keeps, so that it stays small.
COLOURS = 128


def photograph(browser: Any, page: Path, picture: Path, width: int, scheme: str, height: int | None = None) -> None:
    """The whole page, or its top; tables are cut to a few rows so that everything fits."""
    context = browser.new_context(offline=True, color_scheme=scheme, viewport={"width": width, "height": height or 800})
    opened = context.new_page()
    opened.goto(page.as_uri())
    opened.wait_for_selector("html[data-ready]")
    opened.add_style_tag(content="tbody tr:nth-child(n+7) { display: none; } svg.picture { max-width: 30rem; }")
    taken = Image.open(io.BytesIO(opened.screenshot(full_page=height is None))).convert("RGB")
    taken.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(picture, optimize=True)
    context.close()


def main(argv: list[str] | None = None) -> int:
    """Solve, write pages, photograph them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=FOLDER)
    parser.add_argument("--all", action="store_true", help="every instance in every view")
    options = parser.parse_args(argv)
    options.output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        for name, (make, arguments) in INSTANCES.items():
            problem = make()
            report = nr.solve(problem, **arguments)
            page = Path(folder) / f"{name}.html"
            report.to_html(page, comparison=nr.compare(problem, {"this decision": report}, mean=True))
            for ending in VIEWS if options.all else (FIRST, LAST) if name == SHOWN_TWICE else (FIRST,):
                picture = options.output / f"{name}{ending}.png"
                photograph(browser, page, picture, *VIEWS[ending])
                print(f"{picture.name}: {picture.stat().st_size / 1000:.0f} kB")
            if name == README_SHOWS:
                photograph(browser, page, options.output / "readme.png", *VIEWS[FIRST], README_HEIGHT)
    return 0


if __name__ == "__main__":
    sys.exit(main())
