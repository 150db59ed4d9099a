"""Numbers given twice: a warning when they agree, a refusal when they do not."""

import warnings

import pytest

import neurprise as nr
from neurprise.cli import main
from tests.io.tiny_smps import CORE, STOCH, TIME, write_smps

BOUNDED = CORE.replace("ENDATA", "BOUNDS\n UP BND Y 50.0\nENDATA")

REPEATED = [
    pytest.param({"core": CORE.replace("RHS\n", "    Y COST {}\nRHS\n", 1)}, "3.0", "line 10", id="cost"),
    pytest.param({"core": CORE.replace("ENDATA", "    RHS DEMAND {}\nENDATA")}, "4", "line 12", id="right-hand side"),
    pytest.param({"core": BOUNDED.replace("ENDATA", " UP BND Y {}\nENDATA")}, "50", "line 14", id="bound"),
    pytest.param({"stoch": STOCH.replace("6.0\n", "6.0\n    RHS DEMAND {}\n")}, "6.0", "line 7", id="random number"),
]


def filled(texts, number):
    return {name: text.replace("{}", number) for name, text in texts.items()}


@pytest.mark.parametrize(("texts", "number", "line"), REPEATED)
def test_the_same_number_twice_is_a_warning(read_smps, texts, number, line):
    """The problem is that without the repetition."""
    with pytest.warns(nr.InputWarning, match=f"{line}: a number is given twice with the same value; the repetition"):
        problem = read_smps(**filled(texts, number))
    assert nr.solve(problem).worst_case == pytest.approx(12)


@pytest.mark.parametrize(("texts", "number", "line"), REPEATED)
def test_two_different_numbers_are_refused(read_smps, texts, number, line):
    """Nobody can know which one is meant."""
    with pytest.raises(nr.FormatError, match=rf"{line}: .* given twice, as [0-9]+ and as 77; remove one"):
        read_smps(**filled(texts, "77"))


def test_many_repetitions_are_one_warning(read_smps):
    """Some published files repeat every right-hand side."""
    text = STOCH.replace("3.0\n", "3.0\n    RHS DEMAND 3.0\n").replace("6.0\n", "6.0\n    RHS DEMAND 6.0\n")
    with pytest.warns(nr.InputWarning, match="and 1 more") as caught:
        read_smps(stoch=text)
    assert len(caught) == 1


def test_bounds_of_two_kinds_are_no_repetition(read_smps):
    """MI and UP, LO and UP belong together."""
    core = CORE.replace("ENDATA", "BOUNDS\n MI BND Y\n UP BND Y 50.0\n LO BND X 1.0\n UP BND X 9.0\nENDATA")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        problem = read_smps(core=core)
    assert (problem.first_stage.lower[0], problem.first_stage.upper[0]) == (1, 9)


def test_the_command_line_shows_the_warning_and_goes_on(tmp_path, capsys):
    """One line on standard error; the answer is on standard output."""
    path = write_smps(tmp_path, core=CORE.replace("ENDATA", "    RHS DEMAND 4\nENDATA"))
    assert main(["solve", str(path)]) == 0
    captured = capsys.readouterr()
    assert captured.err == (
        "neurprise: warning: tiny.cor, line 12: a number is given twice with the same value; the repetition is "
        "ignored.\n"
    )
    assert captured.out.startswith("worst case   12")


@pytest.mark.parametrize("header", ["PERIODS 2", "PERIODS\t      2", "PERIODS 2 LP", "PERIODS LP"])
def test_the_number_of_periods_may_stand_on_the_section_line(read_smps, header):
    """As in the published ssn.tim."""
    assert read_smps(time=TIME.replace("PERIODS", header)).num_scenarios == 2


@pytest.mark.parametrize(("name", "sizes"), [("ssn", (89, 706)), ("storm", (121, 1259))])
def test_published_products_are_read_by_sampling(shared_data, name, sizes):
    """10^70 and 10^81 combinations: 50 of them, the same ones for the same seed."""
    path = shared_data / "smps" / name / f"{name}.cor"
    problem = nr.read(path, sample=50, seed=1)
    assert (problem.num_first_stage, problem.num_recourse) == sizes
    assert problem.num_scenarios == 50
    again = nr.read(path, sample=50, seed=1)
    assert all((problem.changes[kind].values == again.changes[kind].values).all() for kind in problem.changes)


def test_text_behind_the_end_is_a_warning(read_smps):
    """The format ends there; a section that was moved behind it would be lost without a word."""
    with pytest.warns(nr.InputWarning, match=r"tiny\.cor, line 13: what follows ENDATA is ignored"):
        read_smps(core=CORE + "BOUNDS\n UP BND X 1\n")


def test_blanks_comments_and_old_end_marks_behind_the_end_do_no_harm(read_smps):
    """DOS put a control character there."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_smps(core=CORE + "\n* done\n\x1a")
