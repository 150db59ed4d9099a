"""
Checks README.md and docs/*.md: links lead somewhere, and code prints what the page says.

Pages are read as a reader would: ```python blocks of a page run in order, in one namespace, in an empty directory that
holds a copy of examples/; a ```text block after one is its output. In ```console blocks the lines `$ neurprise ...`,
`$ python -m experiments ...` and `$ cat FILE` run, and the lines below each are its output. `...` on a line of its own
stands for any lines. Runtimes are not compared. A command that fails is an error, whatever the
page shows. A block after the line `<!-- not run: REASON -->` is only read; its commands are parsed, and run at smoke
size, by tests/test_page_commands.py.

    python -m docs.check [--write] [PAGE ...]      # --write puts the outputs of this run into the pages
"""

from __future__ import annotations

import contextlib
import difflib
import io
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from experiments.commands import main as experiments_command
from neurprise.cli import main as neurprise_command

ROOT = Path(__file__).resolve().parents[1]
_FENCE = re.compile(r"(?P<mark><!-- not run: [^>]+ -->\n)?^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.M | re.S)
_PROGRAM = "neurprise|python -m experiments|cat"
_COMMAND = re.compile(rf"^\$ (?P<command>(?:{_PROGRAM}) .*)\n(?P<output>(?:(?!\$ ).*\n)*)", re.M)
_FAILED = re.compile(r"^exit code \d+$", re.M)
_NO_FAILURES = "a page must not show a command that fails\n"
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_EFFORT = re.compile(r"\d+\.\d+ s\b")


def pages() -> list[Path]:
    """Every page that users read."""
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def broken_links(path: Path) -> list[str]:
    """Relative links of a page that lead nowhere; addresses on the web are not asked."""
    text = _FENCE.sub("", path.read_text(encoding="utf-8"))
    targets = [link.split("#")[0] for link in _LINK.findall(text) if "://" not in link and not link.startswith("#")]
    return [target for target in targets if not (path.parent / target).exists()]


def blocks(page: str) -> list[tuple[str, str]]:
    """Language and text of the fenced blocks of a page, in order."""
    return [(match["language"], match["text"]) for match in _FENCE.finditer(page)]


def refreshed(page: str) -> str:
    """The page with the outputs that its code prints here and now; equal to `page` when it tells the truth."""
    reader = _Reader()
    return _FENCE.sub(lambda match: match[0] if match["mark"] else reader.answer(match), page)


@contextlib.contextmanager
def reader_directory() -> Iterator[None]:
    """An empty working directory with the repository's examples in it, as after a clone."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "examples", Path(folder) / "examples")
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def main(argv: list[str]) -> int:
    """Check the pages named, or all of them; exit code 1 if one is wrong."""
    write, names = "--write" in argv, [name for name in argv if name != "--write"]
    wrong = sum(not _check(path, write) for path in [Path(name).resolve() for name in names] or pages())
    return 1 if wrong else 0


def _check(path: Path, write: bool) -> bool:
    page, name = path.read_text(encoding="utf-8"), path.relative_to(ROOT).as_posix()
    with reader_directory():
        new = refreshed(page)
    if write:
        path.write_text(new, encoding="utf-8")
    sys.stdout.writelines(difflib.unified_diff(page.splitlines(True), new.splitlines(True), name, "as it runs here"))
    broken = broken_links(path)
    for target in broken:
        print(f"{name}: the link to {target} is broken")
    right = not broken and (new == page or (write and not _FAILED.search(new)))
    print(f"{name}: {'ok' if right else 'WRONG'}")
    return right


class _Reader:
    """Runs the blocks of one page in order and remembers what the last one printed."""

    def __init__(self) -> None:
        self._namespace: dict[str, Any] = {"__name__": "page"}
        self._printed: str | None = None

    def answer(self, match: re.Match[str]) -> str:
        """The block as it should stand on the page."""
        language, text, printed = match["language"], match["text"], self._printed
        self._printed = None
        if language == "python":
            self._printed = _output_of(lambda: exec(text, self._namespace))
        elif language == "text" and printed is not None:
            text = _kept_or_new(text, printed)
        elif language == "console":
            text = _COMMAND.sub(_run_command, text)
        return f"```{language}\n{text}```"


def _run_command(match: re.Match[str]) -> str:
    words, codes = shlex.split(match["command"]), list[int]()
    printed = _output_of(lambda: codes.append(_run_words(words)))
    if codes == [0]:
        return f"$ {match['command']}\n{_kept_or_new(match['output'], printed)}"
    failed = f"{printed}exit code {codes[0]}\n"
    # Never what the page shows, so that a failure that --write has put there is still one.
    return f"$ {match['command']}\n{failed}" + (_NO_FAILURES if match["output"] == failed else "")


def _run_words(words: list[str]) -> int:
    if words[:3] == ["python", "-m", "experiments"]:
        return experiments_command(words[3:])
    return neurprise_command(words[1:]) if words[0] == "neurprise" else _cat(words[1:])


def _cat(paths: list[str]) -> int:
    for path in paths:
        sys.stdout.write(Path(path).read_text(encoding="utf-8"))
    return 0


def _output_of(action: Any) -> str:
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        action()
    return output.getvalue()


def _kept_or_new(shown: str, printed: str) -> str:
    """What the page shows, if it is what was printed up to effort and `...`; else what was printed."""
    pattern = re.escape(_normal(shown)).replace(re.escape("\n...\n"), r"\n(?:.*\n)*?")
    return shown if re.fullmatch(pattern, _normal(printed)) else printed


def _normal(text: str) -> str:
    lines = [_EFFORT.sub("effort", line.rstrip()) for line in text.strip("\n").split("\n")]
    return "\n" + "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
