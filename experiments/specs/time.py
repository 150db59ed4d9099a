"""What time buys: equal seconds, looser tolerances, more scenarios, and searches that a clock ends."""

from __future__ import annotations

from experiments.instances.sets import SETS
from experiments.methods import SECONDS, TOLERANCES
from experiments.spec import Panel, Spec

#: The paper's columns: NeurPRISE and the MILP; then what `nr.solve` makes of the same seconds.
EQUAL_TIME = ("neurprise", "milp-equal-time", "solve-equal-time", "refine-equal-time")

TIME_BUDGET = Spec(
    "time-budget",
    "NeurPRISE against searches that get the same seconds",
    (
        Panel(
            SETS["VC-50-50"],
            50,
            EQUAL_TIME,
            (4, 6),
            {"neurprise": (6.10, 3.57), "milp-equal-time": (16.43, 14.98)},
        ),
        Panel(
            SETS["VC-50-100"],
            50,
            EQUAL_TIME,
            (4, 6),
            {"neurprise": (6.12, 4.72), "milp-equal-time": (34.45, 23.91)},
        ),
    ),
    source="Table 'Time-budgeted comparison'",
    note="The seconds are the wall-clock time that NeurPRISE takes on the same instance: choose, solve, evaluate.",
)
SWEEP = ("neurprise", *(f"neurprise-gap-{gap:g}" for gap in TOLERANCES), "neur2ro")
TOLERANCE = Spec(
    "tolerance",
    "Reduced problems solved to looser gaps",
    (Panel(SETS["VC-50-50"], 50, SWEEP, (2, 4, 6)), Panel(SETS["VC-50-100"], 50, SWEEP, (2, 4, 6))),
    source="Figure 'Regret vs. total solve time at different MIP gap tolerances'",
    figure="pareto",
    note="The paper prints no numbers for its figure.",
)
GROWTH = Spec(
    "growth",
    "The same instances with more and more of their scenarios",
    (
        *(Panel(SETS["VC-50-50"].first(s), 50, ("neurprise",), (6,)) for s in (10, 20)),
        Panel(SETS["VC-50-50"], 50, ("neurprise",), (6,)),
        *(Panel(SETS["VC-50-100"].first(s), 50, ("neurprise",), (6,)) for s in (20, 50)),
        Panel(SETS["VC-50-100"], 50, ("neurprise",), (6,)),
    ),
    source="Tables 'Medium instances' and 'Large instances' of scenario-count growth",
    view="growth",
    note="Seconds of each part as a multiple of those with the fewest scenarios (10 and 20), on the same instances.",
)
WITHIN = tuple(f"{search}-{s:g}s" for search in ("milp", "solve", "refine") for s in SECONDS)
ANYTIME = Spec(
    "anytime",
    "Regret against seconds: one model of all scenarios, exact search, refinement from NeurPRISE's choice",
    (
        Panel(SETS["SEL-50-100"], 20, WITHIN, ()),
        Panel(SETS["VC-50-50"], 20, WITHIN, ()),
        Panel(SETS["CFLP-70-70-50"], 20, WITHIN, ()),
    ),
    figure="anytime",
    note="Limits are wall-clock seconds. Not in the paper.",
)
SIZES = (
    "SEL-20-50", "VC-20-50", "CFLP-30-30-50", "SEL-50-50", "VC-50-50", "CFLP-70-70-50", "SEL-50-100", "VC-50-100",
    "CFLP-70-70-100",
)  # fmt: skip
WHICH_METHOD = Spec(
    "which-method",
    "Which method to use, for a size and a number of seconds",
    tuple(Panel(SETS[name], 0, (), ()) for name in SIZES),
    view="winners",
    figure="tradeoff",
    rows_of=("small", "medium", "large", "anytime"),
    note="Of what nr.solve returns; methods are listed where all their answers have recourse and a proof.",
)

SPECS = (TIME_BUDGET, TOLERANCE, GROWTH, ANYTIME, WHICH_METHOD)
