"""The words of an LP file: sections, and in each a stream of numbers, names, signs and relations."""

from __future__ import annotations

import math
import re
from typing import NamedTuple, NoReturn

from neurprise.arrays import INFINITE
from neurprise.errors import FormatError

_SECTIONS = {
    "min": ("minimize", "minimum", "min"),
    "max": ("maximize", "maximum", "max"),
    "rows": ("subject to", "such that", "st", "s.t.", "st."),
    "bounds": ("bounds", "bound"),
    "integer": ("general", "generals", "gen", "integer", "integers", "int"),
    "binary": ("binary", "binaries", "bin"),
    "end": ("end",),
}
_TITLES = {title: section for section, titles in _SECTIONS.items() for title in titles}
#: Features of other models, by the titles of their sections.
_UNSUPPORTED = {
    **dict.fromkeys(("semi-continuous", "semis", "semi"), "semi-continuous variables"),
    **dict.fromkeys(("sos", "sos1", "sos2"), "special ordered sets"),
    **dict.fromkeys(("minimize multi-objectives", "maximize multi-objectives"), "several objectives"),
    "pwlobj": "piecewise-linear objectives",
    "general constraints": "general constraints (such as MIN, MAX, ABS, PWL)",
    "lazy constraints": "lazy constraints",
    "user cuts": "user cuts",
}
#: Words that readers take for something else than a name.
_KEYWORDS = {*_TITLES, *_UNSUPPORTED, "subject", "such", "lazy", "user", "free", "inf", "infinity", "nan"}
_LINEAR_ONLY = "are not supported; only linear models are read"
#: Blanks are those of the engines' readers: space and tab. Python's further ones, such as U+00A0, are part of no word.
_PIECE = re.compile(
    r"[ \t]*(?:(?P<label>[^\s<>=:+-][^\s<>=:]*)[ \t]*:|(?P<relation><=|>=|=<|=>|<|>|=)|(?P<word>[^\s<>=:]+))"
)
_WORD = re.compile(
    r"(?P<signs>[+-]*)(?:(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<name>(?!\.\d)(?:[^\W\d]|[!\"#$%&(),.?@'`{}|~])[\w!\"#$%&(),.;?@'`{}|~/\[\]]*))?",
)
#: `y>= +1`: Gurobi goes on after it as after a name, and the number and the next row's label become a term.
_ATTACHED_RELATION = re.compile(r"[^\s<>=:]+[<>=]+(?=[ \t]*[+-])|(?<=\s)[<>=]+[^\s\d<>=:.+-]")
_RELATIONS = {"<=": "<=", "=<": "<=", "<": "<=", ">=": ">=", "=>": ">=", ">": ">=", "=": "="}
_INFINITY = ("inf", "infinity")
#: Gurobi writes this comment.
_GUROBI = "LP format - for model browsing"


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
        title_line, self._line = self._line, number
        if "->" in line:
            self.fail(f"indicator constraints (->) {_LINEAR_ONLY}")
        if attached := _ATTACHED_RELATION.search(line):
            self._refuse_as_ambiguous(attached.group())
        at = 0
        while at < len(line):
            piece = _PIECE.match(line, at)
            if piece is None or piece.lastgroup is None:
                self.fail(f"cannot read {line[at : at + 20]!r}")
            text, at = piece.group(piece.lastgroup), piece.end()
            if piece.lastgroup == "word":
                self._add_word(number, text)
                continue
            if piece.lastgroup == "label" and not _WORD.fullmatch(text):
                self._refuse_word(text)
            self._tokens.append(Token(piece.lastgroup, text, number))
        self._line = title_line

    def _add_word(self, number: int, text: str) -> None:
        """Signs, and a number or a name behind them."""
        word = _WORD.fullmatch(text)
        if word is None:
            self._refuse_word(text)
        self._tokens += [Token("sign", sign, number) for sign in word["signs"]]
        for kind in ("number", "name"):
            if word[kind] is not None:
                self._tokens.append(Token(kind, word[kind], number))

    def _refuse_word(self, text: str) -> NoReturn:
        if "^" in text or "*" in text or text[0] in "[]":
            self.fail(f"quadratic terms ({text[:20]!r}) {_LINEAR_ONLY}")
        if re.match(r"[+-]*\.?\d|.*[+-]", text):
            self._refuse_as_ambiguous(text)
        self.fail(f"cannot read {text[:20]!r}")

    def _refuse_as_ambiguous(self, text: str) -> NoReturn:
        self.fail(
            f"Gurobi reads {text[:50]!r} as one name, other readers as several words; put blanks between numbers, "
            "signs and names, rename, or write the model as MPS"
        )

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

    def label(self) -> str:
        """A row's label, without its colon, if one comes next; else empty."""
        return self.take() if self.next_is("label") else ""

    def name(self) -> str:
        if not self.next_is("name"):
            self.unexpected("the name of a variable")
        name = self.take()
        if name.lower() in _KEYWORDS:
            self.fail(f"{name!r} is a keyword of LP files; put a section's title on a line of its own, or rename")
        return name

    def relation(self) -> str:
        """<=, >= or =, however it is spelled."""
        if not self.next_is("relation"):
            self.unexpected("<=, >= or =")
        return _RELATIONS[self.take()]

    def sign(self) -> float:
        """The product of any signs that come next."""
        factor, count = 1.0, 0
        while self.next_is("sign"):
            factor *= -1.0 if self.take() == "-" else 1.0
            count += 1
        if count > 2:  # Gurobi would make up a variable
            self.fail("more than two signs stand before a term; keep one")
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


def sections(file: str, text: str) -> list[tuple[str, Tokens]]:
    """The sections up to End: min, max, rows, bounds, integer or binary, with their tokens."""
    found: list[tuple[str, Tokens]] = []
    unsupported, ended = "", False
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw.removesuffix("\r").split("\\", 1)[0].strip(" \t")
        title = " ".join(line.lower().split())
        here = Tokens(file, number)
        if line and ended:
            here.fail("text stands behind 'End'; remove it, or move 'End' to the last line")
        if re.fullmatch(r"scenario \S+", title):
            here.fail("several scenarios in a model are not supported; put them into the table of a plan")
        if title == "end":
            ended = True
        elif title in _TITLES:
            found.append((_TITLES[title], here))
            unsupported = ""
        elif title in _UNSUPPORTED:
            unsupported = _UNSUPPORTED[title]  # an empty section does no harm, and HiGHS writes some
        elif line and unsupported:
            here.fail(f"{unsupported} {_LINEAR_ONLY}")
        elif line and not found:
            here.fail("expected Minimize or Maximize")
        elif line:
            found[-1][1].add(number, line)
    if not ended:
        raise FormatError(f"{file}: 'End' is missing; the file seems to be cut off.")
    return found


def is_by_gurobi(text: str) -> bool:
    """Whether the file begins with the comment that Gurobi writes."""
    return any(line.startswith("\\") and _GUROBI in line for line in text[:2000].split("\n"))
