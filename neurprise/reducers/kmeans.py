"""K-means: scenarios near the centres of clusters, so that every kind of scenario has one representative."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from neurprise import arrays
from neurprise.arrays import Floats, Ints
from neurprise.clock import Deadline, compiling
from neurprise.errors import MissingDependencyError
from neurprise.problem import TwoStageProblem
from neurprise.reducers.base import Reduction, SessionReducer, num_kept
from neurprise.search.session import SearchSession

#: Under a time limit no more scenarios than this are clustered, a seeded draw of them.
MOST_TIMED_SCENARIOS = 5_000


@dataclass(frozen=True)
class KMeans(SessionReducer):
    """
    Keep the scenario nearest to each centroid of a K-means clustering of the uncertain coefficients.

    A centroid itself is no scenario: with concave recourse it can cost more than every scenario, and V(R) <= V(all)
    would break. The order of the scenarios does not matter; clusters come by falling size.

    Parameters
    ----------
    num_starts
        Seeded restarts of the clustering; the best is kept. Under a time limit the later ones may be left out.
    """

    num_starts: int = 10

    name = "kmeans"

    def reduce(self, problem: TwoStageProblem, budget: int, seed: int = 0) -> Reduction:
        return self._cluster(problem, budget, seed, Deadline())

    def choose(self, session: SearchSession, budget: int, seed: int = 0) -> Reduction:
        return self._cluster(session.problem, budget, seed, session.deadline)

    def _cluster(self, problem: TwoStageProblem, budget: int, seed: int, deadline: Deadline) -> Reduction:
        clock = Deadline()
        keep = num_kept(problem, budget)
        num_starts = arrays.whole_number("num_starts", self.num_starts, 1)
        # Sorted distinct points weighted by their counts: the same clustering, whatever the order of the scenarios.
        generator = np.random.RandomState(arrays.whole_number("seed", seed, 0, 2**32 - 1))
        drawn = _drawn(problem.num_scenarios, max(keep, MOST_TIMED_SCENARIOS), generator, deadline)
        features = problem.finite_scenario_data[drawn]
        points, first, counts = np.unique(features, axis=0, return_index=True, return_counts=True)
        centroids = _centroids(points, counts, min(keep, len(points)), num_starts, generator, deadline)
        chosen = drawn[first[_nearest_distinct(centroids, points)]].tolist()
        # Fewer distinct scenarios than the budget: the rest are repetitions, taken in order.
        repeated = np.setdiff1d(np.arange(problem.num_scenarios), chosen).tolist()
        return Reduction(tuple((chosen + repeated)[:keep]), runtime=clock.elapsed)


def _drawn(num_scenarios: int, most: int, generator: np.random.RandomState, deadline: Deadline) -> Ints:
    """The scenarios to cluster: all, or a limited number under a time limit."""
    if math.isinf(deadline.remaining) or num_scenarios <= most:
        return np.arange(num_scenarios)
    return np.sort(generator.choice(num_scenarios, most, replace=False))


def _centroids(
    points: Floats,
    counts: Ints,
    num_clusters: int,
    num_starts: int,
    generator: np.random.RandomState,
    deadline: Deadline,
) -> Floats:
    """Cluster centres of weighted distinct points (P, k), largest cluster first; shape (num_clusters, k)."""
    if num_clusters == len(points):
        return points
    # Imported here: loading scikit-learn takes longer than all other reducers together, and no time limit counts it.
    with compiling:
        try:
            from sklearn.cluster import KMeans as Clustering
        except ImportError as error:
            raise MissingDependencyError(
                f"K-means needs scikit-learn ({error}); install it with: pip install 'neurprise[kmeans]'."
            ) from None
        from threadpoolctl import threadpool_limits

    # One generator for all restarts, as scikit-learn does it, so that the clock can be read between them.
    restarts: list[Clustering] = []
    # Sums over several threads come in any order, and with them the last bits of the centroids.
    with threadpool_limits(limits=1):
        while not restarts or (len(restarts) < num_starts and not deadline.passed):
            clustering = Clustering(num_clusters, n_init=1, random_state=generator)
            restarts.append(clustering.fit(points, sample_weight=counts))
    clustering = min(restarts, key=lambda restart: restart.inertia_)
    sizes = np.bincount(clustering.labels_, weights=counts, minlength=num_clusters)
    return np.asarray(clustering.cluster_centers_[np.argsort(-sizes, kind="stable")])


def _nearest_distinct(centroids: Floats, points: Floats) -> list[int]:
    """The point nearest to each centroid that no earlier centroid took."""
    taken: list[int] = []
    for centroid in centroids:
        distance = np.square(points - centroid).sum(axis=1)
        distance[taken] = np.inf
        taken.append(int(np.argmin(distance)))
    return taken
