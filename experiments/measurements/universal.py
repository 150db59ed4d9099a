"""The universal checkpoint on classes of problems that it never saw, and on the families, beside other reducers."""

from __future__ import annotations

from experiments.instances.published import tiny_problem
from experiments.instances.sets import SETS, Made
from experiments.instances.unseen_classes import CLASSES
from experiments.methods.base import Method
from experiments.methods.reduced import Reduced
from experiments.spec import Panel, Spec

#: Wall-clock seconds for an optimum, and for an answer.
OPTIMUM_SECONDS, ANSWER_SECONDS = 60.0, 10.0
#: Those that solve no integer program while they choose come first.
COMPARED = ("universal", "relaxation", "maxsum", "kmeans", "random", "singlevalue", "ccg")

METHODS: dict[str, Method] = {
    "universal-unseen": Reduced("universal without the family", checkpoint="universal-without-{family}"),
    "universal-tuned": Reduced("... tuned to 50 instances", checkpoint="universal-tuned-to-{family}"),
    "universal-tuned-netdes": Reduced("universal tuned to 50 instances", checkpoint="universal-tuned-to-netdes"),
    "without-single-values": Reduced("NeurPRISE without V({s})", checkpoint="{family}-ps"),
}


def unseen(name: str) -> Made:
    """One of the classes."""
    return Made(name, CLASSES[name], tiny_problem, OPTIMUM_SECONDS, ANSWER_SECONDS)


UNSEEN = Spec(
    "unseen-classes",
    "The universal network on classes that it never saw",
    tuple(Panel(unseen(name), 20, COMPARED, (2, 4, 6)) for name in CLASSES),
    view="classes",
    note="An answer has ten wall-clock seconds.",
)
TUNED = Spec(
    "tuned",
    "The universal network tuned to fifty instances of network design",
    (Panel(unseen("netdes"), 20, ("universal", "universal-tuned-netdes"), (2, 4, 6)),),
    view="classes",
)
_FAMILIES = {"SEL-20-50": 250, "VC-20-50": 250, "CFLP-30-30-50": 100}
FAMILIES = Spec(
    "families",
    "The universal network on the families, also without having seen them, beside the families' own",
    tuple(
        Panel(
            SETS[name],
            count,
            (
                "neurprise",
                "universal",
                "universal-unseen",
                *(("universal-tuned",) if name.startswith("VC") else ()),
                *(() if name.startswith("CFLP") else ("without-single-values",)),
                "maxsum",
            ),
            (4, 6),
        )
        for name, count in _FAMILIES.items()
    ),
)
SPECS = (UNSEEN, TUNED, FAMILIES)
