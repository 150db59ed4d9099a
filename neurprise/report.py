"""What solve() answers: a decision, its true worst case, a proved bound, and why the search stopped."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from neurprise.arrays import Floats, frozen
from neurprise.convergence import Iteration, Status, regret_percent
from neurprise.errors import FormatError
from neurprise.verify import Verification


@dataclass(frozen=True, eq=False)
class Report:
    """
    A first-stage decision with the proof of how good it is: lower_bound <= optimum <= worst_case.

    Parameters
    ----------
    x
        First-stage decision, shape (n,); None when none was found in time.
    worst_case
        Z(x) over all scenarios; inf when x is None, has no recourse in some scenario, or is not checked on all.
    lower_bound
        Proved: no decision has a smaller worst case.
    regret_bound
        100 (worst_case - lower_bound) / |lower_bound|: x is at most this many percent above the optimum; inf where the
        signs differ, for then no percentage is proved.
    absolute_gap
        worst_case - lower_bound: x costs at most this much more than the optimum.
    status
        Why the search stopped.
    scenarios
        Scenarios in the last reduced problem, in the order in which they were chosen.
    worst_scenario
        The scenario that attains worst_case; None where that is not known.
    infeasible_scenarios
        Scenarios in which x has no recourse.
    num_checked
        On how many scenarios x was evaluated: all of them, unless time was over before.
    runtime
        Wall-clock seconds of the whole call: reducing, solving, evaluating; not reading the problem, nor compiling.
    iterations
        Convergence history, one entry per reduced problem solved.
    num_solves
        Mixed-integer programs given to the engine, reducing included.
    reducer, solver
        Names of the method ("exact" without one) and the engine.
    maximize
        The source was a maximisation; costs are negated profits.
    verification
        What a second engine says, where one was asked.
    """

    x: Floats | None
    worst_case: float
    lower_bound: float
    status: Status
    scenarios: tuple[int, ...]
    worst_scenario: int | None
    runtime: float
    infeasible_scenarios: tuple[int, ...] = ()
    num_checked: int = 0
    iterations: tuple[Iteration, ...] = ()
    num_solves: int = 0
    reducer: str = "exact"
    solver: str = "highs"
    maximize: bool = False
    verification: Verification | None = None

    @property
    def regret_bound(self) -> float:
        """How many percent x can be above the optimum, at most; inf where no percentage is proved."""
        return regret_percent(self.worst_case, self.lower_bound)

    @property
    def absolute_gap(self) -> float:
        """How much more than the optimum x can cost, at most; inf where one of both ends is unknown."""
        return max(self.worst_case - self.lower_bound, 0.0)

    def __str__(self) -> str:
        rows = {
            "worst case": _number(self.worst_case) + self._worst_note(),
            "lower bound": f"{_number(self.lower_bound)} (proved)" if self.lower_bound > -math.inf else "none proved",
            "regret": self._regret_note(),
            "status": f"{self.status.value}, {self.num_solves} solves, {len(self.scenarios)} scenarios kept",
            "runtime": f"{self.runtime:.2f} s ({self.reducer}, {self.solver})",
        }
        if self.verification is not None:
            rows["checked"] = str(self.verification)
        return "\n".join(f"{name:<12} {value}" for name, value in rows.items())

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON; unknown (infinite) numbers become None."""
        data = {item.name: getattr(self, item.name) for item in fields(self)}
        data["x"] = None if self.x is None else self.x.tolist()
        data["status"] = self.status.value
        data["scenarios"] = list(self.scenarios)
        data["infeasible_scenarios"] = list(self.infeasible_scenarios)
        data["regret_bound"] = self.regret_bound
        data["absolute_gap"] = self.absolute_gap
        data["iterations"] = [{k: _finite(v) for k, v in asdict(step).items()} for step in self.iterations]
        data["verification"] = None if self.verification is None else self.verification.to_dict()
        return {name: _finite(value) for name, value in data.items()}

    def to_json(self) -> str:
        """One JSON object with the field names of this class."""
        return json.dumps(self.to_dict())

    @classmethod
    def from_json(cls, text: str) -> Report:
        """The report that `to_json` wrote."""
        try:
            data = json.loads(text)
            for derived in ("regret_bound", "absolute_gap"):
                data.pop(derived)
            second = data.pop("verification")
            steps = tuple(Iteration(**_with_infinities(step)) for step in data.pop("iterations"))
            x = data.pop("x")
            return cls(
                **{
                    **_with_infinities(data),
                    "x": None if x is None else frozen(np.array(x, dtype=np.float64)),
                    "status": Status(data["status"]),
                    "scenarios": tuple(data["scenarios"]),
                    "infeasible_scenarios": tuple(data["infeasible_scenarios"]),
                    "iterations": steps,
                    "verification": None if second is None else Verification.from_dict(second),
                }
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise FormatError(f"a report must be the JSON that to_json wrote, but {error!r} came up.") from None

    def _worst_note(self) -> str:
        if self.infeasible_scenarios:
            shown = ", ".join(map(str, self.infeasible_scenarios[:5]))
            more = ", ..." if len(self.infeasible_scenarios) > 5 else ""
            return f" (no recourse in {len(self.infeasible_scenarios)} scenarios: {shown}{more})"
        if self.x is not None and math.isinf(self.worst_case):
            return f" (not known: checked on {self.num_checked} scenarios only)"
        return "" if self.worst_scenario is None else f" (scenario {self.worst_scenario})"

    def _regret_note(self) -> str:
        if math.isfinite(self.regret_bound):
            return f"at most {self.regret_bound:.4g} %"
        if math.isfinite(self.absolute_gap):
            return f"at most {_number(self.absolute_gap)}, no percentage because the optimum may be close to zero"
        return "not bounded"


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
