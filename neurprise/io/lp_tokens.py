"""The words of an LP file: sections, and in each a stream of numbers, names, signs and relations."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import NamedTuple, NoReturn

from neurprise.arrays import INFINITE
from neurprise.errors import FormatError
from neurprise.io.records import read_text

_SECTIONS = {
    "min": ("minimize", "minimise", "minimum", "min"),
    "max": ("maximize", "maximise", "maximum", "max"),
    "rows": ("subject to", "such that", "st", "s.t.", "st."),
    "bounds": ("bounds", "bound"),
    "integer": ("general", "generals", "gen", "gens", "integer", "integers", "int", "ints"),
    "binary": ("binary", "binaries", "bin", "bins"),
    "end": ("end",),
}
_TITLES = {title: section for section, titles in _SECTIONS.items() for title in titles}
_REFUSED = (
    "semi-continuous", "semis", "semi", "sos", "sos1", "sos2", "pwlobj", "general constraints", "lazy constraints",
    "user cuts", "multi-objectives",
)  # fmt: skip
_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<relation><=|>=|=<|=>|<|>|=)"
    r"|(?P<sign>[+-])|(?P<colon>:)|(?P<name>(?:[^\W\d]|[!\"#$%&(),.;?@'`{}|~])[\w!\"#$%&(),.;?@'`{}|~\[\]]*))"
)
_RELATIONS = {"<=": "<=", "=<": "<=", "<": "<=", ">=": ">=", "=>": ">=", ">": ">=", "=": "="}
_INFINITY = ("inf", "infinity")


class Token(NamedTuple):
    kind: str
    text: str
    line: int


class Tokens:
    """
    The tokens of one section, taken one after another.

    Parameters
    ----------
    file, line
        For messages: the file's name and the line of the section's title.
    """

    def __init__(self, file: str, line: int) -> None:
        self._file = file
        self._line = line
        self._tokens: list[Token] = []
        self._at = 0

    def add(self, number: int, line: str) -> None:
        """Append the tokens of one line."""
        at = 0
        while at < len(line):
            match = _TOKEN.match(line, at)
            if match is None or match.lastgroup is None:
                self._line = number
                self.fail(f"cannot read {line[at : at + 20]!r}; products, powers and brackets are not linear")
            self._tokens.append(Token(match.lastgroup, match.group(match.lastgroup), number))
            at = match.end()

    @property
    def done(self) -> bool:
        return self._at == len(self._tokens)

    def next_is(self, *kinds: str) -> bool:
        """Whether the next token is of one of these kinds."""
        return not self.done and self._tokens[self._at].kind in kinds

    def next_word(self) -> str:
        """The next token's text in lower case; empty at the end."""
        return "" if self.done else self._tokens[self._at].text.lower()

    def take(self) -> str:
        """The next token's text."""
        token = self._tokens[self._at]
        self._at, self._line = self._at + 1, token.line
        return token.text

    def at_label(self) -> bool:
        """Whether a row's label, a name with a colon, comes next."""
        return self.next_is("name") and [t.kind for t in self._tokens[self._at + 1 : self._at + 2]] == ["colon"]

    def label(self) -> str:
        """A row's label if one comes next; else empty."""
        if not self.at_label():
            return ""
        name = self.take()
        self.take()
        return name

    def name(self) -> str:
        if not self.next_is("name"):
            self.unexpected("the name of a variable")
        return self.take()

    def relation(self) -> str:
        """<=, >= or =, however it is spelled."""
        if not self.next_is("relation"):
            self.unexpected("<=, >= or =")
        return _RELATIONS[self.take()]

    def sign(self) -> float:
        """The product of any signs that come next."""
        factor = 1.0
        while self.next_is("sign"):
            factor *= -1.0 if self.take() == "-" else 1.0
        return factor

    def at_limit(self) -> bool:
        """Whether a signed number or infinity comes next."""
        return self.next_is("sign", "number") or self.next_word() in _INFINITY

    def limit(self) -> float:
        """A signed number; anything from 1e20 on is infinite."""
        factor = self.sign()
        if self.next_word() in _INFINITY:
            self.take()
            return factor * math.inf
        if not self.next_is("number"):
            self.unexpected("a number; variables stand on the left")
        value = factor * float(self.take())
        return math.copysign(math.inf, value) if abs(value) >= INFINITE else value

    def unexpected(self, expected: str) -> NoReturn:
        came = "the end of the section" if self.done else repr(self._tokens[self._at].text)
        self.fail(f"expected {expected}, got {came}")

    def fail(self, problem: str) -> NoReturn:
        raise FormatError(f"{self._file}, line {self._line}: {problem}.")


def sections(path: Path) -> list[tuple[str, Tokens]]:
    """The sections up to End: min, max, rows, bounds, integer or binary, with their tokens."""
    found: list[tuple[str, Tokens]] = []
    refused, ended = "", False
    for number, raw in enumerate(read_text(path).splitlines(), start=1):
        line = raw.split("\\", 1)[0].strip()
        title = " ".join(line.lower().split()).rstrip(":")
        if line and ended:
            Tokens(path.name, number).fail("text stands behind 'End'; remove it, or move 'End' to the last line")
        if _TITLES.get(title) == "end":
            ended = True
        elif title in _TITLES:
            found.append((_TITLES[title], Tokens(path.name, number)))
            refused = ""
        elif title in _REFUSED:
            refused = line  # an empty section does no harm, and HiGHS writes some
        elif line and refused:
            Tokens(path.name, number).fail(f"the section {refused!r} is not supported; only linear models are read")
        elif line and not found:
            Tokens(path.name, number).fail("expected Minimize or Maximize")
        elif line:
            found[-1][1].add(number, line)
    if not ended:
        raise FormatError(f"{path.name}: 'End' is missing; the file seems to be cut off.")
    return found
