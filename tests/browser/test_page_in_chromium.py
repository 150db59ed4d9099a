"""What a planner does with the page: read, sort, filter, click, download, print; by mouse and by keyboard."""

from __future__ import annotations

import csv
import io
import re

import numpy as np
import pytest

import neurprise as nr
from tests.instances import exactly_two_of_four

EVIL = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def cover():
    problem = nr.make_vertex_cover(12, 40, seed=3)
    return problem, nr.solve(problem, "prise", 3)


@pytest.fixture(scope="module")
def cover_page(cover, tmp_path_factory):
    problem, report = cover
    path = tmp_path_factory.mktemp("pages") / "cover.html"
    decisions = {"this decision": report, "none yet": np.zeros(12)}
    report.to_html(path, comparison=nr.compare(problem, decisions, mean=True))
    return path


class FirstOnly:
    """Keeps the first scenario."""

    name = "first-only"

    def reduce(self, problem, budget, seed=0):
        return nr.reducers.Reduction((0,))


def column(page, table, k):
    """The texts of one column, as far as the table shows them."""
    return page.locator(f"#{table} tbody td:nth-child({k})").all_inner_texts()


def plan_shown(page):
    """Name -> value in the table of the plan."""
    return dict(zip(column(page, "plan-table", 1), column(page, "plan-table", 2), strict=True))


def test_the_headline_says_what_is_proved(opened, cover, cover_page):
    """The worst case and the bound, in the first sentence."""
    page, (_, report) = opened(cover_page), cover
    headline = page.locator(".verdict").inner_text()
    assert f"never costs more than {report.worst_case:.0f}" in headline
    assert f"{report.lower_bound:.0f}" in headline


def test_kept_scenarios_are_marked(opened, cover, cover_page):
    """In the table by the place of their choice, in the chart by dots of their colour."""
    page, (_, report) = opened(cover_page), cover
    page.locator("#scenario-table th button", has_text="chosen as").click()
    page.locator("#scenario-table th button", has_text="chosen as").click()
    chosen = [place for place in column(page, "scenario-table", 3) if place]
    assert chosen == [str(k + 1) for k in range(len(report.scenarios))]
    assert column(page, "scenario-table", 1)[: len(chosen)] == [report.scenario_name(s) for s in report.scenarios]
    marked = page.evaluate(
        """() => { const canvas = document.querySelector("#costs-plot canvas");
        const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
        let count = 0;
        for (let k = 0; k < pixels.length; k += 4) {
          count += pixels[k] === 217 && pixels[k + 1] === 119 && pixels[k + 2] === 6;
        }
        return count; }"""
    )
    assert marked > 30 * len(report.scenarios)


def test_without_scripts_the_same_is_there_as_a_drawing(opened, cover, cover_page):
    """One dot for every scenario and a mark for those kept, a table, and the plan of the worst one."""
    page, (problem, report) = opened(cover_page, java_script_enabled=False), cover
    assert page.locator("#costs svg .cost circle").count() == problem.num_scenarios
    assert page.locator("#costs svg .kept circle").count() == len(report.scenarios)
    assert page.locator("#proof svg").is_visible()
    assert not page.locator("#costs-plot").is_visible()


def test_tables_sort_filter_and_turn_pages(opened, cover, cover_page):
    """By cost both ways, by part of a name, 25 rows at a time."""
    page, (problem, report) = opened(cover_page), cover
    costs = nr.evaluate(problem, report.x).total_costs
    head = page.locator("#scenario-table th", has=page.get_by_role("button", name="cost", exact=True))
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    assert column(page, "scenario-table", 2)[0] == f"{costs.max():.0f}"
    head.get_by_role("button").click()
    assert column(page, "scenario-table", 2)[0] == f"{costs.min():.0f}"
    page.locator("#scenario-table").get_by_label("next page").click()
    assert len(column(page, "scenario-table", 1)) == problem.num_scenarios - 25
    page.locator("#scenario-table input").fill("17")
    assert column(page, "scenario-table", 1) == ["17"]


def test_a_table_is_downloaded_as_csv(opened, cover, cover_page):
    """Every row, with the numbers of the report."""
    page, (problem, report) = opened(cover_page, accept_downloads=True), cover
    rows = downloaded(page, "scenario-table")
    costs = {row["scenario"]: float(row["cost"]) for row in rows}
    assert costs == {str(s): cost for s, cost in enumerate(nr.evaluate(problem, report.x).total_costs)}
    assert "none yet" in rows[0]


def test_small_tables_sort_and_are_downloaded_too(opened, cover, cover_page):
    """The comparison, the gain of each scenario, and the search step by step."""
    page, (problem, report) = opened(cover_page, accept_downloads=True), cover
    page.locator("summary", has_text="step by step").click()
    compared = {row["decision"]: row for row in downloaded(page, "comparison-table")}
    none_yet = nr.evaluate(problem, np.zeros(12))
    assert float(compared["none yet"]["worst case"]) == none_yet.worst_case
    assert compared["none yet"]["worst in"] == str(none_yet.worst_scenario)
    page.locator("#comparison-table").get_by_role("button", name="worst case").click()
    shown = [float(text.replace(",", "")) for text in column(page, "comparison-table", 2)]
    assert shown == sorted((float(row["worst case"]) for row in compared.values()), reverse=True)
    assert page.locator("#comparison-table td.best").count() == 1
    gains = downloaded(page, "chosen-table")
    assert [(row["scenario"], float(row["gain"])) for row in gains] == [
        (report.scenario_name(s), gain) for s, gain in zip(report.scenarios, report.gains, strict=True)
    ]
    assert page.locator("#chosen-table .bar").count() == len(gains)
    steps = downloaded(page, "steps-table")
    assert [int(row["scenarios"]) for row in steps] == [step.num_scenarios for step in report.iterations]


def downloaded(page, table):
    """The rows of the CSV file that a table offers."""
    with page.expect_download() as download:
        page.locator(f"#{table}").get_by_label("download as CSV").click()
    return list(csv.DictReader(io.StringIO(download.value.path().read_text(encoding="utf-8"))))


def test_a_click_shows_the_plan_of_a_scenario(opened, cover, cover_page):
    """By name, as the report gives it; the picture follows."""
    page, (problem, report) = opened(cover_page), cover
    page.locator("#scenario-table input").fill("5")
    page.locator("#scenario-table td button", has_text=re.compile("^5$")).click()
    plan = {name: f"{value:.0f}" for name, value in report.recourse(5).items() if value}
    assert page.locator("#plan-scenario").inner_text() == "5"
    assert plan_shown(page) == plan
    added = sum(report.recourse(5).values()) - report.x.sum()
    assert page.locator("svg.picture g.now").count() == report.x.sum()
    assert page.locator("svg.picture g.later").count() == added
    assert page.locator("svg.picture line").count() == len(problem.edges)


def test_a_click_in_the_chart_leads_to_what_is_done(opened, cover_page):
    """The heading of the scenario's recourse comes into view, wherever the reader is."""
    page = opened(cover_page, reduced_motion="reduce")
    page.wait_for_selector("html[data-ready]")
    before = page.locator("#plan-scenario").inner_text()
    over = page.locator("#costs-plot .u-over")
    over.scroll_into_view_if_needed()
    box = over.bounding_box()
    page.mouse.click(box["x"] + 0.8 * box["width"], box["y"] + 40)
    assert page.locator("#plan-scenario").inner_text() != before
    assert 0 <= page.locator("#plan-title").bounding_box()["y"] <= 400
    page.locator("#scenario-table td button").first.click()
    assert page.locator("#plan-scenario").inner_text() == before
    assert 0 <= page.locator("#plan-title").bounding_box()["y"] <= 400


def test_the_legend_reads_without_hovering(opened, cover_page):
    """Each line has its own colour; a line that flattens the chart is drawn after a click only."""
    page = opened(cover_page)
    page.wait_for_selector("html[data-ready]")
    key = page.locator("#costs-keys .key")
    names = key.all_inner_texts()
    assert names[:4] == ["this decision", "scenarios kept", "worst case", "lower bound"]
    colours = [key.nth(k).evaluate("(node) => node.style.getPropertyValue('--key')") for k in range(len(names))]
    assert len(set(colours)) == len(names)
    toggle = page.locator("#costs-keys button", has_text="none yet")
    shown = toggle.get_attribute("aria-pressed")
    toggle.click()
    assert toggle.get_attribute("aria-pressed") == {"true": "false", "false": "true"}[shown]
    assert (
        page.locator("#costs-readout").inner_text().startswith(f"scenario {column(page, 'scenario-table', 1)[0]}: cost")
    )


def test_a_telephone_breaks_no_date_and_cuts_no_heading(opened, tmp_path):
    """Dates stay on one line; each heading of the tables is as wide as its words, and inside the screen."""
    problem = nr.make_selection(5, 12, seed=2).with_labels(scenario_names=[f"2026-07-{d + 10}" for d in range(12)])
    report = nr.solve(problem)
    comparison = nr.compare(problem, {"robust": report}, mean=True)
    report.to_html(tmp_path / "dates.html", comparison=comparison, regret=True)
    page = opened(tmp_path / "dates.html", viewport={"width": 400, "height": 800})
    page.wait_for_selector("html[data-ready]")
    heights = page.locator("#scenario-table td button").evaluate_all("(all) => all.map((node) => node.offsetHeight)")
    assert len(set(heights)) == 1
    assert page.locator("#plan-scenario").evaluate("(node) => node.getClientRects().length") == 1
    cut = page.locator("thead th").evaluate_all(
        "(all) => all.filter((node) => node.offsetParent && (node.scrollWidth > node.clientWidth + 1"
        " || node.getBoundingClientRect().right > innerWidth)).map((node) => node.textContent)"
    )
    assert cut == []


def test_everything_is_reached_by_keyboard(opened, cover_page):
    """Tab goes to the chart, where arrows choose a scenario, and on to filters, headers and names."""
    page = opened(cover_page)
    page.wait_for_selector("html[data-ready]")
    order = [page.locator("#scenario-table td button").nth(k).inner_text() for k in range(3)]
    seen = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        focused = page.evaluate("() => document.activeElement.id || document.activeElement.textContent.trim()")
        if focused == "costs-plot":
            page.keyboard.press("ArrowRight")
            assert page.locator("#plan-scenario").inner_text() == order[1]
        if focused == order[2]:
            page.keyboard.press("Enter")
            assert page.locator("#plan-scenario").inner_text() == order[2]
        seen.add(focused)
    assert {"costs-plot", "scenario", "cost", "CSV", *order} <= seen


def test_dark_is_dark_and_paper_is_white(opened, cover_page):
    """The scheme of the reader's system counts, and a print is black on white in either."""
    page = opened(cover_page, color_scheme="dark")
    background = "() => getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(background) == "rgb(18, 22, 28)"
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate(background) == "rgb(255, 255, 255)"
    assert not page.locator("#scenario-table .tools").is_visible()
    page.emulate_media(media="screen", color_scheme="light")
    assert page.evaluate(background) == "rgb(255, 255, 255)"


def test_long_and_hostile_names_stay_text_on_a_narrow_screen(opened, tmp_path):
    """Nothing runs, nothing is wider than a telephone."""
    problem = nr.make_selection(5, 30, seed=2)
    names = [f"{EVIL} {'long' * 20} {s}" for s in range(30)]
    report = nr.solve(problem.with_labels(scenario_names=names, x_names=[f"{EVIL}{'x' * 60}{i}" for i in range(5)]))
    report.to_html(tmp_path / "evil.html", title=EVIL)
    page = opened(tmp_path / "evil.html", viewport={"width": 400, "height": 800})
    assert page.locator("h1").inner_text() == EVIL
    assert page.locator("#scenario-table td button").first.inner_text().startswith(EVIL)
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 400


def test_a_map_shows_who_ships_to_whom(opened, tmp_path):
    """One line a shipment, for the scenario that is chosen."""
    rng = np.random.default_rng(0)
    sites, customers = rng.uniform(0, 100, (5, 2)), rng.uniform(0, 100, (8, 2))
    distances = np.linalg.norm(sites[:, None] - customers[None], axis=2)
    problem = nr.FacilityLocation(
        np.full(5, 300.0), np.full(5, 2.0), np.full(5, 400.0), distances, rng.integers(10, 60, (20, 8)),
        site_coordinates=sites, customer_coordinates=customers,
    )  # fmt: skip
    report = nr.solve(problem)
    report.to_html(tmp_path / "map.html")
    page = opened(tmp_path / "map.html")
    page.locator("#scenario-table td button", has_text=re.compile("^7$")).click()
    assert page.locator("svg.picture g.now").count() == report.x[:5].sum()
    assert page.locator("svg.picture line").count() == sum(value > 0 for value in report.recourse(7).values())
    assert page.locator("svg.picture g.fixed").count() == 8


def test_ten_thousand_scenarios_are_no_burden(opened, tmp_path):
    """All listed and drawn; `python -m experiments run page` says how long that takes."""
    problem = nr.make_selection(10, 10_000, seed=1)
    nr.solve(problem).to_html(tmp_path / "many.html")
    page = opened(tmp_path / "many.html")
    page.locator("#scenario-table input").fill("123")
    assert "of 20 found" in page.locator("#scenario-table .tools span").inner_text()


@pytest.mark.parametrize("case", ["no decision", "no problem", "no recourse"])
def test_a_page_with_less_to_say_works_too(opened, cover, tmp_path, case):
    """A search that found nothing, a report read from JSON, a decision that fails somewhere."""
    _, report = cover
    if case == "no decision":
        report = nr.solve(exactly_two_of_four(), time_limit=0)
    if case == "no problem":
        report = nr.Report.from_json(report.to_json())
    if case == "no recourse":
        short = nr.FacilityLocation([1.0], [1.0], [10.0], [[1.0]], [[5.0], [20.0]])
        report = nr.solve(short, FirstOnly(), 1)
    report.to_html(tmp_path / "page.html")
    page = opened(tmp_path / "page.html")
    assert page.locator("h2", has_text="Bounds over time").is_visible()
