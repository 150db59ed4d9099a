"""The judge of models: a few seeds of every tool, and a reader that is wrong."""

import pytest

from experiments.judges.model_files.scenarios import draw_scenarios
from experiments.judges.model_files.solving import TOOLS, tools
from experiments.judges.models import judge_model, main
from neurprise.io.models.highspy import Reader


@pytest.mark.parametrize("name", TOOLS)
def test_models_of_every_tool_have_the_tools_own_values(name, tmp_path):
    """Three scenarios of each model, each solved alone by the tool."""
    pytest.importorskip({"lp": "gurobipy", "mps": "highspy"}.get(name, name))
    tool = tools(tmp_path)[name]
    verdicts = [judge_model(seed, tool) for seed in range(6)]
    assert [note for verdict, note in verdicts if verdict == "wrong"] == []
    assert sum(verdict == "equal" for verdict, _ in verdicts) >= 5


def test_a_reader_that_loses_the_constant_is_found(tmp_path, monkeypatch):
    """The first seed whose models have one."""
    seed = next(s for s in range(20) if next(iter(draw_scenarios(s).models.values())).offset)
    linear = Reader.linear
    monkeypatch.setattr(Reader, "linear", lambda self, model: without_constant(linear(self, model)))
    verdict, note = judge_model(seed, tools(tmp_path)["highspy"])
    assert verdict == "wrong"
    assert "by the tool" in note


def without_constant(model):
    from dataclasses import replace

    return replace(model, offset=0.0)


def test_the_judge_is_a_command(capsys):
    """One row for each tool."""
    assert main(["--count", "1", "--tool", "highspy", "scipy", "--no-save"]) == 0
    assert "scipy" in capsys.readouterr().out
