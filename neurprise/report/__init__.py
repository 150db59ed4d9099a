"""
The answer in all its forms. Every number is in the user's sign; every variable and scenario has the user's name.

| file | contents |
|---|---|
| `report.py` | `Report`, and how a search outcome becomes a report |
| `text.py` | printed text and the notebook cell |
| `serialization.py` | JSON |
| `tables.py` | decision, costs, regret and recourse as tables: CSV, Excel, pandas |
| `comparison.py` | `nr.compare` |
| `averages.py` | mean and tails of the costs |
| `new_scenarios.py` | are the scenarios enough: the chance that a new one costs more than the guarantee |
| `insights.py` | price of robustness, value of perfect information and of the stochastic solution |
| `tradeoff.py` | `nr.tradeoff` |
| `explain.py` | `nr.why_infeasible` |
| `plot.py` | figures with matplotlib |
| `page/` | the HTML page |
"""

from neurprise.report.report import Report, report_of

__all__ = ["Report", "report_of"]
