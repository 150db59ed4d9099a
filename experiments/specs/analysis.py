"""What PRISE is like, and which choices leave facility location without recourse."""

from __future__ import annotations

from experiments.instances.sets import SETS
from experiments.spec import Panel, Spec
from experiments.specs.performance import ALONE

#: Compression table of the paper: mean, median, shares within 2, 4, 8, 12 % of the scenarios, not converged; in %.
SEL_COMPRESSION = {
    "random": (15.3, 16.0, 1.2, 1.6, 5.2, 8.0, 91.2),
    "maxsum": (10.9, 12.0, 10.0, 21.6, 38.4, 51.2, 42.8),
    "prise": (4.2, 4.0, 34.4, 79.6, 95.2, 96.4, 3.6),
}
VC_COMPRESSION = {
    "random": (15.8, 16.0, 0.0, 0.4, 1.2, 3.2, 95.6),
    "maxsum": (13.9, 16.0, 0.4, 4.4, 13.6, 25.2, 67.2),
    "prise": (7.8, 8.0, 1.2, 18.8, 71.6, 91.6, 5.6),
}
COMPRESSED = ("random", "maxsum", "prise")
STEPS = (1, 2, 3, 4, 5, 6, 7, 8)

COMPRESSION = Spec(
    "compression",
    "How few scenarios bring V(R) within 1 % of the optimum, and how PRISE's gains decay",
    (
        Panel(SETS["SEL-20-50"], 250, COMPRESSED, STEPS, SEL_COMPRESSION),
        Panel(SETS["VC-20-50"], 250, COMPRESSED, STEPS, VC_COMPRESSION),
    ),
    source="Table 'Compression ratio'; figures 'Mean marginal gain' and 'Distribution of PRISE stop steps'",
    view="compression",
    figure="prise",
    note="An instance that never comes close counts as the whole budget of 8, as there.",
)

#: Infeasible shares in %, at k = 1, 2, 4, 6.
SMALL_INFEASIBLE = {
    "kmeans": (98.8, 97.2, 93.2, 90.4),
    "random": (94.8, 89.2, 83.6, 79.6),
    "maxsum": (1.6, 0.0, 0.0, 0.0),
    "neur2ro": (0.0,),
    "neurprise": (20.0, 5.2, 0.4, 0.0),
    "network-alone": (20.0, 5.2, 0.4, 0.0),
    "network-alone-paper": (20.0, 5.2, 0.4, 0.0),
}
MEDIUM_INFEASIBLE = {
    "kmeans": (100.0, 98.0, 98.0, 86.0),
    "random": (98.0, 92.0, 86.0, 86.0),
    "maxsum": (0.0, 0.0, 0.0, 0.0),
    "neur2ro": (0.0,),
    "neurprise": (4.0, 0.0, 0.0, 0.0),
}
LARGE_INFEASIBLE = {
    "kmeans": (98.0, 88.0, 88.0, 90.0),
    "random": (100.0, 100.0, 96.0, 94.0),
    "maxsum": (0.0, 0.0, 0.0, 0.0),
    "neur2ro": (0.0,),
    "neurprise": (10.0, 2.0, 0.0, 0.0),
}
DECIDED = ("kmeans", "random", "maxsum", "neur2ro", "neurprise", "ccg", "prise")
SMALL_DECIDED = (*DECIDED[:5], *ALONE, *DECIDED[5:])

INFEASIBILITY = Spec(
    "infeasibility",
    "How often a decision leaves a scenario of facility location without recourse",
    (
        Panel(SETS["CFLP-30-30-50"], 250, SMALL_DECIDED, (1, 2, 4, 6), SMALL_INFEASIBLE, paper_digits=1),
        Panel(SETS["CFLP-70-70-50"], 50, DECIDED, (1, 2, 4, 6), MEDIUM_INFEASIBLE, paper_digits=1),
        Panel(SETS["CFLP-70-70-100"], 50, DECIDED, (1, 2, 4, 6), LARGE_INFEASIBLE, paper_digits=1),
    ),
    source="Table 'CFLP infeasibility rate'",
    view="infeasibility",
    rows_of=("small", "medium", "large"),
    note="From the rows of small, medium and large; 'nr.solve' is the share that is infeasible in what it returns. "
    "A hand-written rule puts the scenario of largest total demand first in NeurPRISE, so its zeros are the rule's; "
    "'network alone' is the same network without the rule, which is what the paper measures. Intervals are Wilson's.",
)

SPECS = (COMPRESSION, INFEASIBILITY)
