"""A module with compiled functions, run in processes of its own."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]

MODULE = '''
from neurprise.compiled import Compiler

compiled = Compiler("the toy", seconds=1)

@compiled
def half(value):
    """Half of it."""
    return value / 2

@compiled
def sum_of_halves(values):
    total = 0.0
    for value in values:
        total += half(value)
    return total
'''

PROGRAM = """
import json, logging, sys
import numpy as np
import toy

logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(message)s")
answers = [toy.sum_of_halves(np.array([1, 2, 3], dtype=kind)) for kind in sys.argv[1:]]
print(json.dumps({"answers": answers, "compiled": toy.compiled.num_compiled, "folder": toy.sum_of_halves.folder}))
"""


@dataclass(frozen=True)
class Toy:
    """
    Runs the module's `sum_of_halves` on 1, 2, 3 in new processes.

    Parameters
    ----------
    folder, home, temporary
        Where its file stands, the user's home, and the folder for temporary files.
    environment
        Of the processes.
    """

    folder: Path
    home: Path
    temporary: Path
    environment: dict[str, str]

    def start(self, *kinds, prefix=(), before="", **environment):
        """A running process; `before` is Python that comes first, `kinds` are the types of number to call with."""
        return subprocess.Popen(
            [*prefix, sys.executable, "-c", before + PROGRAM, *(kinds or ["float64"])],
            env={**self.environment, **environment},
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *kinds, **options):
        """What it printed, with what it told under "told"."""
        return finished(self.start(*kinds, **options))


def finished(process):
    """The answer of a process that `Toy.start` started."""
    output, told = process.communicate()
    assert process.returncode == 0, told
    return {**json.loads(output), "told": told}
