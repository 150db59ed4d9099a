"""Mistakes that people make every day: each is refused with exit code 2 and one sentence that says what to do."""

from __future__ import annotations

import math
import os
import shlex
from pathlib import Path

import pytest

import neurprise as nr
from neurprise.cli import main

LP = "Minimize\n obj: make + 3 buy\nSubject To\n demand: make + buy >= 5\nEnd\n"
PLAN = 'model = "m.lp"\nscenarios = "t.csv"\nfirst_stage = ["make"]\n[columns]\nd = {{ rhs = "{row}" }}\n'
FILES = {
    "empty.npz": b"",
    "text.npz": b"hello",
    "empty.toml": b"",
    "empty.dat": b"",
    "short.dat": b"3;2;9\n1;2;3\n",
    "alone.cor": b"NAME X\nENDATA\n",
    "m.lp": LP.encode(),
    "t.csv": b"d\n4\n7\n",
    "plan.toml": PLAN.format(row="demand").encode(),
    "typo.toml": PLAN.format(row="demnad").encode(),
    "no_table.toml": PLAN.format(row="demand").replace("t.csv", "gone.csv").encode(),
    "no_model.toml": PLAN.format(row="demand").replace("m.lp", "gone.lp").encode(),
    "broken.toml": b"model = m.lp\n",
    "words.csv": b"d\n4\nmany\n",
    "comma.csv": b"d\n4,5\n7\n",
    "header.csv": b"d\n",
    "huge.csv": b"d\n4\n1e300\n",
    "zeros.json": b"[0, 0, 0, 0, 0, 0, 0, 0]",
    "short.json": b"[1]",
    "half.json": b"[0.5, 0, 0, 0, 0, 0, 0, 0]",
    "quoted.json": b'["0", 0, 0, 0, 0, 0, 0, 0]',
    "nan.json": b"[NaN, 0, 0, 0, 0, 0, 0, 0]",
    "long.json": b"[" + b"9" * 400 + b"]",
    "deep.json": b"[" * 100_000,
    "broken.json": b"{",
    "binary.json": b"\xff\xfe\xfd",
    "nothing.json": b'{"x": null}',
}

#: A plan whose table has the name of one that --out writes.
OWN = {
    "shop.lp": b"Minimize\n c: bake + 5 buy\nSubject To\n d: bake + buy >= 4\nEnd\n",
    "costs.csv": b"price\n5\n6\n",
    "plan.toml": b"""model = "shop.lp"\nscenarios = "costs.csv"\nfirst_stage = ["bake"]
[columns]\nprice = {cost = "buy"}\n""",
}

#: A command, and words that its sentence must contain.
MISTAKES = [
    # which command
    ("", "COMMAND"),
    ("slove sel.npz", "did you mean 'solve'?"),
    ("solve", "FILE"),
    ("solve sel.npz other.npz", "other.npz"),
    ("solve sel.npz --timelimit 5", "did you mean '--time-limit'?"),
    ("solve sel.npz --jsn", "did you mean '--json'?"),
    ("make selektion --items 5 --scenarios 3 -o a.npz", "did you mean 'selection'?"),
    ("make", "FAMILY"),
    ("info --names", "add its FILE"),
    # which file
    ("solve gone.npz", "'gone.npz' is not a file", "check the path"),
    ("solve sle.npz", "did you mean 'sel.npz'?"),
    ("solve sel", "did you mean 'sel.npz'?"),
    ("solve folder", "holds no problem; it needs a file"),
    ("solve plan.tml", "did you mean '.toml'?"),
    ("solve m.lp", "join the model with a table", ".toml"),
    ("solve t.csv", "join the table with a model"),
    ("solve sheet.xlsx", "join the table with a model"),
    ("solve letter.docx", ".npz, .cor"),
    ("solve empty.npz", "empty.npz is not a readable archive"),
    ("solve text.npz", "not a readable archive"),
    ("solve empty.toml", "[columns]"),
    ("solve broken.toml", "not a TOML file"),
    ("solve empty.dat", "is empty", "n;p;N"),
    ("solve short.dat", "announces 9 scenarios", "cut off"),
    ("solve alone.cor", "no time file stands beside alone.cor"),
    ("solve typo.toml", "did you mean 'demand'?"),
    ("solve no_table.toml", "gone.csv", "is not a file"),
    ("solve no_model.toml", "gone.lp", "is not a file"),
    ("solve plan.toml --scenarios words.csv", "must hold numbers, got 'many'"),
    ("solve plan.toml --scenarios comma.csv", "has 2 cells, the header has 1"),
    ("solve plan.toml --scenarios header.csv", "no data row"),
    ("solve plan.toml --scenarios huge.csv", "below 1e15", "rescale the units"),
    ("solve plan.toml --scenarios gone.csv", "'gone.csv' is not a file"),
    ("solve sel.npz --sample 5", "no option 'sample'"),
    ("info gone.npz", "is not a file"),
    # which method
    ("solve sel.npz --reducer prize --budget 3", "did you mean 'prise'?"),
    ("solve sel.npz --reducer magic --budget 3", "one of random, kmeans"),
    ("solve sel.npz --reducer prise", "--budget is missing"),
    ("solve sel.npz --budget 3", "--reducer is missing"),
    ("solve sel.npz --refine", "add --reducer and --budget"),
    ("solve sel.npz --reducer prise --budget 0", "--budget", "at least 1, got 0"),
    ("solve sel.npz --reducer prise --budget -3", "whole number of scenarios or a gap in percent", "got '-3'"),
    ("solve sel.npz --reducer prise --budget 2.5", "whole number of scenarios or a gap in percent", "got '2.5'"),
    ("solve sel.npz --reducer prise --budget many", "whole number of scenarios or a gap in percent", "got 'many'"),
    ("solve sel.npz --reducer prise --budget 2 --checkpoint folder", "goes with the reducer neurprise"),
    ("solve sel.npz --reducer neurprise --budget 2 --checkpoint gone", "no checkpoint 'gone'"),
    ("solve sel.npz --reducer neurprise --budget 2 --checkpoint folder", "config.json"),
    ("solve sel.npz --solver cplex", "one of highs, scip, gurobi, got 'cplex'"),
    ("solve sel.npz --solver HiGHS", "did you mean 'highs'?"),
    ("solve sel.npz --verify cbc", "--verify", "got 'cbc'"),
    ("reduce sel.npz --budget 3", "--method"),
    ("reduce sel.npz --method max-summ --budget 3", "did you mean 'maxsum'?"),
    # which numbers
    ("solve sel.npz --gap -1", "zero or positive"),
    ("solve sel.npz --gap nan", "zero or positive"),
    ("solve sel.npz --gap 5", "write 5 % as 0.05"),
    ("solve sel.npz --gap 1%", "write 1 % as 0.01"),
    ("solve sel.npz --gap 0,01", "such as 0.01"),
    ("solve sel.npz --gap inf", "below 1"),
    ("solve sel.npz --time-limit -1", "zero or positive"),
    ("solve sel.npz --time-limit nan", "got 'nan'"),
    ("solve sel.npz --time-limit 1h", "without a unit, got '1h'"),
    ("solve sel.npz --seed -1", "at least 0, got '-1'"),
    ("solve sel.npz --seed x", "whole number"),
    ("make selection --items 0 --scenarios 3 -o a.npz", "--items", "at least 1"),
    ("make selection --items five --scenarios 3 -o a.npz", "got 'five'"),
    ("make selection --items 5 --scenarios 3 --distribution normale -o a.npz", "did you mean 'normal'?"),
    ("make selection --nodes 5 --scenarios 3 -o a.npz", "--items"),
    ("label labels --family knapsack --size 5 --scenarios 3 --count 1", "one of selection"),
    ("label labels --family selection --size 5x3 --scenarios 3 --count 1", "one number (num_items), got 5 x 3"),
    ("label labels --family selection --size big --scenarios 3 --count 1", "such as 20 or 30x40"),
    ("label labels --family selection --size 5 --scenarios 3 --count 0", "--count", "at least 1"),
    ("label labels --family selection --size 5 --scenarios 3 --count 1 --jobs 0", "--jobs", "at least 1"),
    # where to
    ("solve sel.npz -o folder", "must not be a directory"),
    ("solve sel.npz -o nowhere/answer.json", "create it first"),
    ("solve sel.npz --report nowhere/page.html", "create it first"),
    ("solve sel.npz -o sel.npz/answer.json", "directory of an output file must exist"),
    ("solve sel.npz -o /proc/answer.json", "must be writeable"),
    ("solve sel.npz -o a.html --report a.html", "-o and --report must be two files"),
    ("solve sel.npz -o a.json --state ./a.json", "-o and --state must be two files"),
    ("solve sel.npz -o answer --out answer", "-o and --out must be two files"),
    ("solve sel.npz -o sel.npz", "-o would overwrite 'sel.npz', which the problem is read from"),
    ("solve own/plan.toml --report own/costs.csv", "the name of a page must end in .html or .htm, got 'own/costs.csv'"),
    ("solve own/plan.toml --out own", "--out would overwrite 'own/costs.csv'"),
    ("evaluate own/plan.toml --solution zeros.json --out own", "--out would overwrite 'own/costs.csv'"),
    ("reduce sel.npz --method maxsum --budget 3 -o sel.npz", "-o would overwrite 'sel.npz'"),
    ("solve sel.npz --log-file link.npz", "--log-file would overwrite 'link.npz', which the problem is read from"),
    ("solve sel.npz --state link.npz", "--state would overwrite 'link.npz'"),
    ("solve sel.npz --start zeros.json --log-file zeros.json", "'zeros.json', which a decision is read from"),
    ("solve sel.npz --report r.html --compare a=zeros.json --state zeros.json", "which a decision is read from"),
    ("solve sel.npz -o new.json --log-file ./new.json", "-o and --log-file must be two files"),
    ("make selection --items 5 --scenarios 3", "-o"),
    ("make selection --items 5 --scenarios 3 -o a.xlsx", ".npz, .cor, .toml or .dat, or to a folder"),
    ("make selection --items 5 --scenarios 3 -o a", "add a suffix such as .npz"),
    ("make vertex-cover --nodes 5 --scenarios 3 -o a.dat", "selection problems only"),
    ("reduce sel.npz --method maxsum --budget 3 -o out.csv", ".toml or .dat"),
    ("label sel.npz --family selection --size 5 --scenarios 3 --count 1", "sel.npz"),
    # which decision
    ("evaluate sel.npz", "--solution"),
    ("evaluate sel.npz --solution gone.json", "gone.json"),
    ("evaluate sel.npz --solution folder", "folder"),
    ("evaluate sel.npz --solution sel.npz", "must hold JSON"),
    ("evaluate sel.npz --solution broken.json", "must hold JSON"),
    ("evaluate sel.npz --solution binary.json", "bytes are not text"),
    ("evaluate sel.npz --solution deep.json", "nested too deeply"),
    ("evaluate sel.npz --solution long.json", "finite numbers"),
    ("evaluate sel.npz --solution nan.json", "NaN is no JSON number"),
    ("evaluate sel.npz --solution quoted.json", "without quotes"),
    ("evaluate sel.npz --solution nothing.json", "got no decision"),
    ("evaluate sel.npz --solution short.json", "(8,)"),
    ("evaluate sel.npz --solution half.json", "whole number"),
    ("evaluate sel.npz --solution zeros.json --solver gurobbi", "did you mean 'gurobi'?"),
]

#: The same in Python: a call, and words that its sentence must contain.
CALLS = [
    pytest.param(lambda p: nr.solve(p, "prise"), "budget", id="a reducer without a budget"),
    pytest.param(lambda p: nr.solve(p, "prise", 2.5), "whole number", id="half a scenario"),
    pytest.param(lambda p: nr.solve(p, "prize", 2), "prise", id="an unknown reducer"),
    pytest.param(lambda p: nr.solve(p, gap=-0.1), "gap must be zero or positive", id="a negative gap"),
    pytest.param(lambda p: nr.solve(p, "neuprise", 2), "did you mean 'neurprise'?", id="a reducer spelled wrong"),
    pytest.param(lambda p: nr.solve(p, solver="hihgs"), "did you mean 'highs'?", id="an engine spelled wrong"),
    pytest.param(lambda p: nr.solve(p, gap=math.inf), "gap must be a share below 1", id="any gap at all"),
    pytest.param(lambda p: nr.solve(p, gap=5), "write one percent as 0.01", id="a gap in percent"),
    pytest.param(lambda p: nr.solve(p, time_limit="5"), "time_limit must be a number", id="text for seconds"),
    pytest.param(lambda p: nr.solve(p, solver="cplex"), "highs", id="an unknown engine"),
    pytest.param(lambda p: nr.solve("sel.npz"), "nr.read", id="a path for a problem"),
    pytest.param(lambda p: nr.evaluate(p, [1, 0]), r"\(8,\)", id="a short decision"),
    pytest.param(lambda p: nr.evaluate(p, ["1"] * 8), "must be numbers", id="text for numbers"),
    pytest.param(lambda p: nr.evaluate(p, [1e300] * 8), "below 1e15", id="a huge decision"),
    pytest.param(lambda p: p.restrict([0, 0]), "distinct", id="a scenario twice"),
    pytest.param(lambda p: p.restrict([99]), "between 0 and 11", id="a scenario that is not there"),
    pytest.param(lambda p: p.write("a.csv"), "toml or .dat", id="a problem as a table"),
    pytest.param(lambda p: nr.Selection([1, 2], [[1, 2, 3]], 1), r"\(any, 2\)", id="tables of two widths"),
    pytest.param(lambda p: nr.Selection([1, 2], [[1, 2]], 3), "num_select", id="more than there is"),
    pytest.param(lambda p: nr.make_selection(5, 0, 1), "num_scenarios", id="no scenario"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A working directory with a problem, and with everything that is not quite one."""
    path = tmp_path_factory.mktemp("everyday")
    nr.make_selection(8, 12, seed=7).write(path / "sel.npz")
    (path / "link.npz").hardlink_to(path / "sel.npz")
    for name, raw in FILES.items():
        (path / name).write_bytes(raw)
    (path / "folder").mkdir()
    (path / "own").mkdir()
    for name, raw in OWN.items():
        (path / "own" / name).write_bytes(raw)
    return path


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_device_or_a_pipe_is_not_replaced_by_a_file(folder, tmp_path, capsys):
    """As root, `-o /dev/null` would leave an ordinary file there."""
    os.mkfifo(tmp_path / "pipe")
    assert main(["solve", str(folder / "sel.npz"), "-o", str(tmp_path / "pipe")]) == 2
    assert "an output file must be a plain file" in capsys.readouterr().err
    assert (tmp_path / "pipe").is_fifo()


@pytest.mark.parametrize("command, words", [pytest.param(c, w, id=c or "nothing") for c, *w in MISTAKES])
def test_a_mistake_on_the_command_line_is_answered_by_one_sentence(folder, monkeypatch, capsys, command, words):
    """Exit code 2, nothing on standard output, nothing written, and the problem is still there."""
    monkeypatch.chdir(folder)
    before, problem = sorted(os.listdir(folder)), (folder / "sel.npz").read_bytes()
    assert main(shlex.split(command)) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("neurprise: error: ")
    assert captured.err.count("\n") == 1
    assert [word for word in words if word not in captured.err] == [], captured.err
    assert sorted(os.listdir(folder)) == before
    assert (folder / "sel.npz").read_bytes() == problem


@pytest.mark.parametrize("call, words", CALLS)
def test_a_mistake_in_python_is_answered_by_one_sentence(folder, monkeypatch, call, words):
    """The same sentences, as an InputError."""
    monkeypatch.chdir(folder)
    problem = nr.read("sel.npz")
    with pytest.raises(nr.InputError, match=words):
        call(problem)


def test_a_budget_above_the_number_of_scenarios_is_a_warning(folder, capsys):
    """The answer is right, and the number hardly meant."""
    assert main(["reduce", str(folder / "sel.npz"), "--method", "maxsum", "--budget", "99"]) == 0
    captured = capsys.readouterr()
    assert "kept 12 of 12" in captured.out
    assert captured.err == "neurprise: warning: the budget 99 exceeds the number of scenarios, 12; all can be kept.\n"


def test_names_of_methods_may_be_spelled_freely(folder, capsys):
    """As in Python: case, hyphens and underscores do not matter."""
    assert main(["reduce", str(folder / "sel.npz"), "--method", "Single-Value", "--budget", "2"]) == 0


@pytest.mark.parametrize(
    ("tool", "function"), [("linopy", "from_linopy"), ("pyomo", "from_pyomo"), ("pulp", "from_models")]
)
def test_a_model_of_a_tool_is_sent_to_the_function_that_reads_it(tool, function):
    """nr.solve(model) names it."""
    module = pytest.importorskip("pyomo.environ" if tool == "pyomo" else tool)
    model = {"linopy": "Model", "pyomo": "ConcreteModel", "pulp": "LpProblem"}[tool]
    with pytest.raises(nr.InputError, match=rf"{tool}'s {model}; .*nr\.{function}\("):
        nr.solve(getattr(module, model)())
