"""
Programs that judge the package's answers: each is a module here with a `main(argv)`, and a line in `JUDGES`.

`examining/`, `oracles/`, `random_problems/`, `damaged_files/` and `model_files/` are what they consist of.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence

#: Name, that of the module with hyphens -> what it does.
JUDGES = {
    "crosscheck": "Random problems with every feature, solved by every engine and method, judged from outside",
    "files": "LP and MPS files of six tools: read as HiGHS, SCIP and Gurobi read them, or refused",
    "fuzz": "Damaged files: every answer is a valid problem or one sentence, in bounded memory and time",
    "models": "Models of eight tools, one per scenario: `nr.from_models` says what each tool says of its own",
    "new-scenarios": "Drawn scenarios: how often a new one costs more than the guarantee, beside what is said of it",
    "objectives-judge": "Every objective on random problems, judged by listed decisions and by other engines",
    "soak": "Thousands of mixed solves in one process: memory, open files and threads must not grow",
}


def run_judge(name: str, arguments: Sequence[str]) -> int:
    """Hand over to the module's main(); its exit code."""
    return int(importlib.import_module(f"{__name__}.{name.replace('-', '_')}").main(list(arguments)) or 0)
