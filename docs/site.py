"""
The documentation site: the pages of docs/, the references that are generated, and the notebook, built by Sphinx.

    python -m docs.site [--output build/site]     # `make docs`; a warning, say of a broken link, is an error

Pages stay plain Markdown that reads well without a site: navigation, references and links between folders are put in
here, in a copy. The command reference is what the parsers print, the API reference what the docstrings say.
"""

from __future__ import annotations

import argparse
import logging
import os
import re
import shutil
import sys
from pathlib import Path

from docs.check import ROOT, pages
from experiments.places import default_places
from experiments.views.page import results_page
from neurprise.cli import COMMANDS
from neurprise.cli.parser import build_parser

DOCS = ROOT / "docs"
#: Folders that pages show pictures of.
PICTURES = ("figures", "pictures", "screenshots")
#: Title -> pages, in the order of the sidebar; what is not there (yet) is left out.
CONTENTS = {
    "Start": ["README", "five-minutes", "tour", "your-first-plan", "concepts", "faq", "notebook"],
    "How to": [
        "from-your-tool",
        "formats",
        "objectives",
        "questions",
        "tradeoff",
        "page",
        "which-method",
        "scaling",
        "extending",
    ],
    "Networks": ["neurprise", "neur2ro"],
    "Reference": ["cli", "command-reference", "api"],
    "Measurements": ["results", "paper", "all-results", "benchmarks", "experiments"],
    "Background": ["design", "decisions", "CONTRIBUTING", "CHANGELOG"],
}
_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s#]+)(#[^)\s]*)?\)")
_FENCED = re.compile(r"(^```.*?^```$)", re.M | re.S)


def stage(folder: Path) -> None:
    """Put everything that Sphinx reads into a folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for path in [*pages(), ROOT / "CHANGELOG.md", ROOT / "experiments" / "README.md"]:
        (folder / _name_of(path)).write_text(linked(path.read_text(encoding="utf-8")), encoding="utf-8")
    for name in PICTURES:
        if (DOCS / name).is_dir():
            shutil.copytree(DOCS / name, folder / name)
    for notebook in DOCS.glob("*.ipynb"):
        shutil.copy(notebook, folder)
    shutil.copytree(ROOT / "examples", folder / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "command-reference.md").write_text(command_reference(), encoding="utf-8")
    (folder / "api.md").write_text(api_reference(), encoding="utf-8")
    (folder / "all-results.md").write_text(results_page(default_places().rows), encoding="utf-8")
    with (folder / "index.md").open("a", encoding="utf-8") as index:
        index.write(navigation(folder))


def linked(page: str) -> str:
    """Links between folders lead to pages side by side; links to files that are no page become text."""
    page = page.replace("](docs/screenshots/", "](screenshots/")  # the README's picture
    parts = _FENCED.split(page)
    return "".join(part if part.startswith("```") else _LINK.sub(_beside, part) for part in parts)


def _beside(link: re.Match[str]) -> str:
    text, target, anchor = link[1], link[2], link[3] or ""
    if "://" in target:
        return link[0]
    name = _name_of(Path(target))
    return f"[{text}]({name}{anchor})" if name.endswith((".md", ".ipynb")) else text


def _name_of(page: Path) -> str:
    """In the staged folder, where the page of the lab is no second README."""
    return "experiments.md" if page.parent.name == "experiments" and page.name == "README.md" else page.name


def navigation(folder: Path) -> str:
    """The sidebar, as far as its pages are there; a page that nobody listed stands at its end."""
    there = {path.stem for path in folder.iterdir() if path.suffix in (".md", ".ipynb")} - {"index"}
    unlisted = sorted(there - {name for names in CONTENTS.values() for name in names})
    blocks = []
    for title, names in {**CONTENTS, "More": unlisted}.items():
        known = [name for name in names if name in there]
        if known:
            blocks.append(f"\n```{{toctree}}\n:hidden:\n:caption: {title}\n\n" + "\n".join(known) + "\n```\n")
    return "".join(blocks)


def command_reference() -> str:
    """What `--help` of every command prints."""
    os.environ["COLUMNS"] = "100"
    parser = build_parser()
    found = [
        "# Command reference\n\nWhat `neurprise COMMAND --help` prints; [the command line](cli.md) shows them.\n",
        f"\n```text\n{parser.format_help()}```\n",
    ]
    for name, command in subcommands(parser).items():
        found.append(f"\n## {name}\n\n{COMMANDS[name].capitalize()}.\n\n```text\n{command.format_help()}```\n")
        for part, deeper in subcommands(command).items():
            found.append(f"\n### {name} {part}\n\n```text\n{deeper.format_help()}```\n")
    return "".join(found)


def subcommands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Name -> parser of what stands below one."""
    found = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return dict(found[0].choices) if found else {}


#: Title -> public names; those of `nr.__all__` that stand in none come last.
API = {
    "First": ["solve", "read", "Report"],
    "Problems": [
        "TwoStageProblem", "Selection", "VertexCover", "FacilityLocation", "make_selection", "make_vertex_cover",
        "make_facility_location", "from_models", "from_linopy", "from_pyomo", "problem.display.Picture",
    ],
    "Answers": ["Status", "Target", "evaluate", "Evaluation", "compare", "Comparison"],
    "Why there is none": ["why_infeasible", "Conflict", "InfeasibleProblemError", "UnboundedProblemError"],
}  # fmt: skip


def api_reference() -> str:
    """Every public name with its docstring."""
    import neurprise as nr

    groups = dict(API)
    groups["Reducers"] = ["reducers.Reduction", *(f"reducers.{name}" for name in _classes(nr.reducers))]
    groups["Objectives"] = [f"objectives.{name}" for name in _classes(nr.objectives)]
    groups["Figures"] = [f"plot.{name}" for name in nr.plot.__all__]
    groups["Contracts"] = [f"testing.{name}" for name in dir(nr.testing) if name.startswith("check_")]
    grouped = {name for names in groups.values() for name in names}
    groups["Everything else"] = [
        name for name in nr.__all__ if name not in grouped and name not in ("objectives", "reducers", "plot", "testing")
    ]
    parts = ["# Python\n\n`import neurprise as nr` offers these names; everything else may change.\n"]
    for title, names in groups.items():
        parts.append(f"\n## {title}\n\n```{{eval-rst}}\n" + "\n".join(map(_directive, names)) + "```\n")
    return "".join(parts)


def _classes(module: object) -> list[str]:
    return [name for name in getattr(module, "__all__", dir(module)) if name[0].isupper() and name != "Reduction"]


def _directive(name: str) -> str:
    import neurprise as nr

    found: object = nr
    for part in name.split("."):
        found = getattr(found, part)
    kind = "autoclass" if isinstance(found, type) else "autofunction" if callable(found) else "automodule"
    members = "   :members:\n" if kind != "autofunction" else ""
    return f".. {kind}:: neurprise.{name}\n{members}"


def _quieten_kernel(folder: Path) -> None:
    """The notebook's kernel warns of unencrypted sockets of this machine, and its client tells that it starts."""
    profile = folder / "profile_default"
    profile.mkdir(parents=True, exist_ok=True)
    (profile / "ipython_kernel_config.py").write_text("c = get_config()\nc.IPKernelApp.log_level = 40\n")
    os.environ["IPYTHONDIR"] = str(folder)
    logging.getLogger("traitlets").setLevel(logging.WARNING)


def main(argv: list[str] | None = None) -> int:
    """Stage and build; the exit code of Sphinx."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "site")
    parser.add_argument(
        "--stored-outputs", action="store_true", help="show the notebook as it is, without executing it"
    )
    options = parser.parse_args(argv)
    from sphinx.cmd.build import main as sphinx

    output = options.output.resolve()
    stage(output / "source")
    _quieten_kernel(output / "ipython")
    settings = ["-D", "nb_execution_mode=off"] if options.stored_outputs else []
    folders = ["-c", str(DOCS), str(output / "source"), str(output / "html")]
    code = sphinx(["-q", "-W", "--keep-going", *settings, *folders])
    if code == 0:
        print(output / "html" / "index.html")
    return code


if __name__ == "__main__":
    sys.exit(main())
