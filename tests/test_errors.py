"""Errors are sentences: one line of bounded length, whatever they quote."""

import copy

import pytest

import neurprise as nr


def test_a_sentence_keeps_its_rule_and_its_remedy():
    """A file may hold a name of a megabyte; nobody wants to read it."""
    error = nr.FormatError(f"names must be short, got {'x' * 10**6!r}; rename it.")
    assert str(error).startswith("names must be short, got 'xxx")
    assert str(error).endswith("rename it.")
    assert len(str(error)) < 300


def test_a_list_of_many_names_is_cut_in_the_middle():
    """The head and the end stay."""
    error = nr.InputError(f"one of {', '.join(map(str, range(10_000)))} is meant; say which.")
    assert str(error).startswith("one of 0, 1, 2")
    assert str(error).endswith("9999 is meant; say which.")
    assert len(str(error)) < 1300


def test_a_sentence_is_one_line():
    """Also when a quoted value has several."""
    assert str(nr.InputError("got 'a\nb';\r\n change it.")) == "got 'a b'; change it."


@pytest.mark.parametrize("kind", [nr.InputError, nr.FormatError, nr.CheckpointError, nr.MissingDependencyError])
def test_errors_travel_between_processes(kind):
    """Workers send copies back."""
    assert str(copy.copy(kind("what must hold; what to do."))) == "what must hold; what to do."
