"""The page of all tables, written from the stored rows when the site is built."""

from __future__ import annotations

from pathlib import Path

from experiments.runner import stored_rows
from experiments.spec import Spec
from experiments.specs import SPECS
from experiments.views.tables import table

_HEAD = """\
# All results

Every table and figure of the paper beside our numbers, and further experiments. [Results](results.md) is the summary.
This page is written from the rows in `experiments/rows` when the site is built; `python -m experiments table --all`
writes it too. Each row holds its commit, seed and machine. The command above a table prints that table, and
`python -m experiments run NAME` measures missing rows and resumes where it was stopped.

How to read the tables:

- **ours** is the mean regret in percent of the reduced problem's own solution, the paper's measure, with the interval
  that 95 % of resampled means lie in; **paper** is what the paper printed for other instances of the same distribution,
  solved by Gurobi on 40 threads; **diff** is ours minus the paper's, with a star where chance does not explain it: the
  paper's number lies outside our interval widened by the sampling error of the paper's own instances and by its
  rounding (ten instances or more).
- **nr.solve** is the regret of the decision that `nr.solve` returns with the same method, the best of all that it
  evaluated; **proved** is the mean of its `regret_bound`, a certificate that the paper does not have.
- **seconds** are CPU seconds of one thread for choosing, solving and evaluating one instance, in the median,
  **nr.solve s** those of `nr.solve`, and **paper s** the paper's wall-clock seconds divided by its number of instances.
- **n** is the number of instances. Regret is measured against the optimum in `experiments/rows`. If some optima are not
  proved, the line above the table gives their number and largest gap; the true regret is larger than the printed one by
  at most that gap. Infeasible answers have no regret and are counted apart.
"""


def results_page(rows: Path) -> str:
    """The whole page; experiments without rows are listed at its end."""
    sections, waiting = [], []
    for spec in SPECS.values():
        measured = stored_rows(spec, rows)
        if measured:
            sections.append(_section(spec, table(spec, measured)))
        else:
            waiting.append(f"- `python -m experiments run {(*spec.rows_of, spec.name)[0]}`: {_title(spec)}")
    tail = ["## Not measured yet\n\nOne command each, resumable:\n\n" + "\n".join(waiting)] if waiting else []
    return "\n".join([_HEAD, *sections, *tail]).rstrip() + "\n"


def _section(spec: Spec, shown: str) -> str:
    parts = [f"## {spec.title}\n", f"{spec.source}.\n" if spec.source else "Not in the paper.\n"]
    if spec.note:
        parts.append(f"{spec.note}\n")
    parts.append(f"```console\n$ python -m experiments table {spec.name}\n{shown}\n```\n")
    if spec.figure:
        parts.append(f"`python -m experiments figure {spec.name}` draws:\n\n![{spec.title}](figures/{spec.name}.svg)\n")
    return "\n".join(parts)


def _title(spec: Spec) -> str:
    return spec.title + (f" ({spec.source})" if spec.source else "")
