"""
The paper's formulations written out for scipy alone: an independent opinion on every value the package computes.

Nothing here is taken from the package: neither its formulations, nor its extensive form, nor its engines' wrappers.
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp


@dataclass(frozen=True)
class PaperProblem:
    """
    Eq. (1) of the paper: A x >= d, and T x + W y within [low_s, high_s] with cost b_s'y in scenario s.

    Parameters
    ----------
    b, low, high
        One row per scenario: shapes (S, m), (S, r), (S, r).
    """

    c: np.ndarray
    A: np.ndarray
    d: np.ndarray
    x_upper: np.ndarray
    x_integer: np.ndarray
    T: np.ndarray
    W: np.ndarray
    low: np.ndarray
    high: np.ndarray
    b: np.ndarray
    y_upper: np.ndarray
    y_integer: np.ndarray

    def value(self, scenarios=None):
        """V(R) by the deterministic equivalent, columns x, eta, y of each scenario; inf if infeasible."""
        chosen = range(len(self.b)) if scenarios is None else scenarios
        n, m, k = len(self.c), self.b.shape[1], len(chosen)
        stacked = [LinearConstraint(np.hstack([self.A, np.zeros((len(self.d), 1 + m * k))]), self.d, np.inf)]
        for place, s in enumerate(chosen):
            mine = np.eye(1, k, place)
            stacked.append(LinearConstraint(np.hstack([np.zeros((1, n)), [[1]], -np.kron(mine, self.b[s])]), 0, np.inf))
            rows = np.hstack([self.T, np.zeros((len(self.T), 1)), np.kron(mine, self.W)])
            stacked.append(LinearConstraint(sparse.csr_array(rows), self.low[s], self.high[s]))
        lower = np.concatenate([np.zeros(n), [-np.inf], np.zeros(m * k)])
        upper = np.concatenate([self.x_upper, [np.inf], np.tile(self.y_upper, k)])
        integer = np.concatenate([self.x_integer, [0], np.tile(self.y_integer, k)])
        costs = np.concatenate([self.c, [1], np.zeros(m * k)])
        return _minimum(costs, stacked, Bounds(lower, upper), integer)

    def recourse_cost(self, x, s):
        """Q(x, s); inf if infeasible."""
        rows = LinearConstraint(self.W, self.low[s] - self.T @ x, self.high[s] - self.T @ x)
        return _minimum(self.b[s], [rows], Bounds(0, self.y_upper), self.y_integer)


def _minimum(costs, constraints, bounds, integer):
    used = [rows for rows in constraints if np.shape(rows.A)[0]]
    result = milp(costs, constraints=used, bounds=bounds, integrality=integer, options={"mip_rel_gap": 0.0})
    if result.status == 2:
        return np.inf
    assert result.status == 0, result.message
    return result.fun


def paper_selection(problem):
    """Eq. (SEL): sum(x + y) = p, x_i + y_i <= 1, all binary."""
    n, S = problem.num_first_stage, problem.num_scenarios
    rows, p = np.vstack([np.ones(n), np.eye(n)]), float(problem.num_select)
    return _binary(
        problem,
        rows,
        low=np.tile(np.concatenate([[p], np.full(n, -np.inf)]), (S, 1)),
        high=np.tile(np.concatenate([[p], np.ones(n)]), (S, 1)),
    )


def paper_vertex_cover(problem):
    """Eq. (VC): x_i + y_i + x_j + y_j >= 1 for every edge, x_i + y_i <= 1, all binary."""
    n, S, edges = problem.num_first_stage, problem.num_scenarios, problem.edges
    incidence = np.zeros((len(edges), n))
    for k, (i, j) in enumerate(edges):
        incidence[k, i] = incidence[k, j] = 1
    return _binary(
        problem,
        np.vstack([incidence, np.eye(n)]),
        low=np.tile(np.concatenate([np.ones(len(edges)), np.full(n, -np.inf)]), (S, 1)),
        high=np.tile(np.concatenate([np.full(len(edges), np.inf), np.ones(n)]), (S, 1)),
    )


def _binary(problem, rows, low, high):
    """Selection and vertex cover: binary x and y in the same rows, scenario costs on y."""
    n = problem.num_first_stage
    ones, none = np.ones(n), np.zeros((0, n))
    costs, later = problem.first_stage.costs, problem.scenario_costs
    return PaperProblem(costs, none, np.zeros(0), ones, ones, rows, rows, low, high, later, ones, ones)


def paper_facility_location(problem):
    """Eq. (CFLP): z_j <= K_j x_j; sum_i y_ij <= z_j; sum_j y_ij >= d_i; first-stage columns x, z."""
    (m, n), S = problem.transport_costs.shape, problem.num_scenarios
    ship_from = np.kron(np.eye(m), np.ones(n))
    ship_to = np.kron(np.ones(m), np.eye(n))
    return PaperProblem(
        c=np.concatenate([problem.opening_costs, problem.capacity_costs]),
        A=np.hstack([np.diag(problem.max_capacities), -np.eye(m)]),
        d=np.zeros(m),
        x_upper=np.concatenate([np.ones(m), np.full(m, np.inf)]),
        x_integer=np.repeat([1, 0], m),
        T=np.vstack([np.hstack([np.zeros((m, m)), -np.eye(m)]), np.zeros((n, 2 * m))]),
        W=np.vstack([ship_from, ship_to]),
        low=np.hstack([np.full((S, m), -np.inf), problem.demands]),
        high=np.tile(np.concatenate([np.zeros(m), np.full(n, np.inf)]), (S, 1)),
        b=np.tile(problem.transport_costs.ravel(), (S, 1)),
        y_upper=np.full(m * n, np.inf),
        y_integer=np.zeros(m * n),
    )


PAPER = {
    "selection": paper_selection,
    "vertex-cover": paper_vertex_cover,
    "facility-location": paper_facility_location,
}


def paper_letters(letters):
    """The arguments of `from_matrices`, read as the paper's Eq. (1) says."""
    c, G = np.asarray(letters["c"], float), np.asarray(letters["G"], float)
    n, (r, m) = len(c), G.shape
    xi, b = letters["xi"], np.asarray(letters["b"], float)
    S = len(b) if xi is None else len(xi)
    shift = np.zeros((S, r)) if xi is None else np.asarray(xi) @ np.asarray(letters["M"]).T
    return PaperProblem(
        c=c,
        A=np.zeros((0, n)) if letters["A"] is None else np.asarray(letters["A"], float),
        d=np.zeros(0) if letters["d"] is None else np.asarray(letters["d"], float),
        x_upper=np.broadcast_to(letters["x_upper"], n).astype(float),
        x_integer=np.broadcast_to(letters["x_integer"], n).astype(int),
        T=np.asarray(letters["E"], float),
        W=G,
        low=np.asarray(letters["h"], float) - shift,
        high=np.full((S, r), np.inf),
        b=np.broadcast_to(b, (S, m)),
        y_upper=np.broadcast_to(letters["y_upper"], m).astype(float),
        y_integer=np.broadcast_to(letters["y_integer"], m).astype(int),
    )
