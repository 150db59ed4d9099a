"""A family without the list of its first stage, so that an engine solves every V(R) as it does for other problems."""

from __future__ import annotations

from inspect import signature

import neurprise as nr


def engine_only(problem: nr.TwoStageProblem) -> nr.TwoStageProblem:
    """The same problem; its oracle stays."""
    family = type(problem)
    arguments = {name: getattr(problem, name) for name in signature(family).parameters}
    without_list: type[nr.TwoStageProblem] = type(family.__name__, (family,), {"first_stage_list": None})
    return without_list(**arguments)
