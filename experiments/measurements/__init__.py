"""
Measurements of speed as specs of the one runner: `python -m experiments run NAME`, `python -m experiments table NAME`.

A room defines METHODS and SPECS; a new one is a file here, listed below. Seconds are CPU seconds of one thread unless
the spec says otherwise, and ratios compare rows of one version of the code.
"""

from __future__ import annotations

from experiments.measurements import (
    choosing,
    cluster,
    doors,
    evaluation,
    exact,
    few_scenarios,
    linear,
    masters,
    neur2ro,
    objectives,
    page,
    passes,
    published,
    refine,
    solve_files,
    startup,
    universal,
    versions,
    workers,
)

ROOMS = (
    exact, choosing, published, linear, evaluation, refine, versions, workers, cluster, masters, passes, page, startup,
    universal, neur2ro, few_scenarios, solve_files, doors, objectives,
)  # fmt: skip
