"""
In which unit engines see costs, and from which size on a cost is cut down for them.

Engines keep rows, bounds and reduced costs to absolute tolerances, so their proofs hold for costs of ordinary size
only. Other costs are divided by a power of two, which loses nothing. A cost far above the value that is looked for,
such as a penalty for shortage, is cut down to the largest cost that an engine can still tell from the others. On a
variable that cannot fall below zero this relaxes the problem: every bound stays true. Where the optimum does not use
the variable, the bound is as good as before.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from neurprise.arrays import Floats
from neurprise.problem import TwoStageProblem
from neurprise.solvers import EngineResult, Limits, Model

#: Where all costs are at most the second and most at least the first, nothing is scaled: engines were right on
#: thousands of such problems.
_ORDINARY_COSTS = (1e-3, 1e6)
#: A typical cost or value, in units.
_TYPICAL = 64.0
#: Values outside this range, in units, are computed again in another unit.
_FITTING_VALUES = (0.5, 1e6)
#: Smaller costs, in units, are taken for nothing where that relaxes the problem: SCIP was wrong beside them.
_SMALLEST_COST = 2.0**-30
#: The largest cost that engines see, in units: from ten times as much on they were wrong beside values of `_TYPICAL`.
_LARGEST_COST = 2.0**20


@dataclass(frozen=True)
class CostScale:
    """
    How costs are given to an engine.

    Parameters
    ----------
    unit
        A power of two; engines see costs divided by it.
    largest
        In the user's unit: larger costs are cut down to it where that relaxes the problem.
    """

    unit: float = 1.0
    largest: float = math.inf

    @classmethod
    def around(cls, size: float) -> CostScale:
        """The scale in which costs or values of this size, above zero, are ordinary."""
        unit = 2.0 ** round(math.log2(size / _TYPICAL))
        return cls(unit, _LARGEST_COST * unit)

    def fits(self, value: float) -> bool:
        """Whether an engine that found this value in this scale can be believed."""
        smallest, largest = _FITTING_VALUES
        untouched = self is ORDINARY or value == 0.0 or not math.isfinite(value)
        return untouched or smallest <= abs(value) / self.unit <= largest

    def fitted_to(self, value: float) -> CostScale:
        """This scale, or one in which the value is ordinary."""
        return self if self.fits(value) else CostScale.around(abs(value))

    def relaxed(self, costs: Floats, lower: Floats, upper: Floats) -> Floats:
        """
        Costs with those cut down that are too large, where zero is the cheapest value of their variable.

        Those that are too small to be told from zero become zero.
        """
        if self.largest == math.inf:
            return costs
        negligible = np.abs(costs) < _SMALLEST_COST * self.unit
        seen = np.where(negligible, 0.0, np.clip(costs, -self.largest, self.largest))
        is_relaxed = ((lower == 0.0) & (costs > 0.0)) | ((upper == 0.0) & (costs < 0.0))
        return np.where(is_relaxed, seen, costs)

    def applied(self, model: Model) -> Model:
        """The model as an engine sees it: values of its costs are in units."""
        costs = self.relaxed(model.costs, model.lower, model.upper)
        return replace(model, costs=costs / self.unit, offset=model.offset / self.unit)

    def limits(self, limits: Limits) -> Limits:
        """Limits in units."""
        return (
            limits
            if self.unit == 1.0
            else replace(limits, target=limits.target / self.unit, cutoff=limits.cutoff / self.unit)
        )

    def read(self, result: EngineResult) -> EngineResult:
        """What an engine found and proved, in the user's unit; duals stay in units."""
        if self.unit == 1.0:
            return result
        return replace(result, objective=result.objective * self.unit, bound=result.bound * self.unit)


ORDINARY = CostScale()


def cost_scale(problem: TwoStageProblem) -> CostScale:
    """
    The scale in which a problem's costs are ordinary; `ORDINARY` where they are.

    A quarter of all costs may be smaller, so that neither a few negligible ones nor many penalties decide.
    """
    sizes = problem.cost_sizes
    if len(sizes) == 0:
        return ORDINARY
    typical = float(np.quantile(sizes, 0.25, method="lower"))
    smallest, largest = _ORDINARY_COSTS
    if typical >= smallest and sizes.max() <= largest:
        return ORDINARY
    scale = CostScale.around(typical)
    return CostScale(1.0, _LARGEST_COST) if smallest <= typical <= largest / _TYPICAL else scale


def has_ordinary_costs(problem: TwoStageProblem) -> bool:
    """Whether engines can be given the costs as they are."""
    return cost_scale(problem) is ORDINARY
