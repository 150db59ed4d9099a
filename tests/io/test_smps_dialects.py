"""What SMPS files in the wild do, each in the smallest file that shows it."""

import numpy as np
import pytest

import neurprise as nr
from neurprise.io import read
from tests.io.tiny_smps import CORE, STOCH, TIME, write_smps


def demands(problem):
    """The demand row's lower limit in every scenario."""
    return [problem.scenario(s).row_lower[0] for s in range(problem.num_scenarios)]


def stoch(*lines):
    return "\n".join(["STOCH TINY", *lines, "ENDATA", ""])


def test_scenarios_keep_names_and_probabilities(read_smps):
    """Information for reports; no method uses probabilities."""
    problem = read_smps()
    assert problem.scenario_names == ("LOW", "HIGH")
    assert problem.probabilities.tolist() == [0.25, 0.75]
    assert problem.x_names == ("X",)
    assert demands(problem) == [3, 6]
    assert nr.solve(problem).worst_case == pytest.approx(12)


@pytest.mark.parametrize("suffixes", [("core", "time", "stoch"), ("MPS", "TIM", "STO"), ("COR", "tim", "Sto")])
def test_siblings_are_found_by_the_usual_suffixes(tmp_path, suffixes):
    """In any case; from any of the three files."""
    files = [tmp_path / f"tiny.{suffix}" for suffix in suffixes]
    for file, text in zip(files, (CORE, TIME, STOCH), strict=True):
        file.write_text(text)
    for file in files:
        assert demands(read(file)) == [3, 6]


def test_an_index_file_names_the_three(tmp_path):
    """SCIP's .smps files."""
    write_smps(tmp_path)
    (tmp_path / "all.smps").write_text("* comment\ntiny.cor\ntiny.tim\ntiny.sto\n")
    assert demands(read(tmp_path / "all.smps")) == [3, 6]


def test_a_scenario_inherits_what_it_does_not_list(read_smps):
    """HIGHER changes the cost only, its demand is HIGH's."""
    text = STOCH.replace("0.75", "0.65").replace("ENDATA", " SC HIGHER 'HIGH' 0.1 LATER\n    Y  COST  9.0\nENDATA")
    problem = read_smps(stoch=text)
    assert demands(problem) == [3, 6, 6]
    assert [problem.scenario(s).costs[0] for s in range(3)] == [3, 3, 9]


def test_quotes_around_root_do_not_matter(read_smps):
    """Some writers quote it."""
    assert demands(read_smps(stoch=STOCH.replace("ROOT", "'ROOT'"))) == [3, 6]


@pytest.mark.parametrize(("mode", "expected"), [("ADD", [7, 10]), ("MULTIPLY", [12, 24]), ("REPLACE", [3, 6])])
def test_modes_combine_with_the_core(read_smps, mode, expected):
    """The core's demand is 4."""
    assert demands(read_smps(stoch=STOCH.replace("DISCRETE", f"DISCRETE {mode}"))) == expected


def test_added_values_are_relative_to_the_core_even_in_a_child(read_smps):
    """CHILD states demand 4 + 1, not HIGH's 10 + 1; what it does not state it inherits."""
    text = STOCH.replace("DISCRETE", "DISCRETE  ADD").replace("0.75", "0.65")
    text = text.replace("ENDATA", " SC CHILD HIGH 0.1\n    RHS DEMAND 1.0\nENDATA")
    assert demands(read_smps(stoch=text)) == [7, 10, 5]


def test_independent_entries_multiply(read_smps):
    """Two demands times three costs; period names may be left out."""
    text = stoch(
        "INDEP DISCRETE",
        *(f"    RHS DEMAND {value} LATER 0.5" for value in (3, 6)),
        *(f"    Y   COST   {value} {chance}" for value, chance in ((1, 0.2), (2, 0.3), (5, 0.5))),
    )
    problem = read_smps(stoch=text)
    assert demands(problem) == [3, 3, 3, 6, 6, 6]
    assert problem.probabilities == pytest.approx([0.1, 0.15, 0.25] * 2)
    assert problem.scenario_names[4] == "2-2"


def test_a_blocks_later_realisation_keeps_the_firsts_values(read_smps):
    """The second realisation lists the cost only."""
    text = stoch(
        "BLOCKS DISCRETE",
        " BL B LATER 0.5",
        "    RHS DEMAND 7.0",
        "    Y COST 1.0",
        " BL B LATER 0.5",
        "    Y COST 2.0",
    )
    problem = read_smps(stoch=text)
    assert demands(problem) == [7, 7]
    assert [problem.scenario(s).costs[0] for s in range(2)] == [1, 2]


def test_blocks_and_independent_entries_mix(read_smps):
    """Two realisations of a block times two values of an entry."""
    text = stoch(
        "BLOCKS DISCRETE",
        " BL B LATER 0.5",
        "    RHS DEMAND 1.0",
        " BL B LATER 0.5",
        "    RHS DEMAND 2.0",
        "INDEP DISCRETE ADD",
        "    Y COST 1.0 LATER 0.5",
        "    Y COST 2.0 LATER 0.5",
    )
    problem = read_smps(stoch=text)
    assert demands(problem) == [1, 1, 2, 2]
    assert [problem.scenario(s).costs[0] for s in range(4)] == [4, 5, 4, 5]


def test_matrix_entries_bounds_and_first_stage_costs_can_be_random(read_smps):
    """Technology, an entry that the core does not have, an upper bound, and the cost of what is decided now."""
    text = stoch(
        "SCENARIOS DISCRETE",
        " SC A ROOT 0.5",
        "    X DEMAND 0.5",
        "    Y CAP 2.0",
        " UP BND Y 8.0",
        "    X COST 4.0",
        " SC B ROOT 0.5",
    )
    problem = read_smps(stoch=text, time=TIME.replace("CAP ", "COST"))
    assert {kind: change.values.tolist() for kind, change in problem.changes.items()} == {
        "technology": [[0.5], [1.0]],
        "matrix": [[2.0], [0.0]],
        "upper": [[8.0], [np.inf]],
        "x_costs": [[4.0], [2.0]],
    }
    assert problem.first_stage.costs.tolist() == [0.0]
    assert nr.evaluate(problem, [2.0]).recourse_costs.tolist() == pytest.approx([8 + 9, 4 + 6])


def test_a_right_hand_side_moves_both_limits_of_a_ranged_row(read_smps):
    """DEMAND between d and d + 2."""
    core = CORE.replace("ENDATA", "RANGES\n    RNG  DEMAND  2.0\nENDATA")
    problem = read_smps(core=core)
    assert problem.changes["row_lower"].values.ravel().tolist() == [3, 6]
    assert problem.changes["row_upper"].values.ravel().tolist() == [5, 8]


def test_a_random_objective_constant_is_kept(read_smps):
    """A right-hand side of the objective row is a negative constant."""
    text = STOCH.replace("    RHS       DEMAND    6.0", "    RHS       DEMAND    6.0\n    RHS COST -100.0")
    assert nr.solve(read_smps(stoch=text)).worst_case == pytest.approx(112)


def test_the_core_may_maximise(read_smps):
    """Profits become negated costs inside; the flag remembers it, and the answer is a profit again."""
    core = CORE.replace("ROWS\n", "OBJSENSE\n    MAX\nROWS\n").replace("2.0", "-2.0").replace("3.0", "-3.0")
    problem = read_smps(core=core)
    assert problem.maximize
    assert nr.solve(problem).worst_case == pytest.approx(-12)


def test_tabs_and_indented_headers_and_a_foreign_encoding_are_read(tmp_path):
    """A core with Latin-1 accents in a comment, sections moved to the right, blanks as tabs."""
    core = "* Modèle d'énergie\n" + CORE.replace("ROWS", "   ROWS").replace("COLUMNS", " COLUMNS").replace(
        "RHS\n", "  RHS\n"
    )
    path = write_smps(tmp_path, stoch=STOCH.replace("    RHS       DEMAND    ", "\tRHS\tDEMAND\t"))
    path.write_bytes(core.encode("latin-1"))
    assert demands(read(path)) == [3, 6]


@pytest.mark.parametrize("name", ["RHS", "RHS1", "B"])
def test_the_right_hand_side_may_have_any_name(read_smps, name):
    """Core and stoch agree on it; a plain RHS in the stoch file is understood too."""
    core = CORE.replace("    RHS ", f"    {name} ")
    assert demands(read_smps(core=core, stoch=STOCH.replace("RHS ", f"{name} "))) == [3, 6]
    assert demands(read_smps(core=core)) == [3, 6]


def test_a_period_may_have_no_rows(read_smps):
    """The first period names the objective's row; CAP is then no row of it."""
    time = TIME.replace("CAP     ", "COST    ").replace("DEMAND", "CAP   ")
    problem = read_smps(time=time)
    assert demands(problem) == [3, 6]


def test_periods_may_be_given_explicitly(read_smps):
    """Every row and column with its period, in any order."""
    time = (
        "TIME TINY\nPERIODS EXPLICIT\n    NOW\n    LATER\nROWS\n    DEMAND LATER\n    CAP NOW\n"
        "COLUMNS\n    Y LATER\n    X NOW\nENDATA\n"
    )
    assert demands(read_smps(time=time)) == [3, 6]


def test_fixed_format_allows_blanks_in_names(read_smps):
    """Names stand in columns 5-12, 15-22 and 40-47."""
    texts = {"core": CORE, "time": TIME, "stoch": STOCH}
    spaced = {key: text.replace("DEMAND  ", "MY DEM  ").replace("DEMAND\n", "MY DEM\n") for key, text in texts.items()}
    assert "MY DEM" in spaced["core"]
    assert demands(read_smps(**spaced)) == [3, 6]


def test_large_products_are_sampled_with_a_seed(read_smps):
    """Ten scenarios out of 10^9, distinct, the same for the same seed."""
    columns = [f"    Y{k} COST 3.0 DEMAND 1.0" for k in range(9)]
    core = CORE.replace("    Y         COST      3.0            DEMAND    1.0", "\n".join(columns))
    text = stoch("INDEP DISCRETE", *(f"    Y{k} COST {v} 0.1" for k in range(9) for v in range(10)))
    options = {"core": core, "stoch": text, "time": TIME.replace("Y ", "Y0")}
    with pytest.raises(
        nr.FormatError, match=r"combine to 1000000000 scenarios, more than 100000; draw some with sample"
    ):
        read_smps(**options)
    first, second, third = (read_smps(**options, sample=10, seed=seed) for seed in (1, 1, 2))
    assert first.num_scenarios == len(np.unique(first.scenario_data, axis=0)) == 10
    assert np.array_equal(first.scenario_data, second.scenario_data)
    assert not np.array_equal(first.scenario_data, third.scenario_data)
    assert first.probabilities.sum() == pytest.approx(1)


def test_a_sample_larger_than_the_product_is_the_product(read_smps):
    """Then probabilities are exact."""
    assert read_smps(sample=50).probabilities.tolist() == [0.25, 0.75]
