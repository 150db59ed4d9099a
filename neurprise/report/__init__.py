"""
The answer and its shapes: one file per shape, all in the user's names and the user's sign.

| file | shape |
|---|---|
| `report.py` | the value itself, `Report`, and how a search becomes one |
| `text.py` | what `print` shows |
| `serialization.py` | JSON |
| `tables.py`, `export.py` | decision, costs and recourse as tables: CSV, Excel, pandas |
| `regret.py` | cost against the best cost in hindsight |
| `html.py`, `page/` | a notebook cell, a page |
"""

from neurprise.report.report import Report, report_of

__all__ = ["Report", "report_of"]
