"""The command line: what each command prints, writes and answers, and its exit codes."""

from __future__ import annotations

import argparse
import hashlib
import json
import logging
import os
import re
import signal
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neurprise as nr
from neurprise.cli import COMMANDS, main
from neurprise.cli.exits import guarded
from neurprise.cli.options import named_reducer
from neurprise.cli.parser import build_parser
from tests.instances import exactly_two_of_four


@pytest.fixture
def selection_file(tmp_path: Path) -> Path:
    """A small selection instance on disk."""
    path = tmp_path / "sel.npz"
    nr.make_selection(8, 12, seed=7).write(path)
    return path


def answer(capsys: pytest.CaptureFixture[str], *argv: object) -> dict[str, Any]:
    """What a command prints under --json; it must succeed."""
    assert main([*map(str, argv), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def refusal(capsys: pytest.CaptureFixture[str], *argv: object) -> str:
    """The one sentence with which a command refuses its input; nothing goes to standard output."""
    assert main([*map(str, argv)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert "Traceback" not in captured.err
    return captured.err


class TestMake:
    @pytest.mark.parametrize(
        ("family", "sizes"),
        [
            ("selection", ["--items", "6"]),
            ("vertex-cover", ["--nodes", "6"]),
            ("facility-location", ["--facilities", "4", "--customers", "3"]),
        ],
    )
    def test_every_family_can_be_drawn(self, tmp_path, capsys, family, sizes):
        """The file holds an instance of the family with the number of scenarios asked for."""
        path = tmp_path / "instance.npz"
        data = answer(capsys, "make", family, *sizes, "--scenarios", "5", "--seed", "1", "-o", path)
        problem = nr.read(path)
        assert (data["family"], data["num_scenarios"]) == (problem.family, problem.num_scenarios) == (family, 5)

    def test_the_same_seed_gives_the_same_bytes(self, tmp_path, capsys):
        """Instances can be named by their seed."""
        first, second = tmp_path / "a.npz", tmp_path / "b.npz"
        for path in (first, second):
            answer(capsys, "make", "selection", "--items", 5, "--scenarios", 4, "--seed", 3, "-o", path)
        assert first.read_bytes() == second.read_bytes()

    def test_an_unknown_distribution_is_refused(self, tmp_path, capsys):
        """The sentence lists the distributions, and no file appears."""
        path = tmp_path / "a.npz"
        argv = ["make", "selection", "--items", 5, "--scenarios", 4, "-o", path, "--distribution", "cauchy"]
        assert "multimodal" in refusal(capsys, *argv)
        assert not path.exists()

    def test_a_missing_size_is_refused(self, tmp_path, capsys):
        """The sentence names the option."""
        assert "--items" in refusal(capsys, "make", "selection", "--scenarios", 4, "-o", tmp_path / "a.npz")

    def test_a_destination_in_no_directory_is_refused(self, tmp_path, capsys):
        """The sentence says what to do."""
        path = tmp_path / "nowhere" / "a.npz"
        assert "create it first" in refusal(capsys, "make", "selection", "--items", 5, "--scenarios", 4, "-o", path)


class TestSolve:
    def test_json_has_the_field_names_of_the_report(self, capsys, selection_file):
        """The object on standard output is the report, and reads back."""
        assert main(["solve", str(selection_file), "--json"]) == 0
        report = nr.Report.from_json(capsys.readouterr().out)
        assert report.status is nr.Status.OPTIMAL
        assert report.worst_case == nr.solve(nr.read(selection_file)).worst_case

    def test_text_shows_both_bounds(self, capsys, selection_file):
        """Without --json a person reads the answer."""
        assert main(["solve", str(selection_file)]) == 0
        printed = capsys.readouterr().out
        assert "worst case" in printed
        assert "lower bound" in printed

    def test_a_reduced_solve_keeps_the_budget(self, capsys, selection_file):
        """Reducer and budget arrive where they should."""
        data = answer(capsys, "solve", selection_file, "--reducer", "maxsum", "--budget", 2)
        assert data["reducer"] == "maxsum"
        assert len(data["scenarios"]) == 2
        assert data["lower_bound"] <= data["worst_case"]

    def test_refinement_closes_the_gap(self, capsys, selection_file):
        """--refine goes on from the reduced set to the proven optimum."""
        data = answer(capsys, "solve", selection_file, "--reducer", "maxsum", "--budget", 1, "--refine")
        assert data["status"] == "optimal"
        assert data["regret_bound"] == pytest.approx(0, abs=0.01)

    def test_a_reducer_without_a_budget_is_refused(self, capsys, selection_file):
        """The sentence names what is missing."""
        assert "budget" in refusal(capsys, "solve", selection_file, "--reducer", "prise")

    def test_an_unknown_engine_is_refused(self, capsys, selection_file):
        """The sentence lists the engines."""
        assert "highs, scip, gurobi" in refusal(capsys, "solve", selection_file, "--solver", "cplex")

    def test_an_unknown_reducer_is_refused(self, capsys, selection_file):
        """The sentence lists the reducers."""
        assert "prise" in refusal(capsys, "solve", selection_file, "--reducer", "magic", "--budget", 2)

    def test_a_checkpoint_goes_with_the_learned_reducer_only(self, capsys, selection_file):
        """Options that would be ignored are refused."""
        argv = ["solve", selection_file, "--reducer", "prise", "--budget", 2, "--checkpoint", "model"]
        assert "goes with the reducer neurprise" in refusal(capsys, *argv)

    def test_the_reducer_uses_the_engine_that_was_named(self, selection_file):
        """--solver holds for choosing scenarios as well as for solving."""
        args = build_parser().parse_args(["solve", str(selection_file), "--solver", "scip"])
        assert named_reducer("prise", args).solver == "scip"

    @pytest.mark.parametrize("option", ["--gap", "--time-limit"])
    def test_a_negative_limit_is_refused(self, capsys, selection_file, option):
        """Limits are zero or positive."""
        assert "zero or positive" in refusal(capsys, "solve", selection_file, option, "-1")

    def test_no_time_at_all_is_a_failure_not_an_optimum(self, capsys, tmp_path):
        """Exit code 1, a status that says why, and still one JSON object."""
        path = tmp_path / "two.npz"
        exactly_two_of_four().write(path)
        code = main(["solve", str(path), "--time-limit", "0", "--json"])
        data = json.loads(capsys.readouterr().out)
        assert (code, data["status"], data["x"]) == (1, "time limit", None)

    def test_output_keeps_the_report(self, tmp_path, capsys, selection_file):
        """-o writes what --json prints, for `evaluate` to read."""
        path = tmp_path / "report.json"
        data = answer(capsys, "solve", selection_file, "-o", path)
        assert json.loads(path.read_text()) == data

    def test_the_html_report_needs_nothing_else(self, tmp_path, capsys, selection_file):
        """One page: the numbers, the chart, the decision, other decisions, and which file and options made it."""
        path = tmp_path / "out.html"
        data = answer(capsys, "solve", selection_file, "--report", path)
        page = path.read_text(encoding="utf-8")
        assert f"{data['worst_case']:,.6g}" in page
        assert "<svg" in page
        assert "Comparison with other decisions" in page
        assert "--gap 0.0001" in page
        assert "--solver highs" in page
        assert hashlib.sha256(Path(selection_file).read_bytes()).hexdigest() in page

    def test_the_page_knows_the_model_and_the_table_of_a_plan(self, tmp_path, capsys):
        """Each by name and hash; a table that --scenarios puts in its place counts instead."""
        (tmp_path / "shop.lp").write_text("Minimize\n c: bake + 5 buy\nSubject To\n d: bake + buy >= 4\nEnd\n")
        (tmp_path / "days.csv").write_text("customers\n3\n9\n")
        (tmp_path / "more.csv").write_text("customers\n3\n9\n12\n")
        plan, page = tmp_path / "plan.toml", tmp_path / "out.html"
        plan.write_text(
            'model = "shop.lp"\nscenarios = "days.csv"\nfirst_stage = ["bake"]\n[columns]\ncustomers = {rhs = "d"}\n'
        )
        for table, options in (("days.csv", []), ("more.csv", ["--scenarios", tmp_path / "more.csv"])):
            answer(capsys, "solve", plan, "--report", page, *options)
            told = dict(re.findall(r'<th scope="row">(sha256[^<]*)</th><td>(\w+)</td>', page.read_text()))
            files = {"sha256": plan, "sha256 of shop.lp": tmp_path / "shop.lp", f"sha256 of {table}": tmp_path / table}
            assert told == {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files.items()}

    def test_a_plan_of_ones_own_stands_beside_it_on_the_page(self, tmp_path, capsys, selection_file):
        """--compare and --nominal add decisions there; without a page they are refused."""
        answer(capsys, "solve", selection_file, "-o", tmp_path / "today.json")
        page = tmp_path / "out.html"
        others = ["--compare", f"ours={tmp_path / 'today.json'}", "--nominal", "1"]
        answer(capsys, "solve", selection_file, "--report", page, *others)
        assert all(
            f'<th scope="row">{name}</th>' in page.read_text()
            for name in ("ours", "best for the mean of the data", "best for scenario 1")
        )
        assert main(["solve", str(selection_file), *others]) == 2
        assert "--compare adds to the page" in capsys.readouterr().err

    @pytest.mark.parametrize(
        ("options", "sentence"),
        [
            (["--compare", "nowhere.json"], "cannot use 'nowhere.json'"),
            (["--compare", "short.json"], "decision 'short': x must be of shape (8,), got shape (1,)"),
            (["--compare", "this decision=short.json"], "'this decision' is the name of this answer on the page"),
            (["--nominal", "doomsday"], "got 'doomsday'"),
        ],
    )
    def test_what_cannot_stand_on_the_page_is_refused_before_the_search(
        self, tmp_path, capsys, monkeypatch, selection_file, options, sentence
    ):
        """Hours of work are not spent on a page that cannot be made."""
        monkeypatch.chdir(tmp_path)
        (tmp_path / "short.json").write_text("[1]")
        assert main(["solve", str(selection_file), "--report", "page.html", *options]) == 2
        out, err = capsys.readouterr()
        assert (out, sentence in err) == ("", True), err

    def test_the_answer_is_kept_before_tables_are_made(self, tmp_path, capsys, monkeypatch, selection_file):
        """Whoever has no patience with a million rows of recourse has the decision in the file of -o."""

        def impatient(*_):
            raise KeyboardInterrupt

        monkeypatch.setattr("neurprise.cli.solve.write_tables", impatient)
        kept = tmp_path / "answer.json"
        assert main(["solve", str(selection_file), "-o", str(kept), "--out", str(tmp_path / "tables")]) == 130
        assert f"only {tmp_path / 'tables'} could not be completed" in capsys.readouterr().err
        assert json.loads(kept.read_text())["status"] == "optimal"

    def test_interrupting_prints_the_best_proven_answer(self, tmp_path, capsys):
        """Ctrl-C during a long search ends with code 130 and an honest report."""
        path = tmp_path / "hard.npz"
        nr.make_vertex_cover(40, 40, seed=0).write(path)
        with after_the_first_iteration(lambda: os.kill(os.getpid(), signal.SIGINT)):
            assert main(["solve", str(path), "--json"]) == 130
        data = json.loads(capsys.readouterr().out)
        assert data["status"] == "interrupted"
        assert data["lower_bound"] <= data["worst_case"]


class after_the_first_iteration(logging.Handler):  # noqa: N801
    """While active, calls `action` once, when the search logs its first iteration."""

    def __init__(self, action):
        super().__init__()
        self.action = action

    def emit(self, record):
        if "worst case" not in record.getMessage():  # compiling is logged as well
            return
        action, self.action = self.action, None
        if action:
            action()

    def __enter__(self):
        self.logger = logging.getLogger("neurprise")
        self.level_before = self.logger.level
        self.logger.setLevel(logging.INFO)
        self.logger.addHandler(self)

    def __exit__(self, *_):
        self.logger.removeHandler(self)
        self.logger.setLevel(self.level_before)


class TestReduce:
    def test_json_is_the_reduction(self, capsys, selection_file):
        """Indices in order of choice, gains beside them."""
        data = answer(capsys, "reduce", selection_file, "--method", "prise", "--budget", 3)
        reduction = nr.reducers.PRISE().reduce(nr.read(selection_file), 3)
        assert tuple(data["indices"]) == reduction.indices
        assert data["gains"] == pytest.approx(reduction.gains)

    @pytest.mark.parametrize("method", ["prise", "maxsum"])
    def test_text_lists_the_scenarios(self, capsys, selection_file, method):
        """One line per kept scenario, with or without gains."""
        assert main(["reduce", str(selection_file), "--method", method, "--budget", "2"]) == 0
        assert "of 12" in capsys.readouterr().out.splitlines()[-1]

    def test_the_reduced_problem_can_be_written(self, tmp_path, capsys, selection_file):
        """-o holds the same problem with only the kept scenarios."""
        path = tmp_path / "reduced.npz"
        answer(capsys, "reduce", selection_file, "--method", "maxsum", "--budget", 3, "-o", path)
        assert nr.read(path).num_scenarios == 3

    def test_a_budget_of_zero_is_refused(self, capsys, selection_file):
        """At least one scenario stays."""
        assert "at least 1" in refusal(capsys, "reduce", selection_file, "--method", "maxsum", "--budget", 0)


class TestEvaluate:
    def test_the_report_of_solve_is_a_solution_file(self, tmp_path, capsys, selection_file):
        """The worst case that solve promised is the one that evaluate finds."""
        path = tmp_path / "report.json"
        solved = answer(capsys, "solve", selection_file, "-o", path)
        data = answer(capsys, "evaluate", selection_file, "--solution", path)
        assert data["worst_case"] == pytest.approx(solved["worst_case"])
        assert data["worst_scenario"] == solved["worst_scenario"]
        assert len(data["recourse_costs"]) == 12

    def test_a_decision_has_the_value_that_solve_promised(self, tmp_path, capsys, selection_file):
        """--objective means the same; a regret needs more than costs."""
        path, asked = tmp_path / "report.json", ("--objective", "cvar:0.75")
        solved = answer(capsys, "solve", selection_file, *asked, "-o", path)
        data = answer(capsys, "evaluate", selection_file, "--solution", path, *asked)
        assert (data["objective"], data["value"]) == ("cvar:0.75", pytest.approx(solved["value"]))
        assert main(["evaluate", str(selection_file), "--solution", str(path), *asked]) == 0
        assert "(cvar:0.75)" in capsys.readouterr().out
        assert "use --regret" in refusal(
            capsys, "evaluate", selection_file, "--solution", path, "--objective", "regret"
        )

    def test_a_plain_list_is_a_solution_file(self, tmp_path, capsys, selection_file):
        """Other programs write lists."""
        path = tmp_path / "x.json"
        path.write_text(json.dumps([0] * 8))
        assert main(["evaluate", str(selection_file), "--solution", str(path)]) == 0
        assert "worst case" in capsys.readouterr().out

    def test_infeasible_recourse_is_null(self, tmp_path, capsys):
        """JSON has no infinity: opening nothing serves nobody."""
        problem, solution = tmp_path / "cflp.npz", tmp_path / "x.json"
        nr.make_facility_location(3, 2, 4, seed=0).write(problem)
        solution.write_text(json.dumps([0] * 6))
        data = answer(capsys, "evaluate", problem, "--solution", solution)
        assert data["worst_case"] is None
        assert data["recourse_costs"] == [None] * 4

    @pytest.mark.parametrize(
        ("text", "word"),
        [("[1, 2]", "shape"), ("{}", '"x"'), ("not json", "JSON"), ('["a"]', "numbers"), ("7", "list")],
    )
    def test_a_foreign_solution_is_refused(self, tmp_path, capsys, selection_file, text, word):
        """Wrong length, no x, no JSON, no numbers: each has its sentence."""
        path = tmp_path / "x.json"
        path.write_text(text)
        assert word in refusal(capsys, "evaluate", selection_file, "--solution", path)


class TestInfo:
    def test_the_installation_is_described(self, capsys):
        """Versions, engines, families, reducers and formats."""
        data = answer(capsys, "info")
        assert data["version"] == nr.__version__
        assert data["engines"]["highs"]
        assert set(data) >= {"families", "reducers", "formats", "checkpoints"}

    def test_the_installation_is_described_without_dask(self):
        """Only --cluster needs it."""
        program = "import sys; sys.modules.update(dask=None, distributed=None); from neurprise.cli import main; main()"
        done = subprocess.run([sys.executable, "-c", program, "info"], capture_output=True, text=True, check=False)
        assert done.stderr == ""
        assert "engines" in done.stdout

    def test_a_problem_is_described(self, capsys, selection_file):
        """Sizes, and what scenarios change."""
        data = answer(capsys, "info", selection_file)
        assert (data["family"], data["num_scenarios"], data["num_first_stage"]) == ("selection", 12, 8)
        assert data["uncertain"] == {"costs": 8}

    @pytest.mark.parametrize("argv", [[], ["FILE"]])
    def test_text_is_aligned(self, capsys, selection_file, argv):
        """People read the same facts without --json."""
        assert main(["info", *[str(selection_file) for _ in argv]]) == 0
        assert len(capsys.readouterr().out.splitlines()) > 5


class TestExitCodes:
    def test_a_missing_file_is_bad_input(self, capsys, tmp_path):
        """The sentence names the path."""
        assert "gone.npz" in refusal(capsys, "solve", tmp_path / "gone.npz")

    def test_a_directory_is_bad_input(self, capsys, tmp_path):
        """So is a path that is no file."""
        assert refusal(capsys, "solve", tmp_path)

    @pytest.mark.parametrize("content", [b"", b"PK\x03\x04 not really", b"hello"])
    def test_a_corrupt_file_is_bad_input(self, capsys, tmp_path, content):
        """Files from outside are data, whatever they hold."""
        path = tmp_path / "corrupt.npz"
        path.write_bytes(content)
        assert refusal(capsys, "solve", path)

    def test_an_unknown_suffix_is_bad_input(self, capsys, tmp_path):
        """The sentence lists the formats."""
        path = tmp_path / "problem.docx"
        path.write_bytes(b"")
        assert ".npz" in refusal(capsys, "solve", path)

    def test_an_infeasible_problem_is_bad_input(self, capsys, tmp_path):
        """No decision survives demand above all capacity."""
        path = tmp_path / "impossible.npz"
        nr.FacilityLocation([1], [1], [5], [[1]], [[3], [9]]).write(path)
        assert "feasible" in refusal(capsys, "solve", path)

    def test_an_unknown_command_is_bad_input(self, capsys):
        """One sentence, not the whole usage."""
        assert "--help" in refusal(capsys, "resolve")

    def test_an_unexpected_error_is_a_failure(self, capsys):
        """A bug ends with code 1 and a sentence, not with a traceback."""

        def broken(args: argparse.Namespace) -> int:
            raise RuntimeError("the engine fell over")

        assert guarded(broken, argparse.Namespace()) == 1
        assert "the engine fell over" in capsys.readouterr().err

    def test_an_interrupt_before_any_answer_has_its_own_code(self, capsys):
        """Ctrl-C while reading a file: 130 and a sentence."""

        def interrupted(args: argparse.Namespace) -> int:
            raise KeyboardInterrupt

        assert guarded(interrupted, argparse.Namespace()) == 130
        assert "interrupted" in capsys.readouterr().err

    def test_the_command_is_installed(self):
        """`python -m neurprise` is the same program; its version is the package's."""
        run = subprocess.run(
            [sys.executable, "-m", "neurprise", "--version"], capture_output=True, text=True, check=True
        )
        assert run.stdout.split() == ["neurprise", nr.__version__]

    def test_the_version_has_one_source(self):
        """pyproject.toml reads it from the package."""
        data = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
        assert data["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "neurprise.__version__"}
        assert "version" not in data["project"]

    def test_a_reader_that_leaves_is_no_failure(self, selection_file):
        """`neurprise info FILE | head -0` ends quietly."""
        command = f"{sys.executable} -m neurprise info {selection_file} | true"
        run = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)
        assert run.stderr == ""

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
    @pytest.mark.parametrize("words", ["solve {} --json", "solve {}", "info {}", "--help", "solve --help", "--version"])
    def test_an_answer_that_finds_no_room_is_told(self, selection_file, words):
        """One sentence and a failure, whatever was to be printed."""
        command = f"{sys.executable} -m neurprise {words.format(selection_file)} > /dev/full"
        run = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
        assert run.returncode == 1
        sentence = "cannot write the answer to standard output (No space left on device); make room and run it again."
        assert run.stderr == f"neurprise: error: {sentence}\n"


class TestHelp:
    def test_help_of_every_command_shows_an_example(self, capsys):
        """New users copy examples."""
        for name in COMMANDS:
            argv = [name, "selection", "--help"] if name == "make" else [name, "--help"]
            assert main(argv) == 0
            assert f"neurprise {name}" in capsys.readouterr().out

    def test_help_imports_no_command(self):
        """The list of commands and the version appear at once."""
        code = (
            "import sys; from neurprise.cli.parser import build_parser; build_parser(sys.argv[1:]); print(*sys.modules)"
        )
        done = subprocess.run([sys.executable, "-c", code, "--help"], check=True, capture_output=True, text=True)
        loaded = set(done.stdout.split())
        assert "neurprise.cli.parser" in loaded
        assert loaded & {"numpy", "scipy", *(f"neurprise.cli.{name}" for name in COMMANDS)} == set()

    @pytest.mark.parametrize("name", COMMANDS)
    def test_a_parser_for_one_command_says_the_same_as_one_for_all(self, capsys, name):
        """Its own help, and the list of the others."""
        shown = []
        for parser in (build_parser(), build_parser([name, "--help"])):
            with pytest.raises(SystemExit):
                parser.parse_args([name, "--help"])
            shown.append((capsys.readouterr().out, parser.format_help()))
        assert shown[0] == shown[1]


def test_json_numbers_are_plain(capsys, selection_file):
    """Every number in the answer is one that any JSON reader takes."""
    assert main(["solve", str(selection_file), "--json"]) == 0

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    data = json.loads(capsys.readouterr().out, parse_constant=refuse)
    assert np.isfinite(data["x"]).all()
