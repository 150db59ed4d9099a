"""Models in MPS and LP files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from neurprise.errors import InputError
from neurprise.io.linear import LinearModel
from neurprise.io.model_files import read_model


class Reader:
    """A model is the path of its file."""

    def linear(self, model: str | Path) -> LinearModel:
        path = Path(model)
        if not path.is_file():
            raise InputError(f"{str(path)!r} is not a file; check the path.")
        return read_model(path)

    def names_of(self, part: Any) -> list[str] | None:
        return None

    def fill(self, model: Any, values: Mapping[str, float]) -> dict[str, float]:
        """A file has no variables to set: name -> value."""
        return dict(values)
