"""A report as JSON and back: with its names, without its problem."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from neurprise.arrays import frozen
from neurprise.errors import FormatError
from neurprise.report.averages import averages_in
from neurprise.search.session import Iteration, Status
from neurprise.search.verification import Verification

if TYPE_CHECKING:
    from neurprise.report.report import Report

# Names are written with the lists they name; the problem has its own file formats.
_NOT_WRITTEN = ("x_names", "scenario_names", "problem", "totals", "averages_as_read", "objective_value")
# Written for readers; `Report` computes them.
_DERIVED = ("gap_percent", "regret_bound", "absolute_gap", "worst_scenario_name", "value")
# Written where every cost is known, else None.
_AVERAGES = ("expected", "cvar", "probabilities")
# Added by the command line on request.
_ADDED = ("recourse", "costs", "insights")


def to_dict(report: Report) -> dict[str, Any]:
    """Plain data, ready for JSON; unknown (infinite) numbers become None."""
    data = {item.name: getattr(report, item.name) for item in fields(report) if item.name not in _NOT_WRITTEN}
    data |= {name: getattr(report, name) for name in _DERIVED}
    data |= dict.fromkeys(_AVERAGES) if report.averages is None else report.averages.to_dict()
    data["x"] = None if report.x is None else report.x.tolist()
    data["decision"] = report.decision
    data["status"] = report.status.value
    for listing in ("scenarios", "infeasible_scenarios"):
        data[listing] = list(getattr(report, listing))
        data[_names_of(listing)] = [report.scenario_name(s) for s in getattr(report, listing)]
    for listing in ("gains", "scores"):
        values = getattr(report, listing)
        data[listing] = None if values is None else list(values)
    data["iterations"] = [{name: _finite(v) for name, v in asdict(step).items()} for step in report.iterations]
    data["verification"] = None if report.verification is None else report.verification.to_dict()
    return {name: _finite(value) for name, value in data.items()}


def to_json(report: Report) -> str:
    """One JSON object."""
    return json.dumps(to_dict(report))


def from_json(kind: type[Report], text: str) -> Report:
    """The report that `to_json` wrote."""
    try:
        return kind(**_arguments(json.loads(text)))
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise FormatError(f"a report must be the JSON that to_json wrote, but it raised {error!r}.") from None


def _arguments(data: dict[str, Any]) -> dict[str, Any]:
    worst_name, data["objective_value"] = data["worst_scenario_name"], data.get("value", data["worst_case"])
    averages = averages_in(data)
    for name in (*_DERIVED, *_AVERAGES, *_ADDED):
        data.pop(name, None)
    decision, second, names = data.pop("decision"), data.pop("verification"), _scenario_names(data)
    if worst_name is not None:
        names[int(data["worst_scenario"])] = str(worst_name)
    none = -math.inf if data["maximize"] else math.inf  # no worst case attained, no bound proved
    worst = -none if data["maximize"] and "regret" in data.get("objective", "worst") else none
    unknown = {"worst_case": none, "objective_value": worst, "lower_bound": -worst}
    return {
        **_restored(data, unknown),
        "x": None if data["x"] is None else frozen(np.array(data["x"], dtype=np.float64)),
        "status": Status(data["status"]),
        "scenarios": tuple(data["scenarios"]),
        "infeasible_scenarios": tuple(data["infeasible_scenarios"]),
        **{name: None if data.get(name) is None else tuple(data[name]) for name in ("gains", "scores")},
        "iterations": tuple(Iteration(**_restored(step, unknown)) for step in data["iterations"]),
        "verification": None if second is None else Verification.from_dict(second),
        "x_names": () if decision is None else tuple(decision),
        "scenario_names": names,
        "averages_as_read": averages,
    }


def _scenario_names(data: dict[str, Any]) -> dict[int, str]:
    """Number -> name of kept and infeasible scenarios; removes their lists of names from `data`."""
    names: dict[int, str] = {}
    for listing in ("scenarios", "infeasible_scenarios"):
        names |= zip(map(int, data[listing]), map(str, data.pop(_names_of(listing))), strict=True)
    return names


def _names_of(listing: str) -> str:
    return listing.removesuffix("s") + "_names"


def _restored(data: dict[str, Any], unknown: dict[str, float]) -> dict[str, Any]:
    return {name: unknown[name] if value is None and name in unknown else value for name, value in data.items()}


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
