"""Instances that the networks were not trained on: larger ones, more scenarios, other distributions."""

from __future__ import annotations

from experiments.instances.readings import DRAWN, FIRST_STAGE, Reading
from experiments.instances.sets import SETS, InstanceSet
from experiments.spec import Panel, Spec

#: The paper's rows, then those that it lacks.
METHODS = ("maxsum", "neur2ro", "neurprise", "universal", "ccg", "singlevalue", "relaxation")

SIZE = Spec(
    "size-5x",
    "Problems five times as large as in training",
    (
        Panel(
            SETS["SEL-100-50"],
            50,
            METHODS,
            (1, 2, 4, 6),
            {"maxsum": (6.45, 5.66, 3.47, 2.96), "neur2ro": (6.85,), "neurprise": (5.21, 3.26, 2.12, 0.81)},
        ),
        Panel(
            SETS["VC-100-50"],
            50,
            METHODS,
            (1, 2, 4, 6),
            {"maxsum": (14.88, 9.80, 6.99, 5.76), "neur2ro": (14.79,), "neurprise": (15.98, 10.09, 5.89, 4.20)},
        ),
        Panel(
            SETS["CFLP-150-150-50"],
            50,
            METHODS,
            (6,),
            {"maxsum": (0.03,), "neur2ro": (0.36,), "neurprise": (0.02,)},
        ),
    ),
    source="Tables 'Generalization to 5x problem size' and 'CFLP generalization'",
)

SCENARIOS = Spec(
    "scenarios",
    "More scenarios than in training",
    (
        Panel(
            SETS["SEL-20-100"],
            100,
            METHODS,
            (2, 4, 8),
            {"maxsum": (6.00, 3.57, 2.44), "neur2ro": (6.35,), "neurprise": (3.35, 1.25, 0.32)},
        ),
        Panel(
            SETS["SEL-20-200"],
            100,
            METHODS,
            (4, 8, 16),
            {"maxsum": (2.84, 1.99, 1.23), "neur2ro": (5.09,), "neurprise": (1.24, 0.55, 0.07)},
        ),
        Panel(
            SETS["VC-20-100"],
            100,
            METHODS,
            (2, 4, 8),
            {"maxsum": (9.49, 5.55, 3.44), "neur2ro": (12.29,), "neurprise": (8.96, 5.05, 1.77)},
        ),
        Panel(
            SETS["VC-20-200"],
            100,
            METHODS,
            (4, 8, 16),
            {"maxsum": (5.59, 3.56, 1.88), "neur2ro": (10.52,), "neurprise": (4.78, 2.48, 0.87)},
        ),
        Panel(
            SETS["CFLP-30-30-100"],
            50,
            METHODS,
            (8,),
            {"maxsum": (0.16,), "neur2ro": (1.36,), "neurprise": (0.13,)},
        ),
        Panel(
            SETS["CFLP-30-30-200"],
            50,
            METHODS,
            (16,),
            {"maxsum": (0.08,), "neur2ro": (1.03,), "neurprise": (0.01,)},
        ),
    ),
    source="Tables 'Scenario generalization' and 'CFLP generalization'",
)

SHIFT_NOTE = (
    "First-stage costs are centres of the distribution, the reading of the paper's text that is closest to its MaxSum "
    "(experiment readings). "
    "The paper's Neur2RO was trained on the shifted distribution, this one on uniform data; in-distribution has the "
    "networks, of both methods, that were trained on it."
)
NORMAL = Spec(
    "normal",
    "Scenarios of a normal distribution, networks trained on uniform ones",
    (
        Panel(
            SETS["SEL-20-50-normal"],
            250,
            METHODS,
            (1, 2, 4, 6),
            {"maxsum": (3.09, 2.91, 2.13, 1.62), "neurprise": (2.27, 2.18, 1.89, 1.56)},
        ),
        Panel(
            SETS["VC-20-50-normal"],
            250,
            METHODS,
            (1, 2, 4, 6),
            {"maxsum": (4.69, 3.92, 2.29, 0.72), "neurprise": (4.56, 3.71, 2.39, 0.89)},
        ),
        Panel(
            SETS["CFLP-30-30-50-normal"],
            250,
            METHODS,
            (6,),
            {"maxsum": (0.19,), "neurprise": (0.14,)},
        ),
    ),
    source="Tables 'Distribution shift (Normal)' and 'CFLP distribution shift'",
    note=SHIFT_NOTE,
)
MULTIMODAL = Spec(
    "multimodal",
    "Scenarios of several regimes, networks trained on uniform ones",
    (
        Panel(
            SETS["SEL-20-50-multimodal"],
            250,
            METHODS,
            (1, 2, 4, 6),
            {"maxsum": (1.91, 1.50, 1.08, 0.77), "neurprise": (1.19, 0.82, 0.46, 0.28)},
        ),
        Panel(
            SETS["VC-20-50-multimodal"],
            250,
            METHODS,
            (1, 2, 4, 6),
            {"maxsum": (7.53, 6.22, 5.19, 4.18), "neurprise": (7.78, 6.71, 4.66, 3.84)},
        ),
        Panel(
            SETS["CFLP-30-30-50-multimodal"],
            250,
            METHODS,
            (6,),
            {"maxsum": (0.15,), "neurprise": (0.11,)},
        ),
    ),
    source="Tables 'Distribution shift (MM)' and 'CFLP distribution shift'",
    note=SHIFT_NOTE,
)

#: Of costs; facility location has demands, and its first-stage costs are never shifted.
_SHIFTED = [panel for spec in (NORMAL, MULTIMODAL) for panel in spec.panels[:2]]
READINGS = Spec(
    "readings",
    "Readings of the paper's text on shifted costs",
    tuple(
        Panel(Reading(shifted.instances, first, drawn), 100, ("maxsum", "neurprise"), shifted.budgets, shifted.paper)
        for shifted in _SHIFTED
        if isinstance(shifted.instances, InstanceSet)
        for drawn in DRAWN[shifted.instances.distribution]
        for first in FIRST_STAGE
    ),
    view="readings",
    note="The paper's appendix does not say how first-stage costs c are drawn where scenarios are shifted, nor what is "
    "drawn for each node. 'distance' is the mean distance of MaxSum's regret from the paper's in percentage points, "
    "'NeurPRISE' that of NeurPRISE, which is another network than the paper's. normal and multimodal take: c centre, "
    "means per size, as the text says; c 25..75, deviation per mode. The paper has no numbers of K-means there.",
)

SPECS = (SIZE, SCENARIOS, NORMAL, MULTIMODAL, READINGS)
