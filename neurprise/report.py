"""What solve() answers: a decision, its true worst case, a proved bound, and why the search stopped."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, fields
from enum import Enum
from typing import Any

import numpy as np

from neurprise.arrays import Floats, frozen
from neurprise.errors import FormatError
from neurprise.exact.ccg import Iteration


class Status(Enum):
    """Why the search stopped; only OPTIMAL claims that the requested gap is proved."""

    OPTIMAL = "optimal"
    REDUCED = "reduced"  # the reduced problem is solved; regret_bound says how good that is
    TIME_LIMIT = "time limit"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, eq=False)
class Report:
    """
    A first-stage decision with the proof of how good it is: lower_bound <= optimum <= worst_case.

    Parameters
    ----------
    x
        First-stage decision, shape (n,); None when none was found in time.
    worst_case
        Z(x) over all scenarios; inf when x is None.
    lower_bound
        Proved: no decision has a smaller worst case.
    regret_bound
        100 (worst_case - lower_bound) / |lower_bound|: x is at most this many percent above the optimum.
    status
        Why the search stopped.
    scenarios
        Scenarios in the last reduced problem, in the order in which they were chosen.
    worst_scenario
        The scenario that attains worst_case; None when x is None.
    runtime
        Wall-clock seconds of the whole call: reducing, solving, evaluating; not reading the problem.
    iterations
        Convergence history, one entry per reduced problem solved.
    num_solves
        Mixed-integer programs given to the engine, reducing included.
    reducer, solver
        Names of the method ("exact" without one) and the engine.
    maximize
        The source was a maximisation; costs are negated profits.
    """

    x: Floats | None
    worst_case: float
    lower_bound: float
    status: Status
    scenarios: tuple[int, ...]
    worst_scenario: int | None
    runtime: float
    iterations: tuple[Iteration, ...] = ()
    num_solves: int = 0
    reducer: str = "exact"
    solver: str = "highs"
    maximize: bool = False

    @property
    def regret_bound(self) -> float:
        """How many percent x can be above the optimum, at most."""
        return regret_percent(self.worst_case, self.lower_bound)

    def __str__(self) -> str:
        rows = {
            "worst case": _number(self.worst_case) + self._worst_note(),
            "lower bound": f"{_number(self.lower_bound)} (proved)",
            "regret": f"at most {self.regret_bound:.4g} %",
            "status": f"{self.status.value}, {self.num_solves} solves, {len(self.scenarios)} scenarios kept",
            "runtime": f"{self.runtime:.2f} s ({self.reducer}, {self.solver})",
        }
        return "\n".join(f"{name:<12} {value}" for name, value in rows.items())

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON; unknown (infinite) numbers become None."""
        data = {item.name: getattr(self, item.name) for item in fields(self)}
        data["x"] = None if self.x is None else self.x.tolist()
        data["status"] = self.status.value
        data["scenarios"] = list(self.scenarios)
        data["regret_bound"] = self.regret_bound
        data["iterations"] = [{k: _finite(v) for k, v in asdict(step).items()} for step in self.iterations]
        return {name: _finite(value) for name, value in data.items()}

    def to_json(self) -> str:
        """One JSON object with the field names of this class."""
        return json.dumps(self.to_dict())

    @classmethod
    def from_json(cls, text: str) -> Report:
        """The report that `to_json` wrote."""
        try:
            data = json.loads(text)
            data.pop("regret_bound")
            steps = tuple(Iteration(**_with_infinities(step)) for step in data.pop("iterations"))
            x = data.pop("x")
            return cls(
                **{
                    **_with_infinities(data),
                    "x": None if x is None else frozen(np.array(x, dtype=np.float64)),
                    "status": Status(data["status"]),
                    "scenarios": tuple(data["scenarios"]),
                    "iterations": steps,
                }
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise FormatError(f"a report must be the JSON that to_json wrote, but {error!r} came up.") from None

    def _worst_note(self) -> str:
        return "" if self.worst_scenario is None else f" (scenario {self.worst_scenario})"


def regret_percent(worst_case: float, lower_bound: float) -> float:
    """100 (worst_case - lower_bound) / |lower_bound|; 0 for equal values, inf where nothing is proved."""
    difference = worst_case - lower_bound
    if difference <= 0:
        return 0.0
    if not math.isfinite(difference) or lower_bound == 0:
        return math.inf
    return 100 * difference / abs(lower_bound)


def _number(value: float) -> str:
    """Whole numbers whole, others to two decimals or six digits, never in powers of ten unless huge."""
    if not math.isfinite(value) or float(value).is_integer():
        return f"{value:,.0f}"
    return f"{value:,.2f}" if abs(value) >= 10_000 else f"{value:.6g}"


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _with_infinities(data: dict[str, Any]) -> dict[str, Any]:
    unknown = {"worst_case": math.inf, "lower_bound": -math.inf}
    return {name: unknown[name] if value is None and name in unknown else value for name, value in data.items()}
