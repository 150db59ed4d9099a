"""
The methods that experiments compare, by the name they have in rows; adding one is a line in `METHODS`.

Those of training experiments stand beside their recipes in `specs/training.py` and register there.
"""

from __future__ import annotations

from experiments.methods.answers import (
    AtEqualTime,
    Exact,
    Surrogate,
    Within,
    exact_search,
    extensive_form,
    refined,
)
from experiments.methods.base import Method
from experiments.methods.reduced import NetworkAlone, Reduced

#: Gaps of the tolerance sweep, and wall-clock seconds of the searches that a clock ends.
TOLERANCES = (0.01, 0.03, 0.07, 0.15, 0.25)
SECONDS = (0.5, 1.0, 2.0, 5.0, 10.0)

METHODS: dict[str, Method] = {
    "exact": Exact(),
    "prise": Reduced("PRISE", "prise"),
    "random": Reduced("Random", "random"),
    "sor": Reduced("SOR", "sor"),
    "kmeans": Reduced("K-means", "kmeans"),
    "maxsum": Reduced("MaxSum", "maxsum"),
    "neur2ro": Surrogate(),
    "neurprise": Reduced("NeurPRISE", "neurprise"),
    "neurprise-paper": Reduced("NeurPRISE (paper)", checkpoint="paper-{family}"),
    "network-alone": Reduced("NeurPRISE, network alone", ranks=NetworkAlone),
    "network-alone-paper": Reduced("NeurPRISE (paper), alone", checkpoint="paper-{family}", ranks=NetworkAlone),
    "universal": Reduced("NeurPRISE (universal)", shipped="universal"),
    "ccg": Reduced("CCG prefix", "ccg"),
    "singlevalue": Reduced("SingleValue", "singlevalue"),
    "relaxation": Reduced("Relaxation", "relaxation"),
    "milp-equal-time": AtEqualTime("MILP at equal time", extensive_form),
    "solve-equal-time": AtEqualTime("nr.solve at equal time", exact_search),
    "refine-equal-time": AtEqualTime("NeurPRISE, refined, at equal time", refined),
    **{f"neurprise-gap-{gap:g}": Reduced(f"NeurPRISE, gap {100 * gap:g} %", gap=gap) for gap in TOLERANCES},
    **{f"milp-{s:g}s": Within(f"MILP, {s:g} s", extensive_form, s) for s in SECONDS},
    **{f"solve-{s:g}s": Within(f"nr.solve, {s:g} s", exact_search, s) for s in SECONDS},
    **{f"refine-{s:g}s": Within(f"NeurPRISE, refined, {s:g} s", refined, s) for s in SECONDS},
}
