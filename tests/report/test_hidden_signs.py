"""What cannot be seen in a name is spelled out wherever a name is shown; data keep it."""

import json
import re
import warnings

import pytest

import neurprise as nr
from neurprise.cli import main
from neurprise.errors import InputWarning, visible

HIDDEN = "\u202e\u200b\u2066\ufeff\u00ad"


@pytest.fixture
def problem():
    """Two variables that look alike, and a scenario written backwards."""
    names = ["saw", "sa\u200bw", "drill"]
    return nr.make_selection(3, 2, seed=1).with_labels(x_names=names, scenario_names=["wet\u202e", "dry\u2066"])


@pytest.fixture
def report(problem):
    return nr.solve(problem)


def _hidden(text):
    return [sign for sign in text if sign in HIDDEN]


@pytest.mark.parametrize(
    ("text", "shown"),
    [("a\u200bb", r"a\u200bb"), ("\x1b[31m", r"\x1b[31m"), ("\U000e0041", r"\U000e0041"), ("a b\tc\n", "a b\tc\n")],
)
def test_hidden_signs_are_spelled_out(text, shown):
    """Signs without width, controls, tags; blanks, tabs and line ends stay."""
    assert visible(text) == shown


@pytest.mark.parametrize("text", ["Straße", "日本語", "שלום", "مرحبا", "é", "❤️", "x\u00a0y"])
def test_scripts_of_all_kinds_stay(text):
    """Words that are written from right to left are no trick."""
    assert visible(text) == text


def test_reports_and_comparisons_spell_them_out(problem, report):
    """On the screen and in notebooks."""
    comparison = nr.compare(problem, {"plan\u200b": report, "none": [0, 0, 0]}, nominal=0)
    for text in (str(report), report._repr_html_(), str(comparison), str(nr.evaluate(problem, report.x).plan)):
        assert not _hidden(text)
    assert r"plan\u200b" in str(comparison)
    assert report.worst_scenario_name in ("wet\u202e", "dry\u2066")


def test_the_page_spells_them_out(problem, report, tmp_path):
    """Outside of its data, which downloads are made of; its script does the same to them."""
    comparison = nr.compare(problem, {"plan\u200b": report, "none": [0, 0, 0]})
    report.to_html(tmp_path / "page.html", comparison=comparison)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    shown = re.sub(r'<script type="application/json" id="data">.*?</script>', "", page, flags=re.S)
    assert not _hidden(shown)
    assert r"plan\u200b" in shown


def test_the_script_knows_the_same_signs():
    """Two languages, one list."""
    from importlib import resources

    from neurprise import errors

    script = (resources.files("neurprise.report.page") / "page.js").read_text(encoding="utf-8")
    (theirs,) = re.findall(r"HIDDEN = /\[(.*)\]/gu", script)
    ours = errors._HIDDEN.pattern.strip("[]").replace("\\x", "\\u00")
    ours = re.sub(r"\\U000([0-9a-f]{5})", lambda long: f"\\u{{{long[1].lstrip('0')}}}", ours)
    assert theirs == ours


def test_errors_and_warnings_spell_them_out(problem):
    """Whatever they quote."""
    with pytest.raises(nr.InputError) as refused:
        problem.restrict(["wet"])
    assert not _hidden(str(refused.value))
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        warnings.warn("of \u202e", InputWarning, stacklevel=1)
    assert str(seen[0].message) == r"of \u202e"


def test_the_command_line_spells_them_out_and_data_keep_them(problem, tmp_path, monkeypatch, capsys):
    """Text is for people; JSON and CSV are for programs."""
    monkeypatch.chdir(tmp_path)
    problem.write("p.npz")
    for command in (["solve", "p.npz", "--recourse", "all"], ["info", "p.npz", "--names"]):
        assert main(command) == 0
        assert not _hidden(capsys.readouterr().out)
    assert main(["reduce", "p.npz", "--method", "maxsum", "--budget", "1"]) == 0
    assert not _hidden(capsys.readouterr().out)
    assert main(["solve", "p.npz", "--json", "--out", "answer"]) == 0
    assert "sa\u200bw" in json.loads(capsys.readouterr().out)["decision"]
    assert "sa\u200bw" in (tmp_path / "answer/decision.csv").read_text(encoding="utf-8")
