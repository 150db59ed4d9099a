"""What answers on few scenarios cost on all, beside the reduced problem's own decision; parts of published problems."""

from __future__ import annotations

from functools import partial

import numpy as np

from experiments.instances.published import INSTANCES, tiny_problem
from experiments.instances.sets import Made
from experiments.methods.base import Method
from experiments.spec import Panel, Spec
from neurprise.problem import TwoStageProblem

#: Wall-clock seconds for an optimum, and for an answer.
OPTIMUM_SECONDS, ANSWER_SECONDS = 60.0, 30.0
COMPARED = ("maxsum", "kmeans", "random", "neurprise", "relaxation")
#: Scenarios of a part, and how many parts are drawn.
PARTS = {
    "sslp_5_25_15_BB": (15, 1), "sslp_5_25_15_BC": (15, 1), "sslp_5_25_15_CC": (15, 1), "sslp_10_50_50": (25, 1),
    "dcap233_500": (25, 4), "dcap243_200": (25, 2), "dcap332_200": (25, 3), "sizes5": (5, 1),
}  # fmt: skip


def part_of(name: str, size: int, number: int) -> TwoStageProblem:
    """So many scenarios of a published problem, drawn by the number of the part; all where it has no more."""
    whole = INSTANCES[name]()
    if whole.num_scenarios <= size:
        return whole
    drawn = np.random.default_rng(number).choice(whole.num_scenarios, size, replace=False)
    return whole.restrict(np.sort(drawn).tolist())


METHODS: dict[str, Method] = {}
FEW_SCENARIOS = Spec(
    "few-scenarios",
    "Answers on four scenarios of published problems, beside the reduced problem's own decision",
    tuple(
        Panel(
            Made(f"{name}-{size}", partial(part_of, name, size), tiny_problem, OPTIMUM_SECONDS, ANSWER_SECONDS),
            count, COMPARED, (4,) if size > 5 else (2,),
        )
        for name, (size, count) in PARTS.items()
    ),
)  # fmt: skip
SPECS = (FEW_SCENARIOS,)
