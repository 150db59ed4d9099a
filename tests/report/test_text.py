"""What print(report) says: names, both ends, the gap in plain words, and honest ends."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import neurprise as nr
from neurprise.report.text import DECISION_SHOWN
from tests.instances import exactly_two_of_four


@pytest.fixture(scope="module")
def report():
    """Six named items, three named days."""
    later = [[5, 5, 5, 1, 9, 9], [5, 5, 5, 9, 1, 9], [5, 5, 5, 9, 9, 4]]
    problem = nr.Selection([1, 2, 3, 9, 9, 9], later, 4)
    items = ["ale", "bread", "cheese", "dates", "eggs", "figs"]
    return nr.solve(problem.with_labels(x_names=items, scenario_names=["mon", "tue", "wed"]))


def line(report, name):
    """The value behind a name, of one line or several."""
    rows = str(report).splitlines()
    start = next(k for k, row in enumerate(rows) if row.startswith(name))
    more = rows[start + 1 :]
    end = next((k for k, row in enumerate(more) if not row.startswith(" ")), len(more))
    return " ".join(row.strip() for row in [rows[start][13:], *more[:end]])


def test_the_decision_is_shown_by_name(report):
    """What is not zero, and how many are."""
    chosen = [name for name, value in report.decision.items() if value]
    shown = line(report, "decision")
    assert all(f"{name} = 1" in shown for name in chosen)
    assert shown.endswith(f"the other {6 - len(chosen)} are 0")


def test_scenarios_are_shown_by_name(report):
    """The worst one and those kept."""
    assert line(report, "worst case").endswith(f"(scenario {report.worst_scenario_name})")
    assert line(report, "status").endswith(", ".join(report.scenario_name(s) for s in report.scenarios))
    assert report.worst_scenario_name in ("mon", "tue", "wed")


def test_the_gap_is_plain_and_absolute(report):
    """At most so many percent, proved, and the same in the unit of the costs."""
    near = replace(report, worst_case=103.0, lower_bound=100.0)
    assert line(near, "gap") == "at most 3 % (proved), 3 in absolute terms"


def test_no_percentage_is_claimed_around_zero(report):
    """The absolute gap is proved all the same."""
    around = replace(report, worst_case=1.0, lower_bound=-1.0)
    assert line(around, "gap").startswith("at most 2 (proved); no percentage")


def test_nothing_infinite_is_called_proved(report):
    """Without a bound there is none."""
    open_end = replace(report, lower_bound=-math.inf)
    assert line(open_end, "lower bound") == "none proved"
    assert line(open_end, "gap") == "not bounded"
    assert "inf" not in str(open_end)


def test_a_decision_checked_on_a_part_says_so(report):
    """Time was over before the last scenario."""
    part = replace(report, worst_case=math.inf, worst_scenario=None, num_checked=2)
    assert line(part, "worst case") == "not known: checked on 2 of 3 scenarios"


def test_scenarios_without_recourse_are_named(report):
    """Which ones, not only how many."""
    failing = replace(report, worst_case=math.inf, infeasible_scenarios=(0, 2), scenario_names={0: "mon", 2: "wed"})
    assert line(failing, "worst case") == "none: no recourse in 2 of 3 scenarios (mon, wed)"


def test_long_decisions_are_folded_with_a_way_to_see_all():
    """A few names, the number of others, and where they are."""
    large = nr.solve(nr.Selection(np.ones(40), np.full((2, 40), 9.0), 30))
    assert f"and {30 - DECISION_SHOWN} more (report.decision, --json or --out shows all)" in line(large, "decision")


def test_a_decision_of_zeros_is_no_empty_line():
    """Doing nothing is a decision."""
    idle = nr.solve(nr.Selection(np.full(4, 9.0), np.ones((2, 4)), 2))
    assert line(idle, "decision") == "all 4 variables are 0"


def test_names_and_values_stay_on_one_line():
    """A line never ends between a name and its value."""
    names = [f"a rather long name of item {i}" for i in range(9)]
    long = nr.solve(nr.Selection(np.ones(9), np.full((2, 9), 9.0), 8).with_labels(x_names=names))
    assert not any(row.endswith(("=", "= ")) or row.strip().startswith("=") for row in str(long).splitlines())


def test_no_decision_is_admitted():
    """Nothing found in no time."""
    empty = nr.solve(exactly_two_of_four(), time_limit=0)
    assert line(empty, "decision") == "none found in time"
    assert "inf" not in str(empty)
