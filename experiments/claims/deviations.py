"""Where this repository does something else than the paper, or where the paper is silent and a choice was made."""

from __future__ import annotations

#: What, the paper, here, and what it changes.
DEVIATIONS: tuple[tuple[str, str, str, str], ...] = (
    (
        "First-stage costs c, uniform",
        "not said; Goerigk and Khosravi draw both stages alike",
        "integers 1..100, as scenario costs",
        "MaxSum, Random and K-means of Table 1 agree",
    ),
    (
        "First-stage costs c, shifted distributions",
        "not said",
        "the centres: means of normal costs, midpoints U[25, 75] of multimodal ones; one deviation per mode",
        "`python -m experiments table readings` shows every reading that was tried",
    ),
    (
        "Means of normal costs",
        "sampled once per problem size",
        "one draw whose seed is the number of items",
        "the paper's draw is not known; `readings` has means drawn for each instance beside it",
    ),
    (
        "Capacities of facility location",
        "200..700",
        "drawn again until all sites together serve the largest total demand",
        "never needed at 30 sites and 30 customers",
    ),
    (
        "Demands of facility location",
        "10..500, how they vary between scenarios is not said",
        "independent and uniform over scenarios and customers",
        "MaxSum, which is not trained, has three times the paper's regret",
    ),
    (
        "Rule of largest demand",
        "none: feasibility comes from the network alone",
        "NeurPRISE on facility location puts the scenario of largest total demand first",
        "no infeasible decisions; `infeasibility` has the network alone too",
    ),
    (
        "Graphs of the shipped networks",
        "constraints and variables (cv), sites and customers (ps)",
        "sv: V({s}) and costs of cheap decisions besides; NeurPRISE (paper) has the paper's graphs",
        "at k = 1 they are SingleValue by construction; for vertex covers V({s}) is solved exactly up to 64 nodes, "
        "so 'no integer program is solved' is not true there",
    ),
    (
        "Widths, layers, learning rate of the shipped networks",
        "128 -> 64, 2 layers, 6e-4",
        "16 or 32, 2 or 3 layers, 1.2e-3 to 2e-3, cosine; NeurPRISE (paper) has the paper's",
        "all training experiments change the shipped recipe, not the paper's",
    ),
    (
        "GINE details",
        "widths between layers, dropout, eta's feature, cosine not said",
        "see docs/neurprise.md",
        "unknown",
    ),
    ("Dropout", "not said", "0", "unknown"),
    ("Precision", "bfloat16 (AMP)", "float32", "bfloat16 is slower on this processor"),
    (
        "Stopping of NeurPRISE (paper)",
        "at most 200 epochs, patience 10",
        "selection: early stop (82 epochs); vertex cover 48 and facility location 36 epochs, loss still falling",
        "vertex cover and facility location may be short of what the recipe gives",
    ),
    (
        "Labels of facility location",
        "2,500 instances",
        "660",
        "NeurPRISE (paper) has a quarter of the paper's labels there",
    ),
    (
        "Labels of VC-50-50 and VC-50-100",
        "500, traces of 8 steps",
        "120 and 60, traces of 4 steps",
        "target-scale on vertex covers says little",
    ),
    (
        "Seed",
        "42, and 1, 2, 3, 4, 42 for variance",
        "0 (vertex cover 1) and 0 to 4; NeurPRISE (paper) 42",
        "within chance",
    ),
    (
        "Engine",
        "Gurobi 12, 40 threads",
        "HiGHS, one thread, and enumeration of small first stages",
        "ties among optimal decisions are broken otherwise (columns 'ties' and 'best')",
    ),
    ("Gap", "1e-4", "1e-4 for reduced problems, 0 for labels", "small gains of PRISE need 0"),
    (
        "Seconds",
        "wall-clock, mean over the test set",
        "CPU seconds of one thread, median",
        "ratios can be compared, seconds cannot",
    ),
    (
        "PRISE",
        "Algorithm 1",
        "the same traces from bounds and a pool",
        "30 to 2,400 times cheaper (`prise`), so speed-ups over PRISE are smaller",
    ),
    (
        "Test instances",
        "250 small, 50 medium and large; not said for 5x, more scenarios and shifts",
        "100 of 250 for small facility location and shifts, fewer of the hardest sets: column n",
        "wider intervals",
    ),
    (
        "Intervals",
        "none printed",
        "95 %, widened by the paper's own sampling error, as if its instances differed as much as ours",
        "a difference inside is chance, not proof of equality",
    ),
    (
        "Reading of the numbers",
        "each cell by itself",
        "a claim of several numbers is held to 95 % for all of them together",
        "about one cell in twenty carries a star by chance",
    ),
)

UNKNOWN = "not known"
_SINGLE_VALUE = (
    "at k = 1 it is SingleValue by construction: it reads V({s}), and the largest V({s}) is a poor first choice"
)
_SURROGATE = "the decision that it returns is worse than its first one, see [Neur2RO](neur2ro.md)"
_COVERS = "a network of our own training, on uniform costs and 50 scenarios; the paper's training set is not known"
_SITES = ("CFLP-30-30-50", "CFLP-70-70-50", "CFLP-70-70-100", "CFLP-30-30-100", "CFLP-30-30-200")
#: Why a network is worse than the paper's by more than chance, by method, set and budget.
WORSE: dict[tuple[str, str, int | None], str] = {
    ("neurprise", "SEL-50-100", 1): _SINGLE_VALUE,
    (
        "neurprise",
        "SEL-20-50-normal",
        1,
    ): f"{_SINGLE_VALUE}; MaxSum is off as well: the paper's one draw of means is unknown",
    ("neurprise-paper", "CFLP-30-30-50", 6): (
        "a quarter of the paper's labels, stopped early; MaxSum, which learns nothing, is three times the paper's too"
    ),
    **{("neur2ro", name, None): _SURROGATE for name in _SITES},
    ("neur2ro", "VC-20-50", None): _COVERS,
    ("neur2ro", "VC-20-200", None): _COVERS,
}
