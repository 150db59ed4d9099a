"""Solution files: what is a decision, and the sentence for everything else."""

import io
import json
import sys

import pytest

import neurprise as nr
from neurprise.cli import main
from neurprise.io.solution import parse_solution


@pytest.mark.parametrize("text", ["[1, 0.5, 2e3]", '{"x": [1, 0.5, 2000], "status": "optimal"}', " [1,0.5,2000.0]\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_list_or_the_x_of_a_report_is_a_decision(text, encoding):
    """Windows shells redirect output as UTF-16."""
    assert parse_solution("x.json", text.encode(encoding)) == [1, 0.5, 2000]


@pytest.mark.parametrize("text", ['{"fish": 2, "lamb": 0.5}', '{"x": [2, 0.5], "decision": {"fish": 2, "lamb": 0.5}}'])
def test_names_and_numbers_are_a_decision(text):
    """The names of a report are preferred to its list."""
    assert parse_solution("x.json", text.encode()) == {"fish": 2, "lamb": 0.5}


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"", "must hold JSON, but 'x.json' does not"),
        (b"[1, 2", "must hold JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"x":' * 100_000, "nested too deeply"),
        (b"[[" * 400 + b"]]" * 400, "got a list at position 0"),
        (b"\xff\x80\x81", "its bytes are not text"),
        (b'["\xe9"]', "its bytes are not text"),
        (b"[NaN]", "NaN is no JSON number"),
        (b"[1, -Infinity]", "-Infinity is no JSON number"),
        (b"[" + b"9" * 400 + b"]", "got Infinity at position 0"),
        (b"[" + b"9" * 5000 + b"]", "got Infinity at position 0"),
        (b"[1e999]", "got Infinity at position 0"),
        (b'[1, "2"]', 'without quotes, got "2" at position 1'),
        (b"[null]", "got null at position 0"),
        (b"[true]", "got true at position 0"),
        (b'{"x": null}', "got no decision in"),
        (b"null", "got no decision in"),
        (b"{}", "got no decision in"),
        (b'{"y": [1]}', "got a list for 'y'"),
        (b'{"decision": {"fish": "2"}}', """got "2" for 'fish'"""),
        (b"7", "got float"),
        (b'"' + b"a" * 1000 + b'"', "got str"),
    ],
)
def test_everything_else_is_refused_in_one_sentence(raw, words):
    """Whoever wrote the file can find the place."""
    with pytest.raises(nr.FormatError) as refusal:
        parse_solution("x.json", raw)
    assert words in str(refusal.value)
    assert len(str(refusal.value)) < 200


@pytest.mark.parametrize(("raw", "code"), [(b"[0, 0, 0]", 0), (b"\xff\xfe\xff", 2)])
def test_standard_input_may_hold_the_decision(tmp_path, monkeypatch, capsys, raw, code):
    """Bytes that are not text are no crash there either."""
    nr.make_selection(3, 2, seed=0).write(tmp_path / "sel.npz")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
    assert main(["evaluate", str(tmp_path / "sel.npz"), "--solution", "-", "--json"]) == code
    captured = capsys.readouterr()
    assert ("worst_case" in json.loads(captured.out)) if code == 0 else ("'-'" in captured.err)
