"""The tiles of the page: each number of the answer, and what it means."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from neurprise.errors import counted, part_of
from neurprise.report import text
from neurprise.report.page.content import ScenarioCosts

if TYPE_CHECKING:
    from neurprise.report.report import Report


@dataclass(frozen=True)
class Tile:
    """
    One number of the answer.

    Parameters
    ----------
    name, value, detail
        What is read at a glance.
    meaning
        Its definition, in a sentence or two.
    """

    name: str
    value: str
    detail: str
    meaning: str


def tiles(report: Report, scenarios: ScenarioCosts | None) -> str:
    """All tiles, and below them their meanings."""
    listed = [
        _value(report, scenarios),
        _bound(report),
        _gap(report),
        *_other_worst_case(report),
        *_expected(report),
        _kept(report),
        _status(report),
        *_second_engine(report),
    ]
    cards = "".join(
        f"<div><dt>{escape(tile.name)}</dt><dd>{escape(tile.value)}<small>{escape(tile.detail)}</small></dd></div>"
        for tile in listed
    )
    meanings = "".join(f"<dt>{escape(tile.name)}</dt><dd>{escape(tile.meaning)}</dd>" for tile in listed)
    return (
        f'<dl class="facts">{cards}</dl>\n'
        f'<details><summary>what the numbers mean</summary><dl class="meanings">{meanings}</dl></details>'
    )


def _value(report: Report, scenarios: ScenarioCosts | None) -> Tile:
    value = text.number(report.value) if math.isfinite(report.value) else "not known"
    name = text.words_of(report).worst
    if report.objective != text.WORST:
        meaning = f"What the decision attains by the objective {report.objective!r}, over all scenarios."
        return Tile(name, value, report.objective, meaning)
    return Tile(name, value, _where(report, scenarios), _worst_meaning(report))


def _worst_meaning(report: Report) -> str:
    extreme = "smallest profit" if report.maximize else "largest cost"
    return f"The {extreme} of the decision over all scenarios, its first stage included."


def _where(report: Report, scenarios: ScenarioCosts | None) -> str:
    """The worst scenario by name, and the number of others that are as bad."""
    if report.worst_scenario_name is None:
        return ""
    ties = 1 if scenarios is None or len(scenarios.numbers) < report.num_scenarios else scenarios.ties
    others = f" and {ties - 1:,} more" if ties > 1 else ""
    return f"in scenario {report.worst_scenario_name}{others}"


def _bound(report: Report) -> Tile:
    known = math.isfinite(report.lower_bound)
    words = text.words_of(report)
    better = "larger" if report.maximize and not report.is_regret else "smaller"
    name = "guarantee" if words.worst == "guaranteed" else words.worst
    meaning = f"Proved by the search: no decision at all has a {better} {name}."
    value = text.number(report.lower_bound) if known else "none proved"
    return Tile(words.bound, value, "proved" if known else "", meaning)


def _gap(report: Report) -> Tile:
    percent = f"{report.gap_percent:.3g} %" if math.isfinite(report.gap_percent) else "no percentage"
    known = math.isfinite(report.absolute_gap)
    worst, proved = text.words_of(report).worst, text.words_of(report).bound
    left, right = (proved, worst) if report.maximize and not report.is_regret else (worst, proved)
    meaning = (
        f"{left} - {right}, in percent 100 ({left} - {right}) / |{proved}|: the optimum lies between the two. "
        "If their signs differ, no percentage is proved."
    )
    detail = f"at most {text.absolute_gap(report)}" if known else ""
    return Tile("gap", percent if known else "not bounded", detail, meaning)


def _other_worst_case(report: Report) -> list[Tile]:
    return [Tile(name, words, "", _worst_meaning(report)) for name, words in text.other_rows(report).items()]


def _expected(report: Report) -> list[Tile]:
    if report.averages is None:
        return []
    mean, _, tail = str(report.averages).partition(", ")
    words = text.words_of(report)
    meaning = (
        f"The mean {words.cost} over the scenarios, by their probabilities if the problem has any. The {words.tail} is "
        f"the mean {words.cost} of the worst scenarios that have a probability of 10 % together (CVaR 0.9)."
    )
    return [Tile("expected", mean, tail, meaning)]


def _kept(report: Report) -> Tile:
    checked = part_of(report.num_checked, report.num_scenarios, "scenario")
    meaning = (
        "The scenarios in the last reduced problem that was solved; the others cannot make the bound wrong. "
        f"The decision was evaluated on {checked}."
    )
    return Tile("scenarios kept", f"{len(report.scenarios):,}", f"of {report.num_scenarios:,}", meaning)


def _status(report: Report) -> Tile:
    meaning = (
        "Why the search stopped; optimal means that the gap is as small as was asked for. A solve is a model over the "
        "decision given to the solver; the seconds include everything but reading the problem."
    )
    work = f"{counted(report.num_solves, 'solve')}, {report.runtime:.2f} s"
    return Tile("status", report.status.value, work, meaning)


def _second_engine(report: Report) -> list[Tile]:
    if report.verification is None:
        return []
    agrees = {True: "agrees", False: "disagrees", None: "not decided"}[report.verification.agrees]
    meaning = "Another solver evaluated the decision in every scenario and tested the bound."
    return [Tile("second engine", agrees, str(report.verification), meaning)]
