"""
Transportation, compiled: the cheapest shipments from sites to customers, by a dual simplex on a spanning tree.

    min sum_ji c_ji y_ji   with   sum_i y_ji <= a_j,   sum_j y_ji >= d_i,   y >= 0

A root takes the unused capacity, so a basis is a spanning tree of sites, customers and root, and each arc balances
the subtree below it. Prices do not depend on amounts: when only demands change, the last optimal
tree needs few pivots. Each pivot moves one subtree whose arc would carry a negative amount.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from neurprise.arrays import Bools, Floats, Ints
from neurprise.compiled import Compiler
from neurprise.problem.contract import EVERY
from neurprise.solvers.tolerances import FEASIBILITY_TOLERANCE

compiled = Compiler("the transportation oracle", seconds=7)

#: Amounts are known to this share of all that could be shipped; smaller negative ones count as zero.
PRECISION = 1e-12
#: Equal costs make pivots cycle; this random share of each cost breaks ties.
TIE_BREAK = 1e-10
#: Pivots per node of the tree before a search is given up; about one is usual.
MOST_PIVOTS = 1_000
_NONE = -1


class _Tree(NamedTuple):
    """
    A spanning tree with prices and flows; nodes are sites 0..m-1, customers m..m+n-1 and the root m+n.

    Parameters
    ----------
    parents, child, after, before
        Links: parent, first child, next and previous child of the same parent, shape (m+n+1,); -1 for none.
    prices
        Of one unit at each node, 0 at the root, shape (m+n+1,); an arc costs at least the difference of its ends.
    flows
        Amount on the arc between a node and its parent, from site to customer or root, shape (m+n+1,).
    nodes, inside
        Scratch space: the nodes of a subtree, and whether each node is one of them, shape (m+n+1,).
    """

    parents: Ints
    child: Ints
    after: Ints
    before: Ints
    prices: Floats
    flows: Floats
    nodes: Ints
    inside: Bools


@compiled
def ship(transport: Floats, capacities: Floats, demands: Floats, tolerance: float) -> tuple[Floats, Floats]:
    """
    Cost of the cheapest shipments under each row of demands, shape (S,), and those of the last row, shape (m, n).

    The cost is inf if capacity is short, and nan if the search is given up (never seen); then shipments are nan.

    Parameters
    ----------
    transport
        Cost of one unit from each site to each customer, shape (m, n); any sign.
    capacities
        Shape (m,); zero or positive.
    demands
        Shape (S, n), S >= 1; zero or positive.
    tolerance
        Capacity may be short by this much in total; the sites that have any then share the excess.
    """
    serving = _serving(capacities)
    costs = _costs_with_root(transport, serving)
    without_ties = _without_ties(costs)
    tree = _first_tree(without_ties)
    balance = np.zeros(len(tree.parents))
    beyond = np.zeros(len(serving))
    found = np.empty(len(demands))
    for s in range(len(demands)):
        if not _fill_balance(balance, beyond, capacities, serving, demands[s], tolerance):
            found[s] = np.inf
        elif _optimise(tree, without_ties, balance):
            found[s] = _cost(tree, costs, beyond)
        else:
            found[s] = np.nan
            tree = _first_tree(without_ties)
    return found, _amounts(tree, costs, beyond, transport, serving, np.isfinite(found[-1]))


@compiled
def _serving(capacities: Floats) -> Ints:
    """Sites with capacity."""
    sites = np.empty(len(capacities), dtype=np.int64)
    count = 0
    for j in range(len(capacities)):
        if capacities[j] > 0.0:
            sites[count] = j
            count += 1
    return sites[:count]


@compiled
def _costs_with_root(transport: Floats, serving: Ints) -> Floats:
    """
    Costs of the serving sites to customers and, last, to the root, shape (num_serving, n + 1).

    A unit beyond the demand costs nothing, or less if some customer pays for it.
    """
    num_customers = transport.shape[1]
    costs = np.zeros((len(serving), num_customers + 1))
    for k in range(len(serving)):
        for i in range(num_customers):
            costs[k, i] = transport[serving[k], i]
            costs[k, num_customers] = min(costs[k, num_customers], costs[k, i])
    return costs


@compiled
def _without_ties(costs: Floats) -> Floats:
    """
    Costs raised by up to TIE_BREAK of their size, same shape, so that sums of them are almost never equal.

    An optimum at these costs is optimal at the true ones up to the same share: exactly, for whole numbers.
    """
    least = np.inf
    for cost in costs.flat:
        least = min(least, abs(cost)) if cost != 0.0 else least
    raised = costs.copy()
    draw = 1
    for j in range(costs.shape[0]):
        for i in range(costs.shape[1] - 1):
            draw = 48271 * draw % 2147483647  # the minimal standard generator of Park and Miller
            size = abs(costs[j, i]) if costs[j, i] != 0.0 else least
            raised[j, i] += TIE_BREAK * size * draw / 2147483647 if size < np.inf else draw
    return raised


@compiled
def _fill_balance(
    balance: Floats, beyond: Floats, capacities: Floats, serving: Ints, demand: Floats, tolerance: float
) -> bool:
    """
    Supply of each site, minus the demand of each customer, 0 at the root; False if demand is too large.

    Capacity `beyond` all demand, shape (num_serving,), is kept apart, so that rounding keeps small amounts.
    """
    num_sites, total, supply = len(serving), 0.0, 0.0
    for i in range(len(demand)):
        total += demand[i]
        balance[num_sites + i] = -demand[i]
    for j in serving:
        supply += capacities[j]
    short = total - supply
    if short > tolerance + 1e-15 * len(balance) * total:  # the second term is the rounding of the sums
        return False
    for k in range(num_sites):
        capacity = capacities[serving[k]] + max(short, 0.0) / num_sites
        balance[k] = min(capacity, total)
        beyond[k] = capacity - balance[k]
    return True


@compiled
def _amounts(tree: _Tree, costs: Floats, beyond: Floats, transport: Floats, serving: Ints, exist: bool) -> Floats:
    """The shipments of the tree's flows, shape (m, n); nan if none exist."""
    num_sites, num_customers = costs.shape[0], costs.shape[1] - 1
    amounts = np.zeros(transport.shape)
    if not exist:
        return amounts + np.nan
    for v in range(num_sites + num_customers if num_sites else 0):
        site, end = _arc(tree, v, num_sites)
        if end < num_customers:
            amounts[serving[site], end] += max(tree.flows[v], 0.0)
        else:
            beyond[site] += max(tree.flows[v], 0.0)
    for k in range(num_sites):
        if costs[k, -1] < 0.0:  # the customer who pays most takes the units beyond the demand
            amounts[serving[k], np.argmin(costs[k])] += beyond[k]
    return amounts


@compiled
def _optimise(tree: _Tree, costs: Floats, balance: Floats) -> bool:
    """Pivot until no flow is negative; False if that does not end."""
    num_sites = len(costs)
    zero = 0.0
    for amount in balance:
        zero += PRECISION * abs(amount)
    _recompute(tree, costs, balance)
    exact = True
    for _ in range(MOST_PIVOTS * len(balance)):
        v = _most_negative(tree, zero)
        if v == _NONE:
            if exact:
                return True
            _recompute(tree, costs, balance)
            exact = True
            continue
        exact = False
        lacks = v < num_sites
        count = _mark_subtree(tree, v)
        site, end = _entering(tree, costs, count, lacks)
        if site == _NONE:
            return False
        customer = num_sites + end
        reduced = costs[site, end] + tree.prices[site] - tree.prices[customer]
        _reprice(tree, count, reduced if lacks else -reduced)
        _rehang(tree, v, customer if lacks else site, site if lacks else customer, num_sites)
    return False


@compiled
def _first_tree(costs: Floats) -> _Tree:
    """Sites below the root, each customer below its cheapest site: no arc is cheaper than its prices say."""
    num_sites, num_ends = costs.shape
    size = num_sites + num_ends
    links, numbers = np.full((5, size), _NONE), np.zeros((2, size))
    marks = np.zeros(size, dtype=np.bool_)
    tree = _Tree(links[0], links[1], links[2], links[3], numbers[0], numbers[1], links[4], marks)
    for j in range(num_sites):
        _hang(tree, j, size - 1)
    for i in range(num_ends - 1 if num_sites else 0):
        _hang(tree, num_sites + i, int(np.argmin(costs[:, i] - costs[:, -1])))
    return tree


@compiled
def _recompute(tree: _Tree, costs: Floats, balance: Floats) -> None:
    """Compute prices and flows of the tree again, without the rounding errors of pivots."""
    num_sites = len(costs)
    root = len(tree.parents) - 1
    count = _list_subtree(tree, root)
    for k in range(count):
        v = tree.nodes[k]
        tree.flows[v] = balance[v]
        if v == root:
            continue
        p = tree.parents[v]
        if v < num_sites:
            tree.prices[v] = tree.prices[p] - costs[v, p - num_sites]
        else:
            tree.prices[v] = tree.prices[p] + costs[p, v - num_sites]
    for k in range(count - 1, 0, -1):
        v = tree.nodes[k]
        tree.flows[tree.parents[v]] += tree.flows[v]
        tree.flows[v] *= _sign(v, num_sites)


@compiled
def _cost(tree: _Tree, costs: Floats, beyond: Floats) -> float:
    total = 0.0
    for k in range(len(costs)):
        total += beyond[k] * costs[k, -1]
    for v in range(len(tree.parents) - 1 if len(costs) else 0):
        site, end = _arc(tree, v, len(costs))
        total += max(tree.flows[v], 0.0) * costs[site, end]
    return total


@compiled
def _most_negative(tree: _Tree, zero: float) -> int:
    """The node whose arc to its parent carries the most negative flow; -1 if none does."""
    found, lowest = _NONE, -zero
    for v in range(len(tree.parents) - 1):
        if tree.flows[v] < lowest:
            found, lowest = v, tree.flows[v]
    return found


@compiled
def _entering(tree: _Tree, costs: Floats, count: int, lacks: bool) -> tuple[int, int]:
    """
    The arc (site, end) across the border of the marked subtree with the least reduced cost.

    It leads into the subtree if that lacks supply, else out of it; (-1, -1) if there is none.
    """
    num_sites, num_ends = costs.shape
    prices, inside = tree.prices, tree.inside
    site, end, least = _NONE, _NONE, np.inf
    for k in range(count):
        v = tree.nodes[k]
        if lacks and v >= num_sites:
            i = v - num_sites
            for j in range(num_sites):
                if not inside[j]:
                    reduced = costs[j, i] + prices[j] - prices[v]
                    if reduced < least:
                        site, end, least = j, i, reduced
        elif not lacks and v < num_sites:
            for i in range(num_ends):
                if not inside[num_sites + i]:
                    reduced = costs[v, i] + prices[v] - prices[num_sites + i]
                    if reduced < least:
                        site, end, least = v, i, reduced
    return site, end


@compiled
def _reprice(tree: _Tree, count: int, rise: float) -> None:
    """Shift the prices of the marked subtree, and unmark it."""
    for k in range(count):
        tree.prices[tree.nodes[k]] += rise
        tree.inside[tree.nodes[k]] = False


@compiled
def _rehang(tree: _Tree, v: int, q: int, new: int, num_sites: int) -> None:
    """Hang the subtree of v below `new` by its node q, and send its surplus (or lack) that way."""
    parents, flows = tree.parents, tree.flows
    surplus = flows[v] * _sign(v, num_sites)
    w = parents[v]
    while parents[w] != _NONE:
        flows[w] -= surplus * _sign(w, num_sites)
        w = parents[w]
    w = new
    while parents[w] != _NONE:
        flows[w] += surplus * _sign(w, num_sites)
        w = parents[w]
    # From q up to v parents become children; each arc keeps its flow, less the surplus that no longer passes.
    w, parent, flow = q, new, abs(surplus)
    while True:
        above, passed_on = parents[w], flows[w] - surplus * _sign(w, num_sites)
        _cut(tree, w)
        _hang(tree, w, parent)
        flows[w] = flow
        if w == v:
            break
        w, parent, flow = above, w, passed_on


@compiled
def _sign(v: int, num_sites: int) -> float:
    """Arcs lead from sites to their parents, but to customers from theirs."""
    return 1.0 if v < num_sites else -1.0


@compiled
def _arc(tree: _Tree, v: int, num_sites: int) -> tuple[int, int]:
    """Site and end (customer, or last the root) of the arc between v and its parent."""
    p = tree.parents[v]
    return (v, p - num_sites) if v < num_sites else (p, v - num_sites)


@compiled
def _list_subtree(tree: _Tree, v: int) -> int:
    """Write v and all nodes below into `tree.nodes`, parents before children; returns their number."""
    nodes = tree.nodes
    nodes[0] = v
    count, done = 1, 0
    while done < count:
        w = tree.child[nodes[done]]
        while w != _NONE:
            nodes[count] = w
            count += 1
            w = tree.after[w]
        done += 1
    return count


@compiled
def _mark_subtree(tree: _Tree, v: int) -> int:
    count: int = _list_subtree(tree, v)
    for k in range(count):
        tree.inside[tree.nodes[k]] = True
    return count


@compiled
def _hang(tree: _Tree, v: int, parent: int) -> None:
    """Make v the first child of `parent`."""
    first = tree.child[parent]
    tree.parents[v], tree.before[v], tree.after[v] = parent, _NONE, first
    if first != _NONE:
        tree.before[first] = v
    tree.child[parent] = v


@compiled
def _cut(tree: _Tree, v: int) -> None:
    """Take v, with all below it, from its parent."""
    before, after = tree.before[v], tree.after[v]
    if before == _NONE:
        tree.child[tree.parents[v]] = after
    else:
        tree.after[before] = after
    if after != _NONE:
        tree.before[after] = before


@dataclass(frozen=True, eq=False)
class TransportOracle:
    """
    Cheapest shipments from the capacities in x.

    Parameters
    ----------
    transport
        Cost per unit from site to customer, shape (m, n).
    demands
        Shape (S, n).
    """

    transport: Floats
    demands: Floats

    def recourse_costs(self, x: Floats, scenarios: slice = EVERY) -> Floats:
        """Q(x, s) = cheapest shipments; inf where capacities are short in total."""
        return self._ship(x, self.demands[scenarios])[0]

    def recourse_decision(self, x: Floats, scenario: int) -> Floats | None:
        """Cheapest shipments, y_ji at j*n + i, shape (m*n,); None where capacities are short."""
        costs, amounts = self._ship(x, self.demands[scenario : scenario + 1])
        return amounts.ravel() if np.isfinite(costs[0]) else None

    def _ship(self, x: Floats, demands: Floats) -> tuple[Floats, Floats]:
        """
        Costs under these demands (S, n), shape (S,), and the last row's shipments, shape (m, n).

        Shipments depend on the capacities alone; the first stage makes sure that closed sites have none.
        """
        capacities = np.array(x[len(self.transport) :])
        if capacities.min(initial=0.0) < -FEASIBILITY_TOLERANCE:
            return np.full(len(demands), np.inf), np.full(self.transport.shape, np.nan)
        return ship(self.transport, capacities, demands, FEASIBILITY_TOLERANCE)
