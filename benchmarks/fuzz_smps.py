"""
Mutate SMPS files and read them: every answer must be a valid problem or an InputError, in bounded memory and time.

    python -m benchmarks.fuzz_smps --count 20000 --seed 0
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from neurprise.errors import InputError
from neurprise.io import read

#: Values, words and fragments that readers trip over.
NASTY = (
    "nan", "inf", "-1e400", "1e-400", "1D5", "0x10", "1_000", "''", "'ROOT'", "ROOT", "RHS", "ENDATA", "\t", "*", "\n",
    "MARKER", "INTORG", "ADD", "MULTIPLY", "INDEP DISCRETE", "BLOCKS DISCRETE", "SCENARIOS", "CHANCE", "NORMAL", "BV",
    "FR", "MI", " UP BND", "-", "9" * 400, "\u00e9", "\ufeff", "PERIODS", "OBJSENSE", "MAX", "RANGES", "BOUNDS", "\r",
)  # fmt: skip

CORE = """\
NAME T
ROWS
 N C
 L A
 G D
 E F
COLUMNS
    X C 2 A 1
    X D 1
    M 'MARKER' 'INTORG'
    Y C 3 D 1
    M 'MARKER' 'INTEND'
    Z C 4 F 1
RHS
    R A 10 D 4
    R F 1 C -7
RANGES
    G D 3
BOUNDS
 UP B Y 8
ENDATA
"""
TIME = "TIME T\nPERIODS\n    X A P1\n    Y D P2\nENDATA\n"
STOCHS = (
    "STOCH T\nSCENARIOS DISCRETE\n SC S1 ROOT 0.5 P2\n    R D 3\n    X D 2\n SC S2 S1 0.5 P2\n    Y C 6\nENDATA\n",
    "STOCH T\nINDEP DISCRETE ADD\n    R D 3 P2 0.5\n    R D 6 0.5\n    Z C 1 0.1\n    Z C 2 0.9\nENDATA\n",
    "STOCH T\nBLOCKS DISCRETE\n BL B1 P2 0.5\n    R D 3\n BL B1 P2 0.5\n    R D 9\n BL B2 1\n UP B Z 4\nENDATA\n",
)


def mutated(text: str, rng: random.Random) -> str:
    """The text after one to four random edits of characters, words or lines."""
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        text = rng.choice((_edit_character, _edit_word, _edit_line, _cut))(text, rng)
    return text


def _edit_character(text: str, rng: random.Random) -> str:
    at = rng.randrange(len(text) + 1)
    return text[:at] + rng.choice((chr(rng.randrange(1, 256)), " ", "")) + text[at + 1 :]


def _edit_word(text: str, rng: random.Random) -> str:
    words = text.split(" ")
    at = rng.randrange(len(words))
    words[at] = rng.choice((rng.choice(NASTY), rng.choice(words), f"{rng.uniform(-9, 9):.3g}"))
    return " ".join(words)


def _edit_line(text: str, rng: random.Random) -> str:
    lines = text.split("\n")
    at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    choice = rng.randrange(4)
    if choice == 0:
        del lines[at]
    elif choice == 1:
        lines.insert(at, lines[other])
    elif choice == 2:
        lines[at], lines[other] = lines[other], lines[at]
    else:
        lines[at] = " ".join(rng.choice(NASTY) for _ in range(rng.randint(1, 6)))
    return "\n".join(lines)


def _cut(text: str, rng: random.Random) -> str:
    return text[: rng.randrange(len(text) + 1)] if rng.random() < 0.2 else text


def answer(folder: Path, texts: Sequence[str]) -> str:
    """Read one problem from (core, time, stoch) texts: 'problem' or the name of the InputError; others escape."""
    paths = [folder / name for name in ("f.cor", "f.tim", "f.sto")]
    for path, text in zip(paths, texts, strict=True):
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
    try:
        problem = read(tuple(paths))
    except InputError as error:
        return type(error).__name__
    problem.scenario(problem.num_scenarios - 1)
    return "problem"


def mutated_texts(seed: int) -> list[str]:
    """Core, time and stoch text of one fuzz case; one to three of them mutated."""
    rng = random.Random(seed)
    texts = [CORE, TIME, rng.choice(STOCHS)]
    for which in rng.sample(range(3), rng.choice((1, 1, 1, 2, 3))):
        texts[which] = mutated(texts[which], rng)
    return texts


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args(arguments)
    answers: Counter[str] = Counter()
    slowest, crashes, start = 0.0, 0, time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        for case in range(args.count):
            before = time.perf_counter()
            try:
                answers[answer(Path(folder), mutated_texts(args.seed + case))] += 1
            except Exception as error:
                crashes += 1
                print(f"case {args.seed + case}: {type(error).__name__}: {error}", file=sys.stderr)
            slowest = max(slowest, time.perf_counter() - before)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{args.count} mutated problems in {time.perf_counter() - start:.1f} s: {dict(answers)}, {crashes} crashes")
    print(f"slowest {1000 * slowest:.0f} ms, peak memory {memory:.0f} MB")
    return 1 if crashes else 0


if __name__ == "__main__":
    sys.exit(main())
