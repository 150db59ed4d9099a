"""The contract of file formats: written problems can be read again, and other files are refused."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from scipy import sparse

from neurprise.errors import InputError
from neurprise.problem import TwoStageProblem
from neurprise.testing.reducer import small_problems
from neurprise.testing.rules import require

#: Contents that every format must refuse: nothing, text, noise, zeros, brackets.
_FOREIGN = (b"", b"hello\n", bytes(range(256)), b"\x00" * 64, b"[[[[[[" * 50)


class Format(Protocol):
    """A module (or object) that reads problems, and writes them if it can."""

    def read(self, path: Path) -> TwoStageProblem: ...


def check_format(
    file_format: Format,
    suffix: str,
    problems: Mapping[str, TwoStageProblem] | None = None,
    examples: Iterable[Path] = (),
) -> None:
    """
    Raise AssertionError, naming the rule, unless the format keeps the contract.

    Parameters
    ----------
    file_format
        A module with read(path) and, if it can, write(problem, path).
    suffix
        Of its files, with the dot.
    problems
        Problems that it must store, by name; None: `small_problems()`. A writer may refuse some with an InputError.
    examples
        Files that it must read; needed if it cannot write.
    """
    shown = small_problems() if problems is None else problems
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"case{k}{suffix}" for k in range(len(shown))]
        cases = zip(paths, shown.items(), strict=True)
        written = [_round_trip(file_format, path, label, problem) for path, (label, problem) in cases]
        read = [_reads(file_format, path) for path in examples]
        require(any(written) or bool(read), "the format must carry a problem; give examples if it only reads")
        _refuses_foreign_files(file_format, Path(folder) / f"foreign{suffix}")
        _refuses_cut_files(file_format, Path(folder), suffix, examples)


def _round_trip(file_format: Format, path: Path, label: str, problem: TwoStageProblem) -> bool:
    """Write and read one problem; False where the format refuses it or cannot write."""
    write: Any = getattr(file_format, "write", None)
    if write is None:
        return False
    try:
        write(problem, path)
    except InputError as refusal:
        require(bool(str(refusal)), f"{label}: a format must say why it refuses a problem, but raised an empty error")
        return False
    again = file_format.read(path)
    require(
        type(again) in (type(problem), TwoStageProblem),
        f"{label}: the class must survive, or become TwoStageProblem, got {type(again).__name__}",
    )
    require(_same_costs(again, problem), f"{label}: every number must survive writing and reading")
    require(_names(again) == _names(problem), f"{label}: names must survive writing and reading")
    first = path.read_bytes()
    write(again, path)
    require(path.read_bytes() == first, f"{label}: the same problem must give the same bytes")
    return True


def _names(problem: TwoStageProblem) -> tuple[tuple[str, ...], ...]:
    rows = (*problem.first_stage_row_names, *problem.recourse_row_names)  # the stage of a row may be stated otherwise
    return problem.first_stage_names, problem.recourse_names, problem.scenario_labels, rows


def _same_costs(one: TwoStageProblem, other: TwoStageProblem) -> bool:
    """Whether every scenario is the same linear model; which stage pays for x makes no difference to the worst case."""
    if one.num_scenarios != other.num_scenarios or one.maximize != other.maximize:
        return False
    pairs = (zip(_numbers(one, s), _numbers(other, s), strict=True) for s in range(one.num_scenarios))
    return all(np.array_equal(a, b) for pair in pairs for a, b in pair)


def _numbers(problem: TwoStageProblem, index: int) -> list[Any]:
    """Costs, rows and bounds of both stages under one scenario."""
    first, later, scenario = problem.first_stage, problem.recourse, problem.scenario(index)
    technology, matrix = (
        sparse.csr_array((getattr(scenario, kind), part.indices, part.indptr), shape=part.shape).toarray()
        for kind, part in (("technology", later.technology), ("matrix", later.matrix))
    )
    above = np.hstack([first.matrix.toarray(), np.zeros((first.matrix.shape[0], problem.num_recourse))])
    return [
        np.vstack([above, np.hstack([technology, matrix])]),
        np.array([problem.offset, *(first.costs + scenario.x_costs), *scenario.costs]),
        *(
            np.concatenate([getattr(first, kind), getattr(scenario, kind)])
            for kind in ("row_lower", "row_upper", "lower", "upper")
        ),
        np.concatenate([first.integer, later.integer]),
    ]


def _reads(file_format: Format, path: Path) -> bool:
    problem = file_format.read(path)
    require(isinstance(problem, TwoStageProblem), f"{path.name}: read must return a problem")
    return True


def _refuses_foreign_files(file_format: Format, path: Path) -> None:
    for content in _FOREIGN:
        path.write_bytes(content)
        _refuses(file_format, path, f"a file of {content[:12]!r}...")


def _refuses_cut_files(file_format: Format, folder: Path, suffix: str, examples: Iterable[Path]) -> None:
    """Half of a file is refused or read as a problem; no other error."""
    for source in [*sorted(folder.glob(f"case*{suffix}")), *examples]:
        content = source.read_bytes()
        path = folder / f"cut{suffix}"
        path.write_bytes(content[: len(content) // 2])
        _refuses(file_format, path, f"half of {source.name}", may_read=True)


def _refuses(file_format: Format, path: Path, what: str, may_read: bool = False) -> None:
    try:
        file_format.read(path)
    except InputError as refusal:
        require(len(str(refusal)) > 10, f"{what} must be refused with a sentence, got {refusal!s}")
    except Exception as error:
        raise AssertionError(f"{what} must be refused with an InputError, got {error!r}.") from error
    else:
        require(may_read, f"{what} must be refused with an InputError, but was read")
