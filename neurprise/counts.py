"""Counts in words: one scenario, but two scenarios."""

from __future__ import annotations


def counted(count: int, noun: str) -> str:
    """`1 solve`, `2 solves`, `1,200 scenarios`; the noun in the singular, made plural by an s at its end."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def part_of(part: int, whole: int, noun: str) -> str:
    """`1 of 1 scenario`, `2 of 1,200 scenarios`."""
    return f"{part:,} of {counted(whole, noun)}"
