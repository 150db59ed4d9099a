"""Options that several commands share, and the problems, decisions and reducers that they name."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterable
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import neurprise as nr
from neurprise.cli.output import is_same_file
from neurprise.cli.parser import one_of, seconds, whole_number
from neurprise.io import sources, suffixes
from neurprise.io.decision import Decision, parse_solution
from neurprise.reducers import Reducer
from neurprise.solvers import engine_names


def new_command(commands: Any, name: str, summary: str, details: str, example: str) -> argparse.ArgumentParser:
    """A subparser whose help shows an example; every command has --json, --quiet and --traceback."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=details,
        epilog=f"example:\n  {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help="write one JSON object to standard output")
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress and no warnings on standard error")
    parser.add_argument("--traceback", action="store_true", help="show where an unexpected failure came from")
    return parser


def add_problem(parser: argparse.ArgumentParser, required: bool = True) -> None:
    """FILE and the options of its reader."""
    known = ", ".join(suffixes())
    parser.add_argument(
        "file",
        nargs=None if required else "?",
        type=Path,
        metavar="FILE",
        help=f"problem; by suffix: {known}; or a folder",
    )
    plans = parser.add_argument_group("options for plans (.toml)")
    plans.add_argument("--scenarios", type=Path, metavar="PATH", help="table of scenarios instead of the plan's")
    smps = parser.add_argument_group("options for SMPS files")
    smps.add_argument("--time-file", type=Path, metavar="PATH", help="time file, if not in the folder of FILE")
    smps.add_argument("--stoch-file", type=Path, metavar="PATH", help="stoch file, if not in the folder of FILE")
    smps.add_argument(
        "--max-scenarios", type=whole_number(1), metavar="N", help="list up to N scenarios instead of refusing the file"
    )
    smps.add_argument("--sample", type=whole_number(1), metavar="N", help="draw N scenarios instead of listing all")
    add_seed(parser, "for everything random: --sample and random methods")


def add_seed(parser: argparse.ArgumentParser, purpose: str) -> None:
    parser.add_argument("--seed", type=whole_number(0), default=0, metavar="K", help=f"{purpose} (default 0)")


def add_solver(parser: argparse.ArgumentParser) -> None:
    add_choice(parser, "--solver", engine_names(), "engine: ", default="highs")


def add_objective(parser: argparse.ArgumentParser, meaning: str) -> None:
    """--objective, "worst" unless the user names another."""
    words = f"{meaning}: {', '.join(nr.objectives.objective_names())}; cvar:0.9"
    parser.add_argument("--objective", type=_objective, default="worst", metavar="NAME", help=words)


def _objective(text: str) -> str:
    """The name of an objective, such as cvar:0.9."""
    try:
        return nr.objectives.get_objective(text).name
    except nr.InputError as error:
        raise argparse.ArgumentTypeError(str(error).removesuffix(".")) from None


def add_choice(
    parser: argparse.ArgumentParser, flag: str, known: Iterable[str], meaning: str = "", **settings: Any
) -> None:
    """
    An option whose value is one of the known names.

    Parameters
    ----------
    settings
        `default` or `required`, as argparse has them.
    """
    names = list(known)
    default = f" (default {settings['default']})" if settings.get("default") else ""
    words = f"{meaning}{', '.join(names)}{default}"
    parser.add_argument(flag, type=one_of(names), metavar="NAME", help=words, **settings)


def add_workers(parser: argparse.ArgumentParser, meaning: str = "processes on this machine") -> None:
    """Processes on this machine, or the workers of a cluster."""
    workers = parser.add_mutually_exclusive_group()
    workers.add_argument("--jobs", type=whole_number(1), default=1, metavar="J", help=f"{meaning} (default 1)")
    workers.add_argument("--cluster", metavar="ADDRESS", help="use a Dask scheduler instead, such as tcp://host:8786")


def add_time_limit(parser: argparse.ArgumentParser, meaning: str) -> None:
    parser.add_argument("--time-limit", type=seconds, metavar="SECONDS", help=meaning)


def read_problem(args: argparse.Namespace) -> nr.TwoStageProblem:
    """The problem in FILE."""
    return nr.read(args.file, **_reader_options(args))


def problem_files(args: argparse.Namespace) -> list[Path]:
    """Every file that the problem in FILE is read from."""
    return sources(args.file, **_reader_options(args))


def refuse_overwriting(args: argparse.Namespace, option: str, *written: Path | None) -> None:
    """Refuse to overwrite an input file. With -o, an answer may replace a decision."""
    read = dict.fromkeys([*problem_files(args), *([args.scenarios] if args.scenarios else [])], "the problem")
    if option != "-o":
        read |= dict.fromkeys(_decision_files(args), "a decision")
    for path in written:
        for source, what in read.items():
            if path is not None and is_same_file(path, source):
                raise nr.InputError(
                    f"{option} would overwrite {str(path)!r}, which {what} is read from; choose another name."
                )


def _decision_files(args: argparse.Namespace) -> list[Path]:
    """Files named by --start, --solution and --compare; for NAME=PATH, both NAME=PATH and PATH."""
    solution = getattr(args, "solution", None) or []
    named = [*([solution] if isinstance(solution, str) else solution), *getattr(args, "compare", [])]
    start = getattr(args, "start", None)
    parts = [part for text in named for part in (text, text.partition("=")[2]) if part]
    return [*map(Path, parts), *([start] if start else [])]


def _reader_options(args: argparse.Namespace) -> dict[str, Any]:
    names = ("scenarios", "time_file", "stoch_file", "max_scenarios", "sample")
    options = {name: getattr(args, name) for name in names if getattr(args, name) is not None}
    if "sample" in options:
        options["seed"] = args.seed
    return options


#: Values that engines spell differently.
_WORDS = {"true": True, "false": False}


def add_engine_settings(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("options for the engine")
    group.add_argument("--threads", type=int, default=1, metavar="N", help="threads of the engine (default 1)")
    group.add_argument("--log-file", type=Path, metavar="PATH", help="write the engine's log of reduced problems")
    group.add_argument(
        "--engine-option",
        type=named_value,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an option of the engine; may be repeated",
    )


def named_value(text: str) -> tuple[str, bool | int | float | str]:
    """NAME=VALUE as a name and an integer, a number, true or false, or a text."""
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


#: Reads one of the reducers' names, in any case, with or without hyphens; an argparse type.
reducer_name = one_of(nr.reducers.reducer_names(), lambda word: word.lower().replace("-", "").replace("_", ""))


def warn_of_large_budget(budget: int | str | None, num_scenarios: int) -> None:
    """Warn if the budget exceeds the number of scenarios, which is probably a mistake."""
    if isinstance(budget, int) and budget > num_scenarios:
        sentence = f"the budget {budget} exceeds the number of scenarios, {num_scenarios:,}; all can be kept."
        warnings.warn(sentence, nr.InputWarning, stacklevel=2)


def add_checkpoint(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--checkpoint", metavar="DIR", help="for neurprise and neur2ro: your own model instead of a shipped one"
    )


def named_reducer(name: str, args: argparse.Namespace) -> Reducer:
    """The method of that name, with --checkpoint and --solver if it uses them."""
    reducer = nr.reducers.get_reducer(name)
    if args.checkpoint is not None:
        if reducer.name != "neurprise":
            raise nr.InputError(f"--checkpoint goes with the reducer neurprise, got {name!r}; leave one of them out.")
        return nr.reducers.NeurPRISE(args.checkpoint)
    if is_dataclass(reducer) and any(item.name == "solver" for item in fields(reducer)):
        return replace(reducer, solver=args.solver)
    return reducer


def read_solution(source: str) -> Decision:
    """The decision in a JSON or CSV file, or JSON on standard input for "-"."""
    return parse_solution(source, sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes())


def read_decisions(paths: list[str]) -> dict[str, Any]:
    """Name -> decision of each [NAME=]PATH, a path for `nr.compare` where it is a file."""
    decisions: dict[str, Any] = {}
    for given in paths:
        name, path = _named_path(given)
        if name in decisions:
            raise nr.InputError(f"decisions need different names, got {name!r} twice; write NAME=PATH.")
        read = read_solution(path)
        decisions[name] = read if path == "-" else Path(path)
    return decisions


def _named_path(given: str) -> tuple[str, str]:
    """Split NAME=PATH; without NAME use the file's stem. A file with "=" in its name is not split."""
    name, equals, path = given.partition("=")
    if equals and name.strip() and not Path(given).exists():
        return name.strip(), path
    return Path(given).stem, given
