"""
A report as one self-contained page: readable without scripts, alive with them, nothing from any network.

| file | job |
|---|---|
| `markup.py` | the page itself: sections in words, tables and drawings that need no script |
| `content.py`, `plans.py` | the same as data, for the script |
| `columns.py` | small tables by columns: the decision beside others, gains and scores |
| `chart.py`, `drawing.py` | charts and the family's picture as SVG |
| `provenance.py` | where the answer comes from |
| `page.css`, `page.js`, `vendor/` | style, script, and the chart library (uPlot, MIT) that it uses |
"""

from neurprise.report.page.markup import render

__all__ = ["render"]
