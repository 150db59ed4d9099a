"""Pages in a real headless Chromium, offline; whatever a test does, nothing may be fetched and nothing complain."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from docs import chromium


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Started once for the tests of pages; open, it keeps others in this process from starting one of their own."""
    why = chromium.missing()
    if why is not None:
        pytest.skip(why)
    with chromium.chromium() as found:
        yield found


@pytest.fixture
def opened(browser: Any) -> Iterator[Callable[..., Any]]:
    """Opens a file in a window of its own; at the end, no request but for the file and no complaint may be there."""
    contexts, complaints, requests, files = [], [], [], []

    def open_page(path: Path, **settings: Any) -> Any:
        context = browser.new_context(offline=True, **{"viewport": {"width": 1000, "height": 800}, **settings})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(dialog.message))
        page.on("request", lambda request: requests.append(request.url))
        files.append(path.as_uri())
        page.goto(path.as_uri())
        if settings.get("java_script_enabled", True):
            page.wait_for_selector("html.scripted")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []
    assert [url for url in requests if url not in files and not url.startswith("blob:")] == []
