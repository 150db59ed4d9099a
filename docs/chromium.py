"""A headless Chromium of this machine, for tests, screenshots and measurements of pages; nothing is downloaded."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome")


def missing() -> str | None:
    """Why there is no browser here; None if there is one."""
    try:
        import playwright  # noqa: F401
    except ImportError:
        return "playwright is not installed; run: pip install playwright"
    if not any(map(shutil.which, NAMES)):
        return f"none of {', '.join(NAMES)} is on this machine; `make test` installs one where it can"
    return None


@contextmanager
def chromium() -> Iterator[Any]:
    """The browser, an object of playwright; ends the program with a sentence where there is none."""
    why = missing()
    if why is not None:
        raise SystemExit(why)
    from playwright.sync_api import sync_playwright

    found = next(path for path in map(shutil.which, NAMES) if path)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()
