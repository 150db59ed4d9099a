"""Rules for a family's knowledge beyond its rows: each answer is compared with an engine's."""

from __future__ import annotations

import math

import numpy as np

from neurprise.arrays import Floats
from neurprise.networks.scenario_graph import ScenarioGraph
from neurprise.networks.view import view_of
from neurprise.problem import TwoStageProblem
from neurprise.problem.contract import FirstStageList, RecourseOracle
from neurprise.problem.stages import RecourseRows
from neurprise.recourse.evaluator import Evaluator
from neurprise.reducers.sor import representation
from neurprise.search.extensive_form import ExtensiveForm
from neurprise.search.session import reduced_solver
from neurprise.solvers import Limits, get_engine
from neurprise.testing.family_case import TOLERANCE, FamilyCase

#: Number of listed decisions that are compared one by one.
LISTED = 32


def check_knowledge(case: FamilyCase) -> None:
    """Everything that the family knows about an instance."""
    case.require(bool(case.decisions), "the first stage must have a decision that can be found by an engine")
    if case.problem.oracle is not None:
        _oracle_agrees_with_the_engine(case, case.problem.oracle)
        _oracle_answers_parts(case, case.problem.oracle)
        _oracle_follows_the_scenarios(case)
    _single_scenarios_are_solved(case)
    if case.problem.first_stage_list is not None:
        _list_has_every_decision(case, case.problem.first_stage_list)
    _cuts_keep_every_solution(case)
    _monotone_costs_are_monotone(case)
    _whole_values_are_whole(case)
    _reduced_problems_have_the_engines_value(case)


def _oracle_agrees_with_the_engine(case: FamilyCase, oracle: RecourseOracle) -> None:
    for x in case.decisions:
        ours, theirs = oracle.recourse_costs(x), case.costs(x)
        case.require(ours.shape == theirs.shape, f"recourse_costs must have shape {theirs.shape}, got {ours.shape}")
        known = ~np.isnan(ours)
        case.require(
            np.array_equal(np.isinf(ours[known]), np.isinf(theirs[known])),
            f"recourse_costs must be inf exactly if no recourse is feasible, got {ours} and the engine {theirs}",
        )
        case.require(
            case.close(ours[known], theirs[known]), f"recourse_costs must be {theirs}, the engine's, got {ours}"
        )
        for s in range(len(theirs)):
            _decision_attains_the_cost(case, oracle, x, s, float(theirs[s]))


def _decision_attains_the_cost(case: FamilyCase, oracle: RecourseOracle, x: Floats, scenario: int, cost: float) -> None:
    y = oracle.recourse_decision(x, scenario)
    if y is None:
        return
    case.require(math.isfinite(cost), "recourse_decision must be None if no recourse is feasible")
    shape = (case.problem.num_recourse,)
    case.require(np.shape(y) == shape, f"recourse_decision must have shape {shape}, got {np.shape(y)}")
    attained = case.evaluator.attained_cost(x, y, scenario)
    case.require(
        case.close(attained, cost), f"recourse_decision must be feasible and cost {cost:g}, got {attained:g} (inf: not)"
    )


def _oracle_answers_parts(case: FamilyCase, oracle: RecourseOracle) -> None:
    last = case.problem.num_scenarios
    for x in case.decisions:
        whole = oracle.recourse_costs(x)
        for part in (slice(0, 1), slice(1, last), slice(last - 1, last + 5)):
            case.require(
                case.close(oracle.recourse_costs(x, part), whole[part]), f"recourse_costs must answer the part {part}"
            )


def _oracle_follows_the_scenarios(case: FamilyCase) -> None:
    """A restricted problem's oracle speaks of its own scenarios."""
    keep = list(range(case.problem.num_scenarios))[::-1][:2]
    kept = case.problem.restrict(keep)
    for x in case.decisions:
        ours = None if kept.oracle is None else kept.oracle.recourse_costs(x)
        case.require(
            ours is not None and case.close(ours, Evaluator(case.problem).evaluate(x).recourse_costs[keep]),
            "the oracle of a restricted problem must answer for the scenarios that are left",
        )


def _single_scenarios_are_solved(case: FamilyCase) -> None:
    alone = case.problem.single_scenarios
    if alone is None:
        return
    everything = list(range(case.problem.num_scenarios))
    theirs = np.array([case.value([s]) for s in everything])
    case.require(case.close(alone.values(), theirs), f"single_scenarios must value {theirs}, got {alone.values()}")
    for s, x in zip(everything, alone.decisions(everything), strict=True):
        case.require(
            case.problem.first_stage.violation(x) <= TOLERANCE
            and case.close(case.evaluator.first_cost(x) + float(case.costs(x)[s]), float(theirs[s])),
            f"single_scenarios must find a decision that attains V({{{s}}}) = {theirs[s]:g}",
        )


def _list_has_every_decision(case: FamilyCase, listed: FirstStageList) -> None:
    for s in range(case.problem.num_scenarios):
        numbers, costs = listed.below(s, math.inf)
        best = float(costs.min(initial=math.inf))
        case.require(case.close(best, case.value([s])), f"the best of first_stage_list must attain V({{{s}}})")
        middle = float(np.median(costs))
        fewer, _ = listed.below(s, middle)
        case.require(
            set(fewer.tolist()) == set(numbers[costs < middle].tolist()), "first_stage_list must keep to the cutoff"
        )
        some = np.linspace(0, len(numbers) - 1, min(LISTED, len(numbers))).astype(int)
        case.require(case.close(listed.costs(s, numbers[some]), costs[some]), "costs of a list must be those of below")
        for number, cost in zip(numbers[some].tolist(), costs[some].tolist(), strict=True):
            x = listed.decision(number)
            total = case.evaluator.first_cost(x) + float(case.costs(x)[s])
            case.require(case.close(cost, total), f"a listed decision costs {total:g}, first_stage_list has {cost:g}")


def _cuts_keep_every_solution(case: FamilyCase) -> None:
    """Rows are broken by the relaxation they were made for and kept by every decision with its recourse."""
    if case.problem.separator is None:
        return
    form, everything = ExtensiveForm(case.plain), list(range(case.problem.num_scenarios))
    model = form.model(everything)
    relaxed = get_engine("highs").solve(model.relaxed(), Limits())
    if relaxed.values is None:
        return
    x, decisions = form.split(relaxed.values)
    for s, y in zip(everything, decisions, strict=True):
        rows = case.problem.separator.violated_rows(x, y, s)
        if rows is not None:
            case.require(_broken(rows, x, y) > 0, "violated_rows must be broken by the point they were made for")
            _every_decision_keeps(case, rows, s)


def _every_decision_keeps(case: FamilyCase, rows: RecourseRows, scenario: int) -> None:
    for x in case.decisions:
        y = case.evaluator.decision(x, scenario)
        if y is not None:
            broken = _broken(rows, x, y)
            case.require(broken <= TOLERANCE * (1 + np.abs(y).max()), f"violated_rows cut off a solution by {broken:g}")


def _broken(rows: RecourseRows, x: Floats, y: Floats) -> float:
    return float((rows.lower - rows.technology @ x - rows.matrix @ y).max())


def _monotone_costs_are_monotone(case: FamilyCase) -> None:
    """If every cost of l is at least d times that of i, so is every Q(x, l); SOR relies on this."""
    prices = case.problem.monotone_costs
    if prices is None:
        return
    case.require(len(prices) == case.problem.num_scenarios and bool((prices >= 0).all()), "monotone_costs must be >= 0")
    ratios = representation(prices)
    for x in case.decisions:
        costs = case.costs(x)
        worth = ratios * costs[:, None]  # of scenario i, what scenario l must cost at least
        case.require(
            bool((worth <= costs[None, :] + TOLERANCE * np.maximum(1, np.abs(costs))).all()),
            "Q(x, .) must rise with monotone_costs and in proportion to them",
        )


def _whole_values_are_whole(case: FamilyCase) -> None:
    if case.problem.integral_objective:
        for x in case.decisions:
            totals = case.evaluator.first_cost(x) + case.costs(x)
            totals = totals[np.isfinite(totals)]
            case.require(
                case.close(totals, np.round(totals)), "integral_objective promises whole numbers, got fractions"
            )


def _reduced_problems_have_the_engines_value(case: FamilyCase) -> None:
    """V(R) with the family's oracle, cuts and list equals V(R) by its rows alone."""
    engine = get_engine("highs")
    solver = reduced_solver(Evaluator(case.problem), engine)
    for scenarios in ([0], list(range(case.problem.num_scenarios))):
        ours, theirs = solver.solve(scenarios, Limits()).value, case.value(scenarios)
        case.require(case.close(ours, theirs), f"V(R) of R = {scenarios} must be {theirs:g}, got {ours:g}")


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
    from neurprise.networks.view import ENCODINGS

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
    from neurprise.networks.view import encode

    return encode(problem, encoding)
