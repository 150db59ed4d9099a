"""Every command that a page shows exists, knows its options, and runs at smoke size; so does every judge."""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import neurprise as nr
from docs.check import ROOT, blocks, pages, reader_directory
from docs.commands import Command, shown_commands
from experiments.commands import build_parser as experiments_parser
from experiments.commands import main as experiments_main
from experiments.judges import JUDGES
from neurprise.cli import COMMANDS, main
from neurprise.cli.parser import build_parser

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LAB = ROOT / "experiments" / "README.md"
SHOWN = [command for path in [*pages(), LAB] for command in shown_commands(path)]

#: Arguments with which each judge runs in seconds; experiments run in `python -m experiments check`.
SMOKE = {
    "crosscheck": ["--count", "1"],
    "files": ["--count", "1"],
    "fuzz": ["--count", "2"],
    "models": ["--count", "1"],
    "new-scenarios": ["--count", "1", "--scenarios", "10"],
    "objectives-judge": ["--count", "1"],
    "soak": ["--solves", "10", "--most-growth", "100"],
}
#: Commands of this package that a page shows at full size end with these arguments here.
SHRUNK = {
    "label": ["--size", "6", "--scenarios", "5", "--count", "20", "--budget", "2", "--jobs", "1"],
    "label --from": ["--scenarios", "5", "--count", "20", "--budget", "2", "--jobs", "1"],
    "train": ["--epochs", "1", "--batch-size", "8"],
}


def shown(*start: str, inline: bool | None = None) -> list[Command]:
    """The commands that begin with these words."""
    found = [command for command in SHOWN if command.words[: len(start)] == start]
    return [command for command in found if inline is None or command.inline is inline]


def as_parameters(commands: list[Command]) -> list[object]:
    return [pytest.param(command, id=str(command)) for command in commands]


def test_no_command_goes_unnoticed():
    """A page that shows another program needs a check for it here."""
    known = (
        *(("neurprise",), ("make",), ("pip", "install"), ("pip", "freeze"), ("python", "-m"), ("cat",)),
        *(("dask", "scheduler"), ("dask", "worker"), ("docker", "compose"), ("openssl", "req"), ("export",)),
    )
    assert [str(command) for command in SHOWN if not any(command.words[: len(start)] == start for start in known)] == []
    assert len(shown("python", "-m", "experiments")) > 10


def test_every_judge_has_a_smoke_run():
    """A new one comes with a line in SMOKE, a removed one takes it along."""
    assert sorted(SMOKE) == list(JUDGES)


@pytest.mark.parametrize("name", SMOKE)
def test_a_judge_runs_and_keeps_nothing(name):
    """In a process of its own. With --json: one object on standard output."""
    skip_without_judges(name)
    before = kept_results()
    argv = [sys.executable, "-m", "experiments", "run", name, *SMOKE[name], "--no-save", "--json"]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["rows"]
    assert kept_results() == before


def skip_without_judges(name: str) -> None:
    if name in ("crosscheck", "files"):
        pytest.importorskip("pyscipopt", reason="SCIP judges")
        pytest.importorskip("gurobipy", reason="Gurobi judges")


def kept_results() -> dict[str, int]:
    return {path.name: path.stat().st_size for path in (ROOT / "experiments" / "rows").iterdir()}


def test_a_judge_prints_its_table(capsys):
    """Without --json, for people."""
    assert experiments_main(["run", "fuzz", *SMOKE["fuzz"], "--format", "dat", "--no-save"]) == 0
    assert "refused" in capsys.readouterr().out


@pytest.mark.parametrize("command", as_parameters(shown("python", "-m")))
def test_a_module_that_is_run_exists_and_knows_its_options(command, monkeypatch):
    """The options of a judge go through its own parser, and no further."""
    module, *words = command.words[2:]
    assert importlib.util.find_spec(module) is not None
    if module == "experiments" and words:
        if len(words) > 1 and words[0] == "run" and words[1] in JUDGES:
            skip_without_judges(words[1])
            assert_parsed(monkeypatch, f"experiments.judges.{words[1].replace('-', '_')}", words[2:])
        else:
            known = subparser(experiments_parser(), words[0])._option_string_actions
            assert [word for word in words if word.startswith("-") and word not in known] == []


def assert_parsed(monkeypatch, module, argv):
    """Run the module's main until its arguments are parsed."""

    class ParsedError(Exception):
        pass

    parse = argparse.ArgumentParser.parse_args

    def stop(parser, arguments=None, namespace=None):
        parse(parser, arguments, namespace)
        raise ParsedError

    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", stop)
    with pytest.raises(ParsedError):
        importlib.import_module(module).main(argv)


@pytest.mark.parametrize("command", as_parameters(shown("neurprise")))
def test_a_command_of_this_package_knows_its_options(command):
    """Also in running text, where FILE and others may be left out."""
    name, *rest = command.words[1:]
    assert name in COMMANDS or name.startswith("-")
    known = options_of(name, rest)
    own = command.words[1 : command.words.index("--")] if "--" in command.words else command.words[1:]
    assert [word for word in own if word.startswith("-") and word not in known] == []


def options_of(name: str, rest: list[str]) -> set[str]:
    parser = build_parser() if name.startswith("-") else subparser(build_parser(), name)
    families = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if families and rest:
        parser = subparser(parser, rest[0])
    return set(parser._option_string_actions)


def subparser(parser: argparse.ArgumentParser, name: str) -> argparse.ArgumentParser:
    (commands,) = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    return commands.choices[name]


@pytest.mark.parametrize("path", [pytest.param(path, id=path.name) for path in pages()])
def test_commands_that_the_pages_do_not_run_work_at_smoke_size(path, capsys):
    """Those of `sh` blocks, one after another in one folder; blocks with outputs are run by `docs.check`."""
    commands = [text.splitlines() for language, text in blocks(path.read_text(encoding="utf-8")) if language == "sh"]
    mine = [line.split() for lines in commands for line in lines if line.startswith("neurprise ")]
    if any(words[1] == "train" for words in mine):
        pytest.importorskip("torch", reason="training needs PyTorch")
    with reader_directory():
        for words in mine:
            kind = "label --from" if words[1] == "label" and "--from" in words else words[1]
            assert main([*words[1:], *SHRUNK.get(kind, [])]) == 0, capsys.readouterr().err


@pytest.mark.parametrize("command", as_parameters(shown("dask")))
def test_a_command_of_dask_knows_its_options(command):
    """tests/parallel starts a scheduler and workers with them."""
    pytest.importorskip("distributed", reason="a cluster needs Dask")
    from distributed.cli import dask_scheduler, dask_worker

    program = {"scheduler": dask_scheduler, "worker": dask_worker}[command.words[1]].main
    known = {name for parameter in program.params for name in parameter.opts}
    assert {word for word in command.words if word.startswith("--")} <= known


@pytest.mark.parametrize("command", as_parameters(shown("docker")))
def test_a_composition_starts_what_the_page_says(command):
    """The file exists, its services are those that are scaled, and they run commands of Dask."""
    yaml = pytest.importorskip("yaml", reason="Dask brings it")
    file, scaled = (command.words[command.words.index(flag) + 1] for flag in ("-f", "--scale"))
    services = yaml.safe_load((ROOT / file).read_text())["services"]
    assert scaled.split("=")[0] in services
    assert all(f"dask {name}" in service["command"] for name, service in services.items())
    assert all("neurprise warm" in service["build"]["dockerfile_inline"] for service in services.values())


@pytest.mark.parametrize("command", as_parameters(shown("make")))
def test_a_make_target_exists(command):
    """`make -n` plans it without doing anything."""
    done = subprocess.run(["make", "-n", *command.words[1:]], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("command", as_parameters(shown("pip", "install")))
def test_an_extra_that_is_installed_exists(command):
    """`neurprise[NAME]` needs a NAME in pyproject.toml."""
    package, _, extra = command.words[2].rstrip("]").partition("[")
    assert package in ("neurprise", ".")  # a dot: this checkout
    assert not extra or extra in PYPROJECT["project"]["optional-dependencies"]


def test_the_plan_on_the_formats_page_is_read(tmp_path):
    """With a model and a table that have the names it mentions."""
    (plan,) = (text for kind, text in blocks((ROOT / "docs" / "formats.md").read_text()) if kind == "toml")
    (tmp_path / "plan.toml").write_text(plan)
    (tmp_path / "kitchen.lp").write_text(
        "Minimize\n obj: batch_fish + 3 buy_fish + left_fish\nSubject To\n"
        " demand_fish: batch_fish + buy_fish - left_fish >= 5\n balance_meat: buy_fish + left_fish >= 1\nEnd\n"
    )
    (tmp_path / "demand.csv").write_text(
        "fish,price,stock,yield,date,weekday,demand_meat,rent\n5,3,9,1,d1,Mon,2,10\n7,4,8,2,d2,Tue,3,20\n"
    )
    problem = nr.read(tmp_path / "plan.toml")
    assert problem.scenario_names == ("d1", "d2")
    assert set(problem.changes) == {"row_lower", "costs", "upper", "technology"}


@pytest.mark.parametrize("path", sorted((ROOT / "examples").rglob("*.py")), ids=lambda path: path.name)
def test_the_command_at_the_head_of_an_example_is_its_own(path: Path):
    """tests/test_examples.py runs what stands behind it."""
    shown_paths = re.findall(r"python (examples/\S+\.py)", path.read_text(encoding="utf-8"))
    assert set(shown_paths) <= {path.relative_to(ROOT).as_posix()}
