"""The shipped contract of formats: every format keeps it, and broken ones are caught."""

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import neurprise as nr
from neurprise.io import dat, npz, plan, smps
from neurprise.testing import check_format, small_problems

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("module, suffix", [(npz, ".npz"), (dat, ".dat"), (plan, ".toml"), (smps, ".cor")])
def test_every_format_keeps_the_contract(module, suffix):
    """Every small problem that the format accepts comes back as it was; examples are read."""
    check_format(module, suffix, examples=sorted(EXAMPLES.rglob(f"*{suffix}")))


def read_badly(change):
    """The package's own format with its answer changed."""
    return SimpleNamespace(write=npz.write, read=lambda path: change(npz.read(path)))


def loses_a_scenario(problem):
    return problem.restrict(range(problem.num_scenarios - 1))


def loses_the_names(problem):
    return nr.TwoStageProblem(problem.first_stage, problem.recourse, problem.changes, problem.num_scenarios)


@pytest.mark.parametrize(
    "change, words", [(loses_a_scenario, "every number must survive"), (loses_the_names, "names must survive")]
)
def test_formats_that_lose_something_are_caught(change, words):
    """Numbers and names survive."""
    with pytest.raises(AssertionError, match=words):
        check_format(read_badly(change), ".npz", {"selection": small_problems()["selection"]})


def test_a_reader_that_crashes_on_foreign_files_is_caught():
    """A JSON error is not a sentence for users."""

    def write(problem, path):
        path.write_text(json.dumps([problem.first_stage_costs.tolist(), problem.scenario_costs.tolist()]))

    def read(path):
        now, later = json.loads(path.read_bytes())
        return nr.Selection(now, np.array(later), 3)

    with pytest.raises(AssertionError, match="must be refused with an InputError, got"):
        check_format(SimpleNamespace(read=read, write=write), ".json", {"selection": small_problems()["selection"]})


def test_a_reader_that_accepts_anything_is_caught():
    """Text is no problem."""
    anything = SimpleNamespace(read=lambda path: nr.make_selection(3, 2, 0))
    with pytest.raises(AssertionError, match="but was read"):
        check_format(anything, ".txt", examples=[EXAMPLES / "README.md"])


def test_a_format_must_carry_something():
    """Reading nothing and writing nothing is no format."""
    with pytest.raises(AssertionError, match="must carry a problem"):
        check_format(SimpleNamespace(read=npz.read), ".npz")
