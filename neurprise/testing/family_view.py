"""Rules of how a network sees a family: finite features, as many for every instance, and no order of scenarios."""

from __future__ import annotations

import numpy as np

from neurprise.networks.scenario_graph import ScenarioGraph
from neurprise.networks.view import view_of
from neurprise.problem import TwoStageProblem
from neurprise.testing.family_case import FamilyCase


def check_view(cases: list[FamilyCase]) -> None:
    """Every encoding that the family offers, on all of its instances."""
    for case in cases:
        _encodings_are_known(case)
        _final_scores_rank_scenarios(case)
        for encoding in view_of(case.problem).encodings:
            _graphs_are_finite_and_follow_the_scenarios(case, encoding)
    for encoding in view_of(cases[0].problem).encodings:
        widths = {_graph(case.problem, encoding).num_features for case in cases}
        cases[0].require(len(widths) == 1, f"graphs of encoding {encoding!r} must have one width, got {sorted(widths)}")


def _encodings_are_known(case: FamilyCase) -> None:
    from neurprise.networks.encodings import ENCODINGS

    view = view_of(case.problem)
    case.require(
        bool(view.encodings) and set(view.encodings) <= set(ENCODINGS), f"encodings must be some of {ENCODINGS}"
    )
    case.require(view.default_encoding in view.encodings, "default_encoding must be one of its encodings")


def _graphs_are_finite_and_follow_the_scenarios(case: FamilyCase, encoding: str) -> None:
    graph, order = _graph(case.problem, encoding), _some_order(case)
    case.require(graph.num_scenarios == case.problem.num_scenarios, f"{encoding!r} must draw one graph per scenario")
    case.require(bool(np.isfinite(graph.features()).all()), f"features of encoding {encoding!r} must be finite")
    other = _graph(case.problem.restrict(order), encoding)
    same = np.allclose(other.features(), graph.features()[order], atol=1e-4)
    case.require(
        same and np.allclose(other.coefficients(), graph.coefficients()[order], atol=1e-4),
        f"graphs of encoding {encoding!r} must not depend on the order of the scenarios",
    )


def _final_scores_rank_scenarios(case: FamilyCase) -> None:
    scores, order = np.random.default_rng(0).random(case.problem.num_scenarios), _some_order(case)
    before = scores.copy()
    final = view_of(case.problem).final_scores(scores)
    case.require(np.array_equal(scores, before), "final_scores must leave the scores that it is given alone")
    case.require(
        final.shape == scores.shape and bool(np.isfinite(final).all()), "final_scores must be finite, one per scenario"
    )
    permuted = view_of(case.problem.restrict(order)).final_scores(scores[order])
    case.require(
        bool(np.allclose(permuted, final[order])), "final_scores must not depend on the order of the scenarios"
    )


def _some_order(case: FamilyCase) -> list[int]:
    """The last scenario first; every place but a single one changes."""
    return [case.problem.num_scenarios - 1, *range(case.problem.num_scenarios - 1)]


def _graph(problem: TwoStageProblem, encoding: str) -> ScenarioGraph:
    from neurprise.networks.encodings import encode

    return encode(problem, encoding)
