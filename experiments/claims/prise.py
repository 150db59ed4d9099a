"""What the paper says about PRISE: its properties, how few scenarios it needs, and what it costs."""

from __future__ import annotations

from collections.abc import Mapping

from experiments.claims import statistics as of
from experiments.claims.claim import Claim
from experiments.claims.rules import Between, Equal, Holds
from experiments.claims.statistics import with_
from experiments.spec import PaperRow
from experiments.specs.analysis import SEL_COMPRESSION, VC_COMPRESSION

_TITLES = {"random": "Random", "maxsum": "MaxSum", "prise": "PRISE"}


def _compression(instances: str, printed: Mapping[str, PaperRow]) -> list[Claim]:
    """Every number of the table but the medians, which are whole scenarios."""
    claims = []
    for method, row in printed.items():
        mean, _, *shares = (value or 0.0 for value in row)
        statistics = [(with_(of.compression_mean, instances=instances, method=method), mean)]
        statistics += [
            (with_(of.compression_share, instances=instances, method=method, percent=percent), share)
            for percent, share in zip(of.COMPRESSION_COLUMNS, shares, strict=True)
        ]
        says = f"{instances}, {_TITLES[method]}: mean ratio, shares of instances within 2, 4, 8, 12 %, and never"
        rule = Equal(tuple(statistics), count=250)
        claims.append(Claim("Table 'Compression ratio'", says, rule, "All in percent.", ("compression",)))
    return claims


CLAIMS = [
    Claim(
        "Proposition 1",
        "V(R) never falls as scenarios are added, and never exceeds V(all)",
        Holds(of.values_never_fall),
        "It is proved in the paper; the rows hold no exception up to the engine's precision.",
        ("compression",),
    ),
    Claim(
        "Remark 1",
        "V is not submodular: the table of V(R) of a problem with three decisions and three scenarios",
        Holds(of.counterexample_holds),
        "Enumerated when this page is written.",
    ),
    Claim(
        "Remark 1, PRISE trace",
        "PRISE picks s_3, s_1, s_2 there, with gains 5, 1, 2",
        Holds(of.greedy_trace_holds),
        "Enumerated when this page is written.",
    ),
    Claim(
        "Introduction",
        "PRISE comes within 1 % of the objective with 2 to 8 % of the scenarios",
        Between(with_(of.compression_ratio, method="prise"), 2.0, 8.0),
        "The mean share of the scenarios, in percent.",
        ("compression",),
    ),
    Claim(
        "Introduction",
        "Problem-agnostic baselines need 2 to 7 times more scenarios for equal coverage",
        Between(of.more_scenarios, 2.0, 7.0, judge=False),
        "Traces end after 8 steps, where most baselines have not come close, so the ratios are lower bounds.",
        ("compression",),
    ),
    *_compression("SEL-20-50", SEL_COMPRESSION),
    *_compression("VC-20-50", VC_COMPRESSION),
    Claim(
        "Appendix, compression",
        "Gains are non-increasing in 93 to 99 % of the instances",
        Between(of.falling_by_instance, 92.5, 99.5),
        "One rise among the steps counts against an instance, and vertex covers have more steps.",
        ("compression",),
    ),
    Claim(
        "Appendix, compression",
        "The same, if steps are counted instead of instances",
        Between(of.falling_by_step, 92.5, 99.5),
        "The paper does not say what it counts; vertex covers stay below its range under both counts.",
        ("compression",),
    ),
    Claim(
        "Figure 'Mean marginal gain'",
        "Mean gains fall from step to step",
        Holds(of.gains_fall_on_average),
        "Means over 250 instances, a gain of zero after the last step.",
        ("compression",),
    ),
    Claim(
        "Figure 'Distribution of PRISE stop steps'",
        "PRISE mostly stops before its budget; the figure prints no numbers",
        Holds(of.stop_steps),
        "Shares of the instances by the step of the last gain.",
        ("compression",),
    ),
    Claim(
        "Appendix, labeling cost",
        "Labels of both small sets take 14.5 hours (0.33 and 14.2)",
        Between(of.labelling_hours, 0.33, 14.2, judge=False, digits=2),
        "Seconds depend on engine and machine; with bounds and a pool PRISE makes the same labels in seconds.",
        ("prise",),
    ),
    Claim(
        "Section 'PRISE', cost",
        "PRISE solves O(k S) integer programs an instance",
        Between(of.solves, 50.0, 400.0),
        "True of Algorithm 1 as written; with bounds and a pool the same traces come from a few solves.",
        ("prise",),
    ),
]
