"""Larger problems, more scenarios, other distributions, and what training changes: selections and vertex covers."""

from __future__ import annotations

from experiments.claims import statistics as of
from experiments.claims.claim import Claim
from experiments.claims.rules import Between, Lower, NotMeasured, Same

OTHERS = ("maxsum", "neur2ro")
_CHOSEN = (
    "No independent check: of the readings of the text the one closest to these numbers was chosen, on the same seeds."
)
_MEANS = "Chosen as for multimodal costs; besides, the paper's one draw of the means is not known."
_SHIPPED = "The shipped network reads V({s}), the paper's does not; its numbers say nothing about the paper's."


def _numbers(spec: str, table: str, sets: tuple[str, ...], judge_network: bool = False) -> list[Claim]:
    claims = []
    for name in sets:
        says = f"{name}: regret of MaxSum"
        why = {"normal": _MEANS, "multimodal": _CHOSEN}.get(spec, "Nothing is trained.")
        claims.append(Claim(table, says, Same(spec, (name,), ("maxsum",)), why, (spec,)))
        says = f"{name}: regret of NeurPRISE and Neur2RO"
        rule = Same(spec, (name,), ("neurprise", "neur2ro"), judge=judge_network)
        claims.append(Claim(table, says, rule, _SHIPPED, (spec,)))
    return claims


def _best(spec: str, where: str, says: str, sets: tuple[str, ...], budgets: tuple[int, ...]) -> Claim:
    rule = Lower(spec, sets, "neurprise", OTHERS, budgets)
    return Claim(where, says, rule, "The shipped network against MaxSum and Neur2RO on the same instances.", (spec,))


_SIZE, _COUNT = "Table 'Generalization to 5x problem size'", "Table 'Scenario generalization'"
_NORMAL, _MULTIMODAL = "Table 'Distribution shift (Normal)'", "Table 'Distribution shift (MM)'"
_SEEDS = "Other networks than the paper's: graphs that tell more, smaller widths, another learning rate."

CLAIMS = [
    *_numbers("size-5x", _SIZE, ("SEL-100-50", "VC-100-50")),
    _best("size-5x", _SIZE, "Selections: NeurPRISE lowest at every budget", ("SEL-100-50",), (1, 2, 4, 6)),
    _best("size-5x", _SIZE, "Vertex covers: NeurPRISE lowest from k = 4 on", ("VC-100-50",), (4, 6)),
    *_numbers("scenarios", _COUNT, ("SEL-20-100", "SEL-20-200", "VC-20-100", "VC-20-200")),
    _best(
        "scenarios", _COUNT, "100 scenarios: NeurPRISE lowest on both families", ("SEL-20-100", "VC-20-100"), (2, 4, 8)
    ),
    _best(
        "scenarios", _COUNT, "200 scenarios: NeurPRISE lowest on both families", ("SEL-20-200", "VC-20-200"), (4, 8, 16)
    ),
    *_numbers("normal", _NORMAL, ("SEL-20-50-normal", "VC-20-50-normal")),
    _best("normal", _NORMAL, "Selections: NeurPRISE_uni lowest at every budget", ("SEL-20-50-normal",), (1, 2, 4, 6)),
    _best("normal", _NORMAL, "Vertex covers: NeurPRISE_uni lowest at k = 1 and 2", ("VC-20-50-normal",), (1, 2)),
    *_numbers("multimodal", _MULTIMODAL, ("SEL-20-50-multimodal", "VC-20-50-multimodal")),
    _best(
        "multimodal",
        _MULTIMODAL,
        "Selections: NeurPRISE_uni lowest from k = 2 on",
        ("SEL-20-50-multimodal",),
        (2, 4, 6),
    ),
    _best(
        "multimodal", _MULTIMODAL, "Vertex covers: NeurPRISE_uni lowest from k = 4 on", ("VC-20-50-multimodal",), (4, 6)
    ),
    Claim(
        "Tables 'Distribution shift'",
        "NeurPRISE_norm, NeurPRISE_mm and Neur2RO trained on the shifted distribution: regret",
        Same("in-distribution", judge=False),
        "Measured under a former reading, in which first-stage costs are drawn like scenario costs.",
        ("in-distribution",),
    ),
    Claim(
        "Table 'Small-scale versus target-scale training'",
        "Selections: small-scale and target-scale networks",
        Same("target-scale", ("SEL-50-50", "SEL-50-100"), judge=False),
        _SEEDS,
        ("target-scale",),
    ),
    Claim(
        "Table 'Small-scale versus target-scale training'",
        "Vertex covers: small-scale and target-scale networks",
        Same("target-scale", ("VC-50-50", "VC-50-100"), judge=False),
        "Ours had 120 and 60 labels of four steps instead of 500, and few of the fifty instances.",
        ("target-scale",),
    ),
    Claim(
        "Table 'Effect of training-set size'",
        "500, 1,500 and 2,500 labels on small instances",
        Same("training-size", ("SEL-20-50", "VC-20-50"), judge=False),
        f"{_SEEDS} On ours the number of labels hardly matters.",
        ("training-size",),
    ),
    Claim(
        "Table 'Effect of training-set size'",
        "500, 1,500 and 2,500 labels, tested on medium instances",
        Same("training-size", ("SEL-50-50", "VC-50-50"), judge=False),
        _SEEDS,
        ("training-size",),
    ),
    Claim(
        "Table 'Seed variance analysis'",
        "Selections: mean over five seeds",
        Same("seeds", ("SEL-20-50",), judge=False),
        _SEEDS,
        ("seeds",),
    ),
    Claim(
        "Table 'Seed variance analysis'",
        "Vertex covers: mean over five seeds",
        Same("seeds", ("VC-20-50",), judge=False),
        _SEEDS,
        ("seeds",),
    ),
    Claim(
        "Appendix, seed variance",
        "Deviations between seeds are small: at most 0.31 percentage points",
        Between(of.seed_deviation, 0.0, 0.315, digits=2),
        "Five seeds of the shipped recipe; a deviation of five numbers has no interval here.",
        ("seeds",),
    ),
    Claim(
        "Table 'Encoder-fusion ablation'",
        "Late fusion, early fusion and pooling differ little",
        Same("fusion", judge=False),
        f"{_SEEDS} Among ours the fusions do not differ beyond their intervals either.",
        ("fusion",),
    ),
    Claim(
        "Table 'Loss-function ablation'",
        "Small instances: SWKL is moderately better than BCE",
        Same("loss", ("SEL-20-50", "VC-20-50"), judge=False),
        f"{_SEEDS} Among ours the losses do not differ beyond their intervals.",
        ("loss",),
    ),
    Claim(
        "Table 'Loss-function ablation'",
        "Medium instances: SWKL is clearly better than BCE",
        Same("loss", ("SEL-50-50", "VC-50-50"), judge=False),
        f"{_SEEDS} Among ours the losses do not differ beyond their intervals on selections.",
        ("loss",),
    ),
    Claim(
        "Appendix, loss comparison",
        "R2R is the third loss of the ablation (named in Section 'Loss Function', never defined, no numbers)",
        NotMeasured("'ranking' is our reading of it"),
        "The paper does not define it.",
        ("loss",),
    ),
]
