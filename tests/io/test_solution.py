"""Solution files: what is a decision, and the sentence for everything else."""

import io
import json
import sys

import pytest

import neurprise as nr
from neurprise.cli import main
from neurprise.io.decision import parse_solution


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


@pytest.mark.parametrize("text", ["name,value\nrye,4\nfish,0.5\n", "\ufeffName;Value\r\n rye ;4\r\n\r\nfish;0.5\r\n"])
def test_a_table_of_names_and_values_is_a_decision(text):
    """As `--out` writes it, and as a spreadsheet saves it again."""
    assert parse_solution("decision.csv", text.encode()) == {"rye": 4.0, "fish": 0.5}


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"", "columns name and value"),
        (b"variable,level\nrye,4\n", "columns name and value"),
        (b"name,value\nrye,4\nrye,5\n", 'hold every variable once, got the row ["rye", "5"]'),
        (b"name,value\nrye\n", "two cells in every row"),
        (b"name,value\nrye,four\n", 'numbers with a decimal point, got "four" for "rye"'),
        (b"name;value\nrye;4,5\n", 'numbers with a decimal point, got "4,5" for "rye"'),
        (b"name,value\nrye,\n", 'got "" for "rye"'),
        (b"name,value\nrye,nan\n", "finite numbers without quotes, got NaN for 'rye'"),
        (b"name,value\n\xff,1\n", "its bytes are not text"),
        (b'name,value\n"rye,4\n', "must hold CSV"),
        (b"name,value\n" + b"r" * 500 + b",1,2\n", "two cells in every row"),
    ],
)
def test_a_table_that_is_no_decision_is_refused_in_one_sentence(raw, words):
    """The row that is wrong is shown."""
    with pytest.raises(nr.FormatError) as refusal:
        parse_solution("x.csv", raw)
    assert words in str(refusal.value)
    assert len(str(refusal.value)) < 200


def test_the_exported_decision_can_be_evaluated_and_started_from(tmp_path, capsys):
    """`solve --out`, then `evaluate --solution` and `nr.solve(start=...)` on decision.csv."""
    path = tmp_path / "sel.npz"
    nr.make_selection(3, 2, seed=0).write(path)
    assert main(["solve", str(path), "--out", str(tmp_path / "answer"), "--json"]) == 0
    solved = json.loads(capsys.readouterr().out)
    decision = tmp_path / "answer" / "decision.csv"
    assert main(["evaluate", str(path), "--solution", str(decision), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["worst_case"] == solved["worst_case"]
    assert nr.solve(nr.read(path), start=decision).worst_case == solved["worst_case"]
