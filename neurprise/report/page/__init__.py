"""
A report as one self-contained HTML page. It is readable without scripts, interactive with them, and needs no network.

| file | contents |
|---|---|
| `markup.py` | the page: text, tables and drawings for readers without scripts |
| `content.py` | the same data for the script, and the recourse plans in compressed form |
| `columns.py` | small tables by column: the comparison, gains and scores |
| `questions.py` | sections of the trade-off and of what guarantee and knowledge are worth |
| `chart.py` | charts and the family's picture as SVG |
| `page.css`, `page.js`, `vendor/` | style, script, and the chart library (uPlot, MIT) |
"""

from neurprise.report.page.markup import render

__all__ = ["render"]
