"""Where an answer comes from: when, by which method, with which versions."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib import metadata
from typing import TYPE_CHECKING

from neurprise.solvers import engine_version

if TYPE_CHECKING:
    from neurprise.report.report import Report


def provenance(report: Report, given: Mapping[str, str]) -> dict[str, str]:
    """Facts by name: what the caller tells first, then method, versions and the date of the page."""
    return {
        **given,
        "method": report.reducer,
        **_engine(report),
        "neurprise": metadata.version("neurprise"),
        "python": f"{platform.python_version()} on {platform.system()}",
        "page written": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }


def _engine(report: Report) -> dict[str, str]:
    """Not named where nothing was given to it."""
    if report.num_solves == 0:
        return {}
    return {"engine": f"{report.solver} {engine_version(report.solver) or ''}".strip()}
