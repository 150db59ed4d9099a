"""Tables as plain text, for terminals and for pages."""

from __future__ import annotations

from collections.abc import Sequence

from experiments.views.statistics import Mean, Printed, remark


def text_table(columns: Sequence[str], lines: Sequence[Sequence[str]], left: int = 1) -> str:
    """Columns as wide as their widest cell; the first `left` to the left, the others to the right."""
    widths = [max(map(len, cells)) for cells in zip(columns, *lines, strict=True)]
    shown = [_line(columns, widths, left), "  ".join("-" * width for width in widths)]
    return "\n".join([*shown, *(_line(line, widths, left) for line in lines)])


def number(value: float | None, digits: int = 2) -> str:
    """Fixed digits, no minus before zero; a dash for what is not there."""
    return "-" if value is None else f"{value:z.{digits}f}"


def difference(value: float | None, digits: int = 2) -> str:
    """The same with its sign."""
    return "-" if value is None else f"{value:+z.{digits}f}"


def compared(ours: Mean | None, paper: Printed | None) -> str:
    """Ours minus the paper's, with a star where chance does not explain the difference."""
    if ours is None or paper is None:
        return "- "
    return difference(ours.value - paper.value, paper.digits) + remark(ours, paper)


def interval(mean: Mean | None, digits: int = 2) -> str:
    """Both ends."""
    return "-" if mean is None else f"[{number(mean.low, digits)}, {number(mean.high, digits)}]"


def seconds(value: float | None) -> str:
    """Three significant digits."""
    return "-" if value is None else f"{value:.3g}"


def _line(cells: Sequence[str], widths: Sequence[int], left: int) -> str:
    padded = [
        cell.ljust(width) if place < left else cell.rjust(width)
        for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return "  ".join(padded).rstrip()
