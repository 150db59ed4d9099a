"""The documentation site: everything public is in its references, its links lead somewhere, its notebook runs."""

from __future__ import annotations

import functools
import json
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import neurprise as nr
from docs import site, web_links
from docs.check import ROOT, reader_directory
from neurprise.cli import COMMANDS


def test_every_command_is_in_the_reference():
    """With its options, as the parsers print them."""
    page = site.command_reference()
    assert all(f"\n## {name}\n" in page for name in COMMANDS)
    assert "--engine-option" in page
    assert "### make selection" in page


def test_every_public_name_is_in_the_reference():
    """Modules by what they offer."""
    page = site.api_reference()
    modules = {"objectives", "reducers", "plot", "testing"}
    assert [name for name in nr.__all__ if name not in modules and f"neurprise.{name}\n" not in page] == []
    assert "neurprise.reducers.PRISE" in page
    assert "neurprise.plot.costs" in page


def test_links_between_folders_lead_side_by_side():
    """Pages stay linked, other files become text, code is left alone."""
    page = "[a](docs/cli.md#solve) [b](../examples/kiosk) [c](https://example.org)\n```text\n[d](docs/x.md)\n```\n"
    assert site.linked(page) == "[a](cli.md#solve) b [c](https://example.org)\n```text\n[d](docs/x.md)\n```\n"


def test_the_notebook_runs():
    """Every cell, in a reader's folder."""
    matplotlib = pytest.importorskip("matplotlib", reason="the notebook draws")
    pytest.importorskip("pandas", reason="the notebook shows a table of pandas")
    matplotlib.use("Agg")
    book = json.loads((ROOT / "docs" / "notebook.ipynb").read_text(encoding="utf-8"))
    cells = ["".join(cell["source"]) for cell in book["cells"] if cell["cell_type"] == "code"]
    namespace: dict[str, object] = {}
    with reader_directory():
        for cell in cells:
            exec(cell, namespace)
        assert Path("answer.html").is_file()
    assert len(cells) > 8
    assert all(cell["outputs"] for cell in book["cells"] if "report" in "".join(cell["source"])[:7])


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:.*Check CHANGES for Sphinx")
def test_web_addresses_are_asked(tmp_path):
    """By a server of our own: one page is there, one is not, and where nobody answers there is no network."""
    for package in ("sphinx", "myst_nb", "furo", "numpydoc"):
        pytest.importorskip(package, reason="the extra docs is not installed")
    (tmp_path / "there").write_text("here I am")
    handler = functools.partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        (tmp_path / "index.md").write_text(f"# Links\n\n[there]({address}/there) [gone]({address}/gone)\n")
        code, words = web_links.verdict(web_links.answers(tmp_path))
        server.shutdown()
    assert code == 1
    assert f"index.md: {address}/gone is broken (404" in words
    assert words.endswith("1 of 2 web addresses answer")
    assert web_links.verdict(web_links.answers(tmp_path)) == (0, "no web address answers here; 2 were not checked")


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:.*Check CHANGES for Sphinx")
def test_the_site_is_built_without_a_warning(tmp_path):
    """A link or an anchor that leads nowhere is one; `make docs` executes the notebook as well."""
    for package in ("sphinx", "myst_nb", "furo", "numpydoc"):
        pytest.importorskip(package, reason="the extra docs is not installed")
    assert site.main(["--output", str(tmp_path), "--stored-outputs"]) == 0
    built = {path.name for path in (tmp_path / "html").glob("*.html")}
    wanted = {f"{name}.html" for names in site.CONTENTS.values() for name in names}
    assert wanted - built <= {"which-method.html"}
