"""The paper claim by claim: verdicts come from rows, and the page shows what they are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from experiments.claims import CLAIMS
from experiments.claims.deviations import UNKNOWN
from experiments.claims.rules import DIFFERENT, REPRODUCED, UNJUDGED, Between, Equal, Holds, Lower, Same
from experiments.places import ROOT, default_places
from experiments.row import Row
from experiments.specs import all_specs, get_spec
from experiments.views.claims import claims_page
from experiments.views.statistics import Mean, Printed, mean_of

ALL = [claim for claims in CLAIMS.values() for claim in claims]
PAGE = ROOT / "docs" / "paper.md"


def row(method: str, k: int | None, seed: int, regret: float, instances: str = "SEL-20-50") -> Row:
    """A row of which only the regret matters."""
    empty = {name: 0.0 for name, one in Row.__dataclass_fields__.items() if one.type == "float"}
    empty |= {name: None for name, one in Row.__dataclass_fields__.items() if "None" in str(one.type)}
    known = {"spec": "small", "instances": instances, "seed": seed, "method": method, "k": k, "kept": 1}
    return Row(**{**empty, **known, "infeasible": False, "solve_infeasible": False, "regret": regret, "commit": "abc"})


def rows_around(mean: float, count: int, method: str = "maxsum", k: int | None = 1) -> list[Row]:
    """Regrets with that mean that differ by about one point."""
    spread = np.random.default_rng(0).normal(size=count)
    return [row(method, k, seed, mean + value - spread.mean()) for seed, value in enumerate(spread)]


def test_the_page_is_what_the_rows_say():
    """`python -m experiments claims -o docs/paper.md` renews it."""
    assert PAGE.read_text(encoding="utf-8") == claims_page(default_places().rows)


def test_no_worse_cell_is_without_a_reason():
    """Every cell in which a network is worse than the paper's by more than chance has its reason on the page."""
    assert f"| {UNKNOWN} |" not in PAGE.read_text(encoding="utf-8")


def test_every_claim_is_complete():
    """It says where it stands in the paper, why the verdict is as it is, and names tables that exist."""
    assert len(ALL) >= 40
    for claim in ALL:
        assert "" not in (claim.where, claim.says), claim
        assert claim.why.endswith("."), claim
        assert set(claim.tables) <= set(all_specs()), claim


def test_without_rows_no_number_is_reproduced(tmp_path):
    """Only what is enumerated when the page is written keeps its verdict."""
    page = claims_page(tmp_path)
    assert page.count(f"**{REPRODUCED}**") <= 4
    assert page.count(f"**{UNJUDGED}**") >= len(ALL) - 8


def test_the_papers_number_may_differ_by_the_sampling_error_of_both_and_by_rounding():
    """The interval for the paper's mean is wider than ours: by sqrt(2) if the paper has as many instances."""
    ours = Mean(5.0, 4.0, 6.0, 50)
    low, high = Printed(6.4, 50, 1).by_chance(ours)
    assert (low, high) == pytest.approx((5 - 2**0.5 - 0.05, 5 + 2**0.5 + 0.05))
    assert Printed(6.4, 50, 1).agrees(ours)
    assert not Printed(6.5, 50, 1).agrees(ours)
    assert not Printed(6.4, 50_000, 1).agrees(ours)
    assert Printed(6.5, 50, 1).agrees(ours, confidence=0.99)


def test_two_samples_of_one_distribution_rarely_differ():
    """At 95 %, 5 % of pairs do."""
    rng, outside = np.random.default_rng(0), 0
    for _ in range(200):
        ours, theirs = mean_of(rng.exponential(size=60).tolist()), rng.exponential(size=60).mean()
        assert ours is not None
        outside += not Printed(float(theirs), 60).agrees(ours)
    assert 2 <= outside <= 22


@pytest.mark.parametrize(
    ("mean", "count", "verdict"), [(6.9, 250, REPRODUCED), (8.0, 250, DIFFERENT), (8.0, 5, UNJUDGED)]
)
def test_a_number_is_reproduced_if_chance_explains_the_difference(mean, count, verdict):
    """The paper has 6.93 for MaxSum at k = 1; five instances decide nothing."""
    rule = Same("small", ("SEL-20-50",), ("maxsum",))
    finding = rule.judged(lambda _: rows_around(mean, count))
    assert finding.verdict == verdict
    assert "paper 6.93" in finding.measured
    assert replace(rule, judge=False).judged(lambda _: rows_around(mean, count)).verdict == UNJUDGED


@pytest.mark.parametrize(("mean", "verdict"), [(4.0, REPRODUCED), (5.0, UNJUDGED), (6.0, DIFFERENT)])
def test_an_order_is_reproduced_if_the_paired_difference_has_one_sign(mean, verdict):
    """The other method has mean 5; equal means leave the order open."""
    noise = np.random.default_rng(1).normal(size=100)
    mine = [row("neurprise", 2, seed, mean + value) for seed, value in enumerate(noise)]
    theirs = [row("maxsum", 2, seed, 5 + value) for seed, value in enumerate(noise[::-1])]
    rule = Lower("small", ("SEL-20-50",), "neurprise", ("maxsum",), (2,))
    assert rule.judged(lambda _: mine + theirs).verdict == verdict


def test_statistics_are_compared_with_a_range_or_a_number():
    """An interval that overlaps the range counts; a claim may hold or not, or have no rows."""
    narrow, wide = Mean(2.0, 1.9, 2.1, 20), Mean(2.0, 1.0, 3.5, 20)
    assert Between(lambda _: {"a": narrow}, 3.0, 4.0).judged(get_spec).verdict == DIFFERENT
    assert Between(lambda _: {"a": wide}, 3.0, 4.0).judged(get_spec).verdict == REPRODUCED
    assert Equal(((lambda _: {"a": narrow}, 2.1),), count=20).judged(get_spec).verdict == REPRODUCED
    assert Equal(((lambda _: {"a": narrow}, 2.5),), count=20).judged(get_spec).verdict == DIFFERENT
    assert Holds(lambda _: (None, "no rows")).judged(get_spec).verdict == UNJUDGED
