"""Mutated SMPS files: a clean error or a valid problem. `python -m benchmarks.fuzz_smps` runs many more."""

import tracemalloc

from hypothesis import example, given, settings
from hypothesis import strategies as st

from benchmarks.fuzz_smps import CORE, STOCHS, TIME, answer, mutated_texts


@settings(max_examples=400)
@given(seed=st.integers(0, 10**9))
def test_random_edits_never_crash_the_reader(tmp_path_factory, seed):
    """Edits of characters, words and lines, drawn by the seed."""
    assert answer(tmp_path_factory.mktemp("fuzz"), mutated_texts(seed)) in ("problem", "FormatError", "InputError")


@settings(max_examples=150)
@given(texts=st.tuples(st.text(max_size=200), st.text(max_size=100), st.text(max_size=200)))
@example((CORE, TIME, STOCHS[0]))
def test_arbitrary_text_never_crashes_the_reader(tmp_path_factory, texts):
    """Hypothesis's own idea of nasty text."""
    texts = [text.encode("utf-8", "replace").decode() for text in texts]
    assert answer(tmp_path_factory.mktemp("text"), texts) in ("problem", "FormatError", "InputError")


def test_an_exploding_product_needs_no_memory(tmp_path):
    """10^200 combinations are counted, not built."""
    lines = [f"    R D {value} 0.1" for value in range(10)]
    columns = [f"    Q{k} C 1 D 1" for k in range(200)]
    core = CORE.replace("RHS\n", "\n".join(columns) + "\nRHS\n", 1)
    lines += [f"    Q{k} C {value} 0.1" for k in range(200) for value in range(10)]
    tracemalloc.start()
    outcome = answer(tmp_path, (core, TIME, "\n".join(["STOCH T", "INDEP DISCRETE", *lines, "ENDATA", ""])))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert outcome == "FormatError"
    assert peak < 20e6
