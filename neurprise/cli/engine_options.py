"""Options that go to the engine: threads, a log file, and what it alone understands."""

from __future__ import annotations

import argparse
from pathlib import Path

#: Words that engines write in other ways for yes and no.
_WORDS = {"true": True, "false": False}


def add_engine_settings(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("options for the engine")
    group.add_argument("--threads", type=int, default=1, metavar="N", help="of the engine (default 1)")
    group.add_argument("--log-file", type=Path, metavar="PATH", help="write the engine's own log of reduced problems")
    group.add_argument(
        "--engine-option",
        type=named_value,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="one of the engine's own options; may be repeated",
    )


def named_value(text: str) -> tuple[str, bool | int | float | str]:
    """NAME=VALUE as a name and a whole number, a number, true or false, or else a text."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise argparse.ArgumentTypeError(f"must be NAME=VALUE, got {text!r}")
    return name.strip(), _value(value.strip())


def _value(text: str) -> bool | int | float | str:
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
