"""Random instances as the paper's appendix draws them."""

import numpy as np
import pytest

import neurprise as nr
from neurprise.errors import InputError
from neurprise.problems.draws import COSTS, DEMANDS, draw

DISTRIBUTIONS = ["uniform", "normal", "multimodal"]


def selection_costs(seed, distribution, num_items=40, num_scenarios=60):
    """Scenario costs of one instance, shape (S, n)."""
    return nr.make_selection(num_items, num_scenarios, seed, distribution).scenario_costs


def demands(seed, distribution, num_customers=20, num_scenarios=60):
    """Demands of one instance, shape (S, n)."""
    return nr.make_facility_location(40, num_customers, num_scenarios, seed, distribution).demands


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_the_same_seed_gives_the_same_instance(distribution):
    """And another seed another one."""
    for make in (
        lambda seed: nr.make_selection(8, 5, seed, distribution),
        lambda seed: nr.make_vertex_cover(8, 5, seed, distribution),
        lambda seed: nr.make_facility_location(8, 5, 5, seed, distribution),
    ):
        first, again, other = make(3), make(3), make(4)
        assert np.array_equal(first.scenario_data, again.scenario_data)
        assert np.array_equal(first.first_stage.costs, again.first_stage.costs)
        assert not np.array_equal(first.scenario_data, other.scenario_data)


def test_selection_takes_half_of_the_items():
    """p = floor(n / 2)."""
    assert nr.make_selection(9, 2, 0).num_select == 4
    assert nr.make_selection(9, 2, 0).scenario_costs.shape == (2, 9)


def test_vertex_cover_has_average_degree_ten():
    """Every pair is an edge with probability 10 / n."""
    degrees = [2 * len(nr.make_vertex_cover(50, 1, seed).edges) / 50 for seed in range(30)]
    assert 9.0 <= np.mean(degrees) <= 10.6  # 49 * 10 / 50 = 9.8 expected


def test_uniform_costs_are_whole_numbers_from_1_to_100():
    """Scenario costs and first-stage costs alike."""
    problem = nr.make_selection(100, 200, 0)
    for costs in (problem.scenario_costs, problem.first_stage.costs):
        assert (costs == np.round(costs)).all()
    assert (problem.scenario_costs.min(), problem.scenario_costs.max()) == (1, 100)
    assert 1 <= problem.first_stage.costs.min() <= problem.first_stage.costs.max() <= 100


def test_uniform_demands_are_whole_numbers_from_10_to_500():
    """Both ends occur."""
    values = demands(0, "uniform", 20, 400)
    assert (values == np.round(values)).all()
    assert (values.min(), values.max()) == (10, 500)


@pytest.mark.parametrize(
    "sample, mean_range, relative_sigma, sigma_limits, limits",
    [(selection_costs, (25, 75), 0.15, (3, 15), (1, 100)), (demands, (180, 260), 0.08, (12, 22), (10, 500))],
)
def test_normal_draws_have_the_papers_means_and_deviations(sample, mean_range, relative_sigma, sigma_limits, limits):
    """mu ~ U, sigma = clip(share * mu), clipped draws."""
    values = sample(0, "normal", 20, 4000)
    mean, sigma = values.mean(axis=0), values.std(axis=0)
    assert mean_range[0] - 1 <= mean.min() <= mean.max() <= mean_range[1] + 1
    assert sigma == pytest.approx(np.clip(relative_sigma * mean, *sigma_limits), rel=0.08)
    assert limits[0] <= values.min() <= values.max() <= limits[1]


def test_normal_means_belong_to_the_size_not_to_the_seed():
    """The paper draws them once per problem size."""
    one, two = selection_costs(1, "normal", 20, 3000), selection_costs(2, "normal", 20, 3000)
    assert one.mean(axis=0) == pytest.approx(two.mean(axis=0), rel=0.02)
    assert not np.array_equal(one, two)


@pytest.mark.parametrize("make", [nr.make_selection, nr.make_vertex_cover])
def test_shifted_first_stage_costs_are_centres(make):
    """The means of normal costs, and midpoints of multimodal ones; uniform costs are alike in both stages."""
    normal, multimodal = make(20, 3000, 0, "normal"), make(20, 5, 0, "multimodal")
    assert normal.scenario_data.mean(axis=0) == pytest.approx(normal.first_stage.costs, rel=0.02)
    assert 25 <= multimodal.first_stage.costs.min() <= multimodal.first_stage.costs.max() <= 75
    assert make(20, 5, 0).first_stage.costs.max() > 75


def test_multimodal_costs_lie_in_the_widest_band():
    """(1 - delta) mu to (1 + delta) mu with mu in [25, 75], delta in [0.1, 0.5]."""
    values = np.vstack([selection_costs(seed, "multimodal") for seed in range(10)])
    assert 12.5 <= values.min() < 20
    assert 90 < values.max() <= 112.5


@pytest.mark.parametrize("ranges, fewest, most", [(COSTS, 3, 8), (DEMANDS, 3, 6)])
def test_multimodal_scenarios_cluster_in_few_modes(ranges, fewest, most):
    """Up to a common factor, scenarios of one mode resemble each other; costs have 3-8 modes, demands 3-6."""
    counts = {len(np.unique(modes(multimodal(ranges, seed)))) for seed in range(8)}
    assert fewest <= min(counts) < max(counts) <= most


def test_multimodal_demands_share_a_scale_in_each_scenario():
    """Scenarios of one mode rise and fall together by about 8 %; costs do not."""
    assert spread_of_scale(multimodal(DEMANDS, 0)) == pytest.approx(0.08, abs=0.015)
    assert spread_of_scale(multimodal(COSTS, 0)) < 0.02


def multimodal(ranges, seed):
    """So many items that averages over them show the mode, shape (150, 400)."""
    return draw(np.random.default_rng(seed), ranges, "multimodal", 150, 400)


def modes(values):
    """Number of the mode of each scenario: those of one mode correlate, shape (S,)."""
    return (np.corrcoef(values) > 0.25).argmax(axis=1)


def spread_of_scale(values):
    """Standard deviation of the scenarios' means, relative to the mean of their mode."""
    means, mode = values.mean(axis=1), modes(values)
    relative = [means[mode == k] / means[mode == k].mean() for k in np.unique(mode)]
    return float(np.concatenate(relative).std())


def test_facility_location_uses_the_ranges_of_zeng_and_zhao():
    """Opening 100..1000, capacity cost 10..100, capacity 200..700, transport 1..1000."""
    problem = nr.make_facility_location(60, 60, 3, 0)
    for values, low, high in (
        (problem.opening_costs, 100, 1000),
        (problem.capacity_costs, 10, 100),
        (problem.max_capacities, 200, 700),
        (problem.transport_costs, 1, 1000),
    ):
        assert low <= values.min() <= values.max() <= high
        assert (values == np.round(values)).all()


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_facility_location_can_serve_every_scenario(distribution):
    """All sites together hold the largest total demand."""
    for seed in range(5):
        problem = nr.make_facility_location(10, 10, 20, seed, distribution)
        assert problem.max_capacities.sum() >= problem.demands.sum(axis=1).max()


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: nr.make_selection(0, 5, 0), "num_items must be a whole number at least 1, got 0"),
        (lambda: nr.make_selection(5, 0, 0), "num_scenarios must be"),
        (lambda: nr.make_selection(5, 5, -1), "seed must be"),
        (lambda: nr.make_selection(5, 5, 0, "cauchy"), "distribution must be one of uniform, normal, multimodal"),
        (lambda: nr.make_vertex_cover(2.5, 5, 0), "num_nodes must be"),
        (lambda: nr.make_facility_location(1, 0, 5, 0), "num_customers must be"),
        (lambda: nr.make_facility_location(1, 30, 5, 0), "1 facilities cannot serve 30 customers.*more facilities"),
    ],
)
def test_impossible_instances_are_refused(call, words):
    """Counts, seeds, names and more customers than all sites can serve."""
    with pytest.raises(InputError, match=words):
        call()
