"""
Executes docs/notebook.ipynb and stores what its cells show.

    python -m docs.notebook
"""

from __future__ import annotations

import sys
from pathlib import Path

from docs.check import reader_directory

PATH = Path(__file__).parent / "notebook.ipynb"


def main() -> int:
    """Execute every cell in a reader's folder and write the notebook with its outputs."""
    import nbformat
    from nbclient import NotebookClient

    book = nbformat.read(PATH, as_version=4)
    with reader_directory():
        NotebookClient(book, timeout=120, record_timing=False).execute()
    PATH.write_text(nbformat.writes(book) + "\n", encoding="utf-8")
    print(PATH)
    return 0


if __name__ == "__main__":
    sys.exit(main())
