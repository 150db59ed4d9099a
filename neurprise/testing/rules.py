"""The error for a broken rule."""

from __future__ import annotations


def require(kept: bool, rule: str) -> None:
    """Raise AssertionError with the rule as its sentence unless it is kept."""
    if not kept:
        raise AssertionError(f"{rule}.")
