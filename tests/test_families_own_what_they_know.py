"""What is true of one family only stands in its folder: nobody else asks a problem which family it is."""

import ast
from dataclasses import dataclass
from pathlib import Path

import pytest

from neurprise.problems import family_names, get_family

PACKAGE = Path(__file__).parents[1] / "neurprise"
NAMES = set(family_names())
CLASSES = {get_family(name).problem.__name__: name for name in NAMES}

#: A format may refuse what it cannot hold.
ALLOWED = {"io/dat.py"}


@dataclass(frozen=True)
class Question:
    """A place that asks for a family, in words."""

    line: int
    words: str


def questions(code):
    """Every place in a syntax tree that tells families apart."""
    finders = (_asks_for_class, _compares, _matches, _dispatches)
    return [
        Question(node.lineno, words) for node in ast.walk(ast.parse(code)) for find in finders if (words := find(node))
    ]


def _asks_for_class(node):
    """isinstance(problem, Selection), issubclass(kind, nr.Selection), also within a tuple of classes."""
    called = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id
    if called in ("isinstance", "issubclass") and any(_mentions_class(argument) for argument in node.args[1:]):
        return f"{called} of a family"
    return None


def _compares(node):
    """problem.family == "selection", type(problem) is Selection, `in` a collection of names."""
    if not isinstance(node, ast.Compare):
        return None
    sides = [node.left, *node.comparators]
    by_class = any(_is_type_call(side) for side in sides) and any(_mentions_class(side) for side in sides)
    by_name = any(_is_name(part) for side in sides for part in [side, *_elements(side)])
    fixed = any(_is_family_attribute(side) for side in sides) and any(isinstance(side, ast.Constant) for side in sides)
    return "comparison with a family" if by_class or by_name or fixed else None


def _matches(node):
    """case Selection(): or case "selection":"""
    if isinstance(node, ast.MatchClass):
        return "match of a family's class" if _mentions_class(node.cls) else None
    return "match of a family's name" if isinstance(node, ast.MatchValue) and _is_name(node.value) else None


def _dispatches(node):
    """{"selection": ..., "vertex-cover": ...} or {Selection: ...}: a table by family in the wrong place."""
    if not isinstance(node, ast.Dict):
        return None
    by_name = sum(_is_name(key) for key in node.keys) >= 2
    by_class = any(isinstance(key, (ast.Name, ast.Attribute)) and _mentions_class(key) for key in node.keys)
    return "table keyed by family" if by_name or by_class else None


def _mentions_class(node):
    names = (part.id for part in ast.walk(node) if isinstance(part, ast.Name))
    attributes = (part.attr for part in ast.walk(node) if isinstance(part, ast.Attribute))
    return bool({*names, *attributes} & set(CLASSES))


def _is_type_call(node):
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "type"


def _is_name(node):
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in NAMES


def _is_family_attribute(node):
    return isinstance(node, ast.Attribute) and node.attr == "family"


def _elements(node):
    return node.elts if isinstance(node, (ast.Tuple, ast.List, ast.Set)) else []


def folder_of(name):
    """Where a family lives, as a path inside the package."""
    return f"problems/{name.replace('-', '_')}"


def places():
    """Every module outside the folders of families, with its path inside the package."""
    homes = tuple(folder_of(name) for name in NAMES)
    for path in sorted(PACKAGE.rglob("*.py")):
        inside = path.relative_to(PACKAGE).as_posix()
        if not inside.startswith(homes) and inside not in ALLOWED:
            yield inside, path


def test_nobody_asks_a_problem_which_family_it_is():
    """Methods ask for what a problem knows (`oracle`, `learned`, ...), never for its name or class."""
    found = [
        f"neurprise/{inside}:{question.line}: {question.words}"
        for inside, path in places()
        if inside != "problems/__init__.py"  # the registry itself
        for question in questions(path.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_families_do_not_know_each_other():
    """Deleting one folder and its line leaves the others whole."""
    found = []
    for name in NAMES:
        others = [folder_of(other).replace("/", ".") for other in NAMES - {name}]
        for path in sorted((PACKAGE / folder_of(name)).glob("*.py")):
            found += [f"{path.name} of {name}" for other in others if other in path.read_text(encoding="utf-8")]
    assert found == []


def test_the_walk_sees_the_package_and_the_exception_is_one():
    """A walk that found nothing would pass; an exception that is no longer needed would hide something."""
    assert len(list(places())) > 60
    assert all(questions((PACKAGE / inside).read_text(encoding="utf-8")) for inside in ALLOWED)


@pytest.mark.parametrize(
    "code",
    [
        "isinstance(problem, Selection)",
        "isinstance(problem, nr.VertexCover)",
        "isinstance(problem, (int, FacilityLocation))",
        "issubclass(kind, Selection)",
        "type(problem) is Selection",
        "type(problem) == nr.Selection",
        "problem.family == 'selection'",
        "'vertex-cover' != name",
        "problem.family in ('selection', 'other')",
        "problem.family == 'anything'",
        "match problem:\n    case Selection(): pass",
        "match name:\n    case 'selection': pass",
        "match name:\n    case 'other' | 'vertex-cover': pass",
        "{'selection': 1, 'vertex-cover': 2}[name]",
        "{Selection: 1}[type(problem)]",
    ],
)
def test_the_walk_finds(code):
    """Each way of asking."""
    assert len(questions(code)) == 1


@pytest.mark.parametrize(
    "code",
    [
        "isinstance(value, str)",
        "problem.family != network.config.family",
        "Selection(costs, later, 3)",
        "labels = {'selection': problem}",
        "type(other) is not type(self)",
        "header['family'] == TwoStageProblem.family",
    ],
)
def test_the_walk_leaves_alone(code):
    """Comparing two families, building a problem, one label."""
    assert questions(code) == []
