"""Pages speak of names and files that exist."""

import ast
import importlib
import re
from functools import cache
from pathlib import Path

import pytest

import neurprise as nr
from docs import check

ROOT = Path(__file__).parents[1]
_FENCED = re.compile(r"^```.*?^```$", re.M | re.S)
_SPAN = re.compile(r"`([^`\n]+)`")
_NAME = re.compile(r"[A-Za-z_]\w+(?:\.[A-Za-z_]\w*)*(?:\(.*\))?")
_FILE = re.compile(r"[\w./-]+\.(?:py|md|html|toml|csv|npz|lp|json|jsonl|ipynb|txt|js|xlsx|cor|state)")
#: Names of other libraries, formats and programs, and of the file that must not exist.
_OF_OTHERS = {"utils.py", "Timestamp", "attach_root_node", "R1", "R2", "grep", "NO_COLOR", "Binaries", "Stock", "my_x"}
#: Where the pages look for files from.
_PLACES = ("", "neurprise", "docs", "tests", "experiments", "examples")


@cache
def known_names() -> frozenset[str]:
    """Everything that the code calls something: definitions, arguments, attributes, modules, and short texts."""
    known = set(nr.solve(nr.make_selection(3, 2, seed=1)).to_dict())
    for path in (path for folder in ("neurprise", "experiments", "examples") for path in (ROOT / folder).rglob("*.py")):
        known |= set(path.relative_to(ROOT).with_suffix("").parts)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            told = [getattr(node, field, None) for field in ("name", "id", "attr", "arg", "value")]
            known |= {word for text in told if isinstance(text, str) and " " not in text for word in _words(text)}
    return frozenset(known)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def spans(page: str) -> list[str]:
    """What stands between backquotes outside of blocks; NAME is a placeholder."""
    return [span for span in _SPAN.findall(_FENCED.sub("", page)) if "NAME" not in span]


def unknown_names(page: str) -> list[str]:
    """Names on a page that the code does not know."""
    names = [span for span in spans(page) if _NAME.fullmatch(span) and not _FILE.fullmatch(span)]
    return [name for name in names if not set(_words(name.partition("(")[0])) <= known_names() | _OF_OTHERS]


def missing_attributes(page: str) -> list[str]:
    """`nr.` or `neurprise.` followed by what is not there."""
    found = re.findall(r"\b(?:nr|neurprise)(?:\.[A-Za-z_]\w*)+", page)
    return [name for name in sorted(set(found)) if not _FILE.fullmatch(name) and not _resolves(name)]


def _resolves(name: str) -> bool:
    value, path = nr, "neurprise"
    for part in name.split(".")[1:]:
        path = f"{path}.{part}"
        try:
            value = getattr(value, part) if hasattr(value, part) else importlib.import_module(path)
        except ImportError:
            return False
    return True


@pytest.mark.parametrize("path", check.pages(), ids=lambda path: path.name)
def test_names_on_pages_exist(path):
    """A reader who looks for them finds them."""
    page = path.read_text(encoding="utf-8")
    assert unknown_names(page) == []
    assert missing_attributes(page) == []


def test_a_name_that_is_gone_is_noticed():
    """As a function that was renamed."""
    assert unknown_names("the result goes through `settle`, then `solve`") == ["settle"]
    assert missing_attributes("call `nr.solve` and nr.slove(1)") == ["nr.slove"]


@pytest.mark.parametrize("path", check.pages(), ids=lambda path: path.name)
def test_modules_on_pages_exist(path):
    """By their path from the repository or the package, or by their name alone."""
    files = [span for span in spans(path.read_text(encoding="utf-8")) if re.fullmatch(r"[\w./-]+\.py", span)]
    files = [name for name in files if name not in _OF_OTHERS]
    gone = [name for name in files if not any((ROOT / place / name).exists() for place in _PLACES)]
    assert [name for name in gone if "/" in name or not list(ROOT.glob(f"neurprise/**/{name}"))] == []
