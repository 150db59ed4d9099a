"""Damaged files of every format: a clean error or a valid problem. `python -m experiments run fuzz` runs many more."""

import tracemalloc
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from experiments.judges.damaged_files.targets import CORE, STOCHS, TARGETS, TIME
from experiments.judges.fuzz import answer, at_most, main

CLEAN = ("read", "FormatError", "InputError", "CheckpointError", "InfeasibleProblemError")


@pytest.mark.parametrize("name", TARGETS)
def test_undamaged_files_are_read(name, tmp_path):
    """Otherwise the damage would prove nothing."""
    if name == "parquet":
        pytest.importorskip("pyarrow", reason="Parquet tables need pyarrow")
    for files in TARGETS[name].seeds():
        assert answer(TARGETS[name], tmp_path, files) == "read"


@pytest.mark.parametrize("name", TARGETS)
def test_random_damage_never_crashes_a_reader(name, tmp_path):
    """Edits of characters, words, lines and bytes, drawn by the seed."""
    if name == "parquet":
        pytest.importorskip("pyarrow", reason="Parquet tables need pyarrow")
    for seed in range(120):
        with at_most(seconds=60):
            assert answer(TARGETS[name], tmp_path, TARGETS[name].damaged(seed)) in CLEAN, seed


def test_a_crash_is_reported_with_its_number(monkeypatch, capsys):
    """So that it can be repeated."""

    def broken(folder):
        raise ZeroDivisionError("a bug")

    monkeypatch.setitem(TARGETS, "dat", replace(TARGETS["dat"], read=broken))
    assert main(["--format", "dat", "--count", "2", "--seed", "7", "--no-save"]) == 1
    assert "dat 7: ZeroDivisionError: a bug" in capsys.readouterr().err


@settings(max_examples=150)
@given(texts=st.tuples(st.text(max_size=200), st.text(max_size=100), st.text(max_size=200)))
@example((CORE, TIME, STOCHS[0]))
def test_arbitrary_text_never_crashes_the_smps_reader(tmp_path_factory, texts):
    """Hypothesis's own idea of nasty text."""
    assert smps_answer(tmp_path_factory.mktemp("text"), *texts) in CLEAN


def test_an_exploding_product_needs_no_memory(tmp_path):
    """10^200 combinations are counted, not built."""
    lines = [f"    R D {value} 0.1" for value in range(10)]
    columns = [f"    Q{k} C 1 D 1" for k in range(200)]
    core = CORE.replace("RHS\n", "\n".join(columns) + "\nRHS\n", 1)
    lines += [f"    Q{k} C {value} 0.1" for k in range(200) for value in range(10)]
    tracemalloc.start()
    outcome = smps_answer(tmp_path, core, TIME, "\n".join(["STOCH T", "INDEP DISCRETE", *lines, "ENDATA", ""]))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert outcome == "FormatError"
    assert peak < 20e6


def smps_answer(folder, core, time, stoch):
    texts = {"f.cor": core, "f.tim": time, "f.sto": stoch}
    return answer(TARGETS["smps"], folder, {name: text.encode("utf-8", "replace") for name, text in texts.items()})
