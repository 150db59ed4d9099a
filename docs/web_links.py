"""
Asks every web address of the site whether it is still there, by Sphinx's own link checker.

    python -m docs.web_links [--source build/site/source]     # the last step of `make docs`

Where no address answers at all there is no network: that is said, and is no failure. Links between pages are checked by
`python -m docs.check` and `python -m docs.site`, without any network.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from docs.check import ROOT
from docs.site import DOCS

_UNREACHED = ("broken", "timeout")


def answers(source: Path) -> list[dict[str, Any]]:
    """What the link checker found out about each web address: `uri`, `status`, `code` (0: nobody answered), `info`."""
    from sphinx.cmd.build import main as sphinx

    with tempfile.TemporaryDirectory() as output:
        settings = ["-D", "nb_execution_mode=off", "-D", "linkcheck_timeout=10", "-D", "linkcheck_retries=2"]
        sphinx(["-Q", "-b", "linkcheck", *settings, "-c", str(DOCS), str(source), output])
        lines = (Path(output) / "output.json").read_text(encoding="utf-8").splitlines()
    found = map(json.loads, lines)
    return [answer for answer in found if answer["uri"].startswith(("http://", "https://"))]


def verdict(found: list[dict[str, Any]]) -> tuple[int, str]:
    """Exit code and words."""
    broken = [answer for answer in found if answer["status"] in _UNREACHED]
    if found and len(broken) == len(found) and not any(answer["code"] for answer in found):
        return 0, f"no web address answers here; {len(found)} were not checked"
    lines = [f"{answer['filename']}: {answer['uri']} is broken ({answer['info']})" for answer in broken]
    return (1 if broken else 0), "\n".join([*lines, f"{len(found) - len(broken)} of {len(found)} web addresses answer"])


def main(argv: list[str] | None = None) -> int:
    """Check a site that `python -m docs.site` has staged."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", type=Path, default=ROOT / "build" / "site" / "source")
    code, words = verdict(answers(parser.parse_args(argv).source.resolve()))
    print(words)
    return code


if __name__ == "__main__":
    sys.exit(main())
