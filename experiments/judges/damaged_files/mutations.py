"""Random damage to files: edits of characters, words and lines, repetitions without end, cuts, and flipped bytes."""

from __future__ import annotations

import io
import random
import struct
import warnings
import zipfile
from collections.abc import Callable

#: Values, words and fragments that readers trip over.
NASTY = (
    "nan", "inf", "-inf", "-1e400", "1e-400", "1e300", "1e16", "1e20", "1D5", "0x10", "1_000", "''", '""', "null",
    "{}", "[]", "-", "+", ":", ";", ",", ".", "=", "<=", ">", "^", "\\", "#", "*", "\t", "\n", "\r", "\0", "9" * 400,
    "\u00e9", "\ufeff", "ROOT", "'ROOT'", "RHS", "ENDATA", "MARKER", "INTORG", "ADD", "MULTIPLY", "INDEP DISCRETE",
    "BLOCKS DISCRETE", "SCENARIOS", "CHANCE", "NORMAL", "BV", "FR", "MI", " UP BND", "PERIODS", "OBJSENSE", "MAX",
    "RANGES", "BOUNDS", "End", "Subject To", "Bounds", "Generals", "free", "infinity", "name", "probability",
)  # fmt: skip
NASTY_DOUBLES = (float("nan"), float("inf"), -1e300, 1e16, 1e-320, -0.0)
#: A repeated fragment grows to so many characters.
LONGEST = 100_000


def mutated_text(raw: bytes, rng: random.Random) -> bytes:
    """The text after one to four random edits."""
    text = raw.decode("latin-1")
    edits = (_edit_character, _edit_word, _edit_word, _edit_line, _edit_line, _repeat, _cut)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        text = rng.choice(edits)(text, rng)
    return text.encode(rng.choice(("utf-8", "utf-8", "utf-8", "latin-1", "utf-16")), "replace")


def mutated_bytes(raw: bytes, rng: random.Random) -> bytes:
    """The bytes after a few were overwritten, inserted, doubled or cut off."""
    data = bytearray(raw)
    for _ in range(rng.choice((1, 1, 2, 8))):
        at = rng.randrange(len(data) + 1)
        kind = rng.randrange(4)
        if kind == 0:
            data[at : at + 1] = bytes([rng.randrange(256)])
        elif kind == 1:
            data[at : at + 8] = struct.pack("<d", rng.choice(NASTY_DOUBLES))
        elif kind == 2:
            data[at:at] = data[at : at + rng.randrange(64)]
        elif rng.random() < 0.3:
            del data[at:]
    return bytes(data)


def mutated_archive(raw: bytes, rng: random.Random) -> bytes:
    """A zip file with one member damaged, dropped, renamed or doubled, and checksums that are right all the same."""
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        members = [(name, archive.read(name)) for name in archive.namelist()]
    at = rng.randrange(len(members))
    name, data = members[at]
    # The text in a member stands behind NumPy's header of 128 bytes.
    changes: tuple[Callable[[], list[tuple[str, bytes]]], ...] = (
        lambda: [(name, mutated_bytes(data, rng))],
        lambda: [(name, data[:128] + mutated_bytes(data[128:], rng))],
        lambda: [(name, _with_length(data, mutated_text(data[128:], rng)))],
        lambda: [(name, mutated_text(data[:128], rng) + data[128:])],
        list,
        lambda: [(rng.choice(members)[0], data)],
        lambda: [(name, rng.choice(members)[1])],
        lambda: [(name, data), (mutated_text(name.encode(), rng).decode("latin-1")[:999], data)],
    )
    members[at : at + 1] = rng.choice(changes)()
    return _zipped(members)


def _with_length(member: bytes, payload: bytes) -> bytes:
    """A one-dimensional member with this payload and a header that says so."""
    header = member[10:128].decode("latin-1")
    start, end = header.find("'shape': (") + 10, header.find("), ")
    shaped = f"{header[:start]}{len(payload)},{header[end:].rstrip()}".ljust(117) + "\n"
    return member[:10] + shaped[:118].encode("latin-1") + payload


def _zipped(members: list[tuple[str, bytes]]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # names that come twice are on purpose
        for name, data in members:
            archive.writestr(zipfile.ZipInfo(name), data)
    return buffer.getvalue()


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


def _repeat(text: str, rng: random.Random) -> str:
    """A short fragment again and again: deep brackets, endless keys, huge lines."""
    if rng.random() < 0.7:
        return text
    at = rng.randrange(len(text) + 1)
    fragment = text[at : at + rng.randint(1, 12)] or "["
    return text[:at] + fragment * rng.randint(2, LONGEST // len(fragment)) + text[at:]


def _cut(text: str, rng: random.Random) -> str:
    return text[: rng.randrange(len(text) + 1)] if rng.random() < 0.2 else text
