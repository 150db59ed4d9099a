"""Labels, training and experiments, killed (-9) at random moments, end as runs do that were left alone."""

import gzip
import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import neurprise as nr
from experiments import commands as experiments
from neurprise.cli import main

ROOT = Path(__file__).parents[2]
SMALL = ["--family", "selection", "--size", "6", "--scenarios", "5", "--budget", "3", "--seed", "2", "--count"]


def kill_often(watched, kills, longest_pause, command):
    """How often the command was killed; in the end it ran through."""
    argv = [sys.executable, "-m", "tests.faults.kills", watched, kills, longest_pause, 11, *command]
    done = subprocess.run(list(map(str, argv)), cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return int(done.stdout.split()[0])


@pytest.mark.parametrize("jobs, count, kills", [(1, "150", 4), (2, "100", 2)])
def test_killed_labelling_ends_with_the_same_bytes(tmp_path, jobs, count, kills):
    """Whole labels stay, parts of labels go, none is there twice, and no file is left over."""
    left_alone, killed = tmp_path / "left alone", tmp_path / "killed"
    assert main(["label", str(left_alone), *SMALL, count]) == 0
    command = ["label", killed, *SMALL, count, "--jobs", jobs]
    assert kill_often(killed / "labels.jsonl", kills, 0.02, command) >= kills - 1
    assert contents(killed) == contents(left_alone)


def test_an_instance_that_kills_the_command_is_named_by_the_next_one(tmp_path):
    """With one job it computes in the command itself; the same command goes on in a process of its own."""
    command = ["label", tmp_path / "labels", "--from", "tests.parallel.work:deadly_problem", "--count", 5]
    argv = [sys.executable, "-m", "neurprise", *map(str, command)]
    first, second = (subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False) for _ in range(2))
    assert first.returncode == -signal.SIGKILL
    assert second.returncode == 1
    assert "instance 2 killed the worker each time" in second.stderr
    assert "4 of 5 labels are kept" in second.stderr


def test_killed_training_ends_with_the_same_weights(tmp_path):
    """Epoch by epoch: states are whole, and a repeated epoch is the same epoch."""
    pytest.importorskip("torch", reason="training needs PyTorch")
    labels, left_alone, killed = (tmp_path / name for name in ("labels", "left alone", "killed"))
    assert main(["label", str(labels), *SMALL, "20"]) == 0
    options = ["--epochs", "12", "--hidden", "8", "--embedding", "8", "--heads", "2", "--batch-size", "4"]
    assert main(["train", str(labels), "-o", str(left_alone), *options]) == 0
    state = killed / "training" / "state.safetensors"
    assert kill_often(state, 2, 0.05, ["train", labels, "-o", killed, *options]) >= 2
    for name in ("weights.safetensors", "config.json"):
        assert (killed / name).read_bytes() == (left_alone / name).read_bytes()
    assert history(killed) == history(left_alone)


def test_killed_experiments_end_with_the_same_rows(tmp_path):
    """Each method, budget and instance once, with the same numbers."""
    left_alone, killed = tmp_path / "left alone", tmp_path / "killed"
    methods = ["exact", "prise", "random", "maxsum", "ccg", "singlevalue"]
    options = ["--sets", "SEL-20-50", "--instances", "1", "--methods", *methods, "--results"]
    assert experiments.main(["run", "small", *options, str(left_alone)]) == 0
    command = ["experiments", "run", "small", *options, killed]
    assert kill_often(killed / "rows" / ".small.rows.unfinished", 3, 0.02, command) == 3
    assert rows(killed) == rows(left_alone)


def rows(folder):
    """All rows of the experiment, without what differs from run to run."""
    stored = gzip.decompress((folder / "rows" / "small.jsonl.gz").read_bytes()).splitlines()
    found = [json.loads(line) for line in stored]
    return [
        {name: value for name, value in row.items() if "seconds" not in name and name not in ("run", "began")}
        for row in found
        if "method" in row
    ]


def test_a_killed_search_goes_on_from_its_state(tmp_path):
    """What it had proved and found is there, and in the end the optimum is that of a search that was left alone."""
    problem = nr.make_vertex_cover(24, 40, seed=1)
    problem.write(tmp_path / "problem.npz")
    command = ["solve", tmp_path / "problem.npz", "--state", tmp_path / "search.state", "-o", tmp_path / "answer.json"]
    assert kill_often(tmp_path / "search.state", 2, 0.2, command) == 2
    answer = json.loads((tmp_path / "answer.json").read_text())
    assert answer["status"] == "optimal"
    assert answer["worst_case"] == pytest.approx(nr.solve(problem).worst_case, rel=1e-4)


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def history(checkpoint):
    """All epochs without their seconds."""
    stored = json.loads((checkpoint / "training" / "progress.json").read_text())
    return stored["best_epoch"], [{**epoch, "seconds": 0} for epoch in stored["history"]]
