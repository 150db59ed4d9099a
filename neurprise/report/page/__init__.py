"""
A report as one self-contained HTML page. It is readable without scripts, interactive with them, and needs no network.

| file | contents |
|---|---|
| `markup.py` | the page: text, tables and drawings for readers without scripts |
| `content.py` | the same data for the script, and the recourse plans in compressed form |
| `decision.py` | the decision as grids and as a list |
| `tiles.py` | the numbers of the answer and what they mean |
| `elements.py` | tables of texts |
| `columns.py` | small tables by column: the comparison, gains and scores |
| `questions.py` | sections of the trade-off and of what guarantee and knowledge are worth |
| `chart.py` | charts and the family's picture as SVG |
| `page.css`, `page.js`, `vendor/` | style, script, and the chart library (uPlot, MIT) |
"""

from pathlib import Path

from neurprise.errors import InputError
from neurprise.report.page.markup import render

__all__ = ["check_suffix", "render"]


def check_suffix(path: Path) -> None:
    """Raise before the work begins for a name that no browser opens as a page."""
    if path.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"the name of a page must end in .html or .htm, got {str(path)!r}; rename it.")
