"""README and docs: links lead somewhere, and the code on the pages prints what the pages say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs import check

LAB = check.ROOT / "experiments" / "README.md"
PAGES = [pytest.param(path, id=path.name) for path in check.pages()]


@pytest.mark.parametrize("path", [*PAGES, pytest.param(LAB, id="experiments")])
def test_links_lead_somewhere(path: Path):
    """A relative link names a file of the repository."""
    assert check.broken_links(path) == []


@pytest.mark.parametrize("path", PAGES)
def test_code_prints_what_the_page_says(path: Path):
    """Every block runs, and its output is the one shown, up to runtimes; `python -m docs.check --write` renews it."""
    page = path.read_text(encoding="utf-8")
    with check.reader_directory():
        assert check.refreshed(page) == page


def test_the_first_screen_of_the_readme_holds_a_short_program():
    """Two commands, twelve lines of code and their output come before anything else."""
    (shell, commands), (program, code), (output, _), *_ = check.blocks(check.pages()[0].read_text(encoding="utf-8"))
    assert (shell, program, output) == ("sh", "python", "text")
    assert len(commands.splitlines()) == 2
    assert len(code.splitlines()) <= 12


def test_a_wrong_output_is_noticed():
    """The page is compared with what runs, and the run is right."""
    page = "```python\nprint('worst case 5')\n```\n\n```text\nworst case 6\n```\n"
    assert check.refreshed(page) == page.replace("6", "5")


def test_a_wrong_output_of_a_command_is_noticed():
    """Commands of this package run too; others belong to the reader's shell."""
    page = "```console\n$ python -m experiments list --json\nwrong\n$ rm -rf nothing\n```\n"
    assert '"exact"' in check.refreshed(page)


def test_a_command_that_fails_is_noticed():
    """Dots stand for any lines, not for any exit code."""
    page = "```console\n$ neurprise info gone.npz\n...\n```\n"
    assert "exit code 2" in check.refreshed(page)


def test_a_failure_that_was_written_into_a_page_is_still_noticed():
    """However often the outputs are renewed."""
    page = "```console\n$ neurprise info gone.npz\n```\n"
    for _ in range(3):
        renewed = check.refreshed(page)
        assert renewed != page
        page = renewed


@pytest.mark.parametrize(
    "page",
    [
        pytest.param("```python\nprint('took 0.12 s')\n```\n```text\ntook 9.99 s\n```\n", id="runtimes differ"),
        pytest.param("```python\nprint(*'abc', sep='\\n')\n```\n```text\na\n...\nc\n```\n", id="dots for lines"),
        pytest.param("<!-- not run: needs your file -->\n```python\nraise SystemExit\n```\n", id="not run"),
    ],
)
def test_what_a_reader_forgives_is_forgiven(page: str):
    """Two machines never take the same time, long outputs are cut, and some code needs the reader's files."""
    assert check.refreshed(page) == page


def test_a_broken_link_is_found(tmp_path: Path):
    """Only targets that do not exist are reported."""
    page = tmp_path / "page.md"
    page.write_text("[here](page.md#top) [gone](missing.md) [web](https://example.org)")
    assert check.broken_links(page) == ["missing.md"]


def test_the_readme_of_the_lab_lists_its_folders():
    """Every folder and no other has a line in the table."""
    listed = set(re.findall(r"^\| `(\w+)/` \|", LAB.read_text(encoding="utf-8"), re.M))
    folders = {path.name for path in LAB.parent.iterdir() if path.is_dir() and not path.name.startswith(("_", "."))}
    assert listed == folders | {"made"}
