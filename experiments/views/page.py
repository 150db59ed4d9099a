"""docs/results.md, written from the stored rows: every table under the command that prints it."""

from __future__ import annotations

from pathlib import Path

from experiments.runner import stored_rows
from experiments.spec import Spec
from experiments.specs import SPECS
from experiments.views.tables import table

_HEAD = """\
# Results

Every table and figure of the paper, and what the paper lacks, beside the paper's numbers. This page is written by
`python -m experiments table --all` and `python -m experiments figure --all` from the rows in `experiments/rows`. The
rows hold the commit, the seed and the machine of each; `make docs` fails when page and rows disagree. The command above
a table prints it. `python -m experiments run NAME` measures what is missing up to the full count, and goes on where it
was stopped.

How to read the tables:

- **ours** is the mean regret in percent of the reduced problem's own solution, the paper's measure, with the interval
  that 95 % of resampled means lie in; **paper** is what the paper printed for other instances of the same distribution,
  solved by Gurobi on 40 threads; **diff** is ours minus the paper's, with a star where the paper's number lies outside
  our interval (ten instances or more).
- **nr.solve** is the regret of what `nr.solve` returns with the same method, the best of all decisions it met;
  **proved** is the mean of its `regret_bound`, a certificate that the paper does not have.
- **seconds** are CPU seconds of one thread for choosing, solving and evaluating one instance, in the median,
  **nr.solve s** those of `nr.solve`, and **paper s** the paper's wall-clock seconds divided by its number of instances.
- **n** is the number of instances. Regret is against the optimum in `experiments/rows`; where that was not
  proved, the line above the table says for how many and how wide their gaps are, and the truth is larger than what is
  printed by at most that gap. Infeasible answers have no regret and are counted apart.
"""


def results_page(rows: Path, figures: Path) -> str:
    """The whole page; experiments without rows are listed at its end."""
    sections, waiting = [], []
    for spec in SPECS.values():
        measured = stored_rows(spec, rows)
        if measured:
            sections.append(_section(spec, table(spec, measured), (figures / f"{spec.name}.svg").exists()))
        else:
            waiting.append(f"- `python -m experiments run {(*spec.rows_of, spec.name)[0]}`: {_title(spec)}")
    tail = ["## Not measured yet\n\nOne command each, resumable:\n\n" + "\n".join(waiting)] if waiting else []
    return "\n".join([_HEAD, *sections, *tail]).rstrip() + "\n"


def _section(spec: Spec, shown: str, has_figure: bool) -> str:
    parts = [f"## {spec.title}\n", f"{spec.source}.\n" if spec.source else "Not in the paper.\n"]
    if spec.note:
        parts.append(f"{spec.note}\n")
    parts.append(f"```console\n$ python -m experiments table {spec.name}\n{shown}\n```\n")
    if has_figure:
        parts.append(f"`python -m experiments figure {spec.name}` draws:\n\n![{spec.title}](figures/{spec.name}.svg)\n")
    return "\n".join(parts)


def _title(spec: Spec) -> str:
    return spec.title + (f" ({spec.source})" if spec.source else "")
