"""The contract every problem family keeps, judged by engines on its own rows."""

from __future__ import annotations

import copy
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from neurprise.errors import InputError
from neurprise.io import npz
from neurprise.problem import TwoStageProblem
from neurprise.problem.stages import Scenario
from neurprise.problems import Family, family_names, get_family, register, unregister
from neurprise.testing.family_case import FamilyCase
from neurprise.testing.family_knowledge import check_knowledge, check_view
from neurprise.testing.rules import require

SEEDS = (0, 1, 2)


def check_generator(family: Family, sizes: tuple[int, ...]) -> None:
    """The same seed gives the same problem, another one another; as many scenarios as were asked for."""
    drawn = [family.draw(sizes, 3, seed) for seed in SEEDS]
    again = [family.draw(sizes, 3, seed) for seed in SEEDS]
    name = family.name
    require(all(type(p) is family.problem for p in drawn), f"{name}: the generator must make {family.problem.__name__}")
    require(drawn == again, f"{name}: the same seed must give the same problem")
    require(len(set(drawn)) > 1, f"{name}: the generator ignores its seed")
    counts = [family.draw(sizes, count, 0).num_scenarios for count in (1, 4)]
    require(counts == [1, 4], f"{name}: the generator must draw as many scenarios as it is asked for, got {counts}")


def check_value(case: FamilyCase) -> None:
    """Everything about an instance as a value."""
    _arguments_rebuild_the_problem(case)
    _nothing_can_be_changed(case)
    _restricting_keeps_the_rest(case)
    _scenarios_can_be_exchanged(case)
    _it_travels_to_other_processes(case)
    _files_keep_everything(case)
    _parts_have_names(case)


def _arguments_rebuild_the_problem(case: FamilyCase) -> None:
    missing = [name for name in case.family.argument_names if not hasattr(case.problem, name)]
    case.require(not missing, f"each constructor argument must be an attribute of that name, but {missing} are not")
    rebuilt = case.family.problem(**case.family.arguments(case.problem))
    case.require(rebuilt == case.problem, "the constructor's arguments must make the problem again")
    case.require(hash(rebuilt) == hash(case.problem), "equal problems must have equal hashes")


def _nothing_can_be_changed(case: FamilyCase) -> None:
    problem = case.problem
    for name in (*case.family.argument_names, *problem.general_form(), "anything"):
        try:
            setattr(problem, name, None)
        except (FrozenInstanceError, AttributeError):
            continue
        case.require(False, f"a problem must not change, but {name!r} can be set")
    held = {**case.family.arguments(problem), "scenario_data": None, **problem.general_form()}
    writeable = [name for name, value in held.items() if _can_be_written_to(value)]
    case.require(not writeable, f"arrays of a problem must be read-only, but {writeable} are not")


def _can_be_written_to(value: Any) -> bool:
    if sparse.issparse(value):
        return any(part.flags.writeable for part in (value.data, value.indices, value.indptr))
    if isinstance(value, np.ndarray):
        return bool(value.flags.writeable)
    return isinstance(value, (list, dict, set))


def _restricting_keeps_the_rest(case: FamilyCase) -> None:
    """In any order, with all that the family keeps, and with labels."""
    keep = list(range(case.problem.num_scenarios - 1, -1, -2))
    labelled = case.problem.with_labels(scenario_names=[f"case {s}" for s in range(case.problem.num_scenarios)])
    kept = labelled.restrict(keep)
    case.require(type(kept) is case.family.problem, "restrict must keep the class")
    case.require(kept.scenario_names == tuple(f"case {s}" for s in keep), "restrict must keep the scenarios' names")
    same = all(_same_scenario(kept.scenario(k), labelled.scenario(s)) for k, s in enumerate(keep))
    case.require(same, "restrict must keep the data of the scenarios, in the order asked for")
    case.require(
        np.array_equal(kept.scenario_data, case.problem.scenario_data[keep]), "restrict must keep rows of scenario_data"
    )
    plain = kept.with_labels(scenario_names=())
    rebuilt = case.family.problem(**case.family.arguments(plain))
    case.require(rebuilt == plain, "restrict loses something: its arguments make another problem")
    everything = case.problem.restrict(range(case.problem.num_scenarios))
    case.require(everything == case.problem, "restricting to all scenarios must change nothing")


def _same_scenario(ours: Scenario, theirs: Scenario) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(vars(ours).values(), vars(theirs).values(), strict=True))


def _scenarios_can_be_exchanged(case: FamilyCase) -> None:
    data = case.problem.scenario_data
    case.require(len(data) == case.problem.num_scenarios, "scenario_data must have one row per scenario")
    again = case.problem.with_scenarios(data)
    case.require(again == case.problem, "with_scenarios(scenario_data) must give the same problem")
    twice = case.problem.with_scenarios(np.vstack([data[:1], data[:1]]))
    first = case.problem.restrict([0])
    case.require(twice.restrict([1]) == first, "with_scenarios must take each row for a scenario")


def _it_travels_to_other_processes(case: FamilyCase) -> None:
    """As workers receive it: the state, copied, in an object that no constructor has seen."""
    there: TwoStageProblem = object.__new__(type(case.problem))
    there.__setstate__(copy.deepcopy(case.problem.__getstate__()))
    case.require(there == case.problem, "a copy in another process must equal the problem")
    arrays = there.general_form().values()
    case.require(not any(map(_can_be_written_to, arrays)), "a copy in another process must be read-only too")


def _files_keep_everything(case: FamilyCase) -> None:
    named = case.problem.with_labels(x_names=[f"x {i}" for i in range(case.problem.num_first_stage)])
    with tempfile.TemporaryDirectory() as folder, _known(case.family):
        for problem in (case.problem, named):
            path = Path(folder) / "problem.npz"
            try:
                npz.write(problem, path)
                again = npz.read(path)
            except InputError as refusal:
                raise AssertionError(f"{case.family.name}: files must hold its problems, but: {refusal}") from None
            case.require(again == problem, "writing and reading loses data")


def _parts_have_names(case: FamilyCase) -> None:
    problem = case.problem
    lists = {
        "first-stage variables": (problem.first_stage_names, problem.num_first_stage),
        "recourse variables": (problem.recourse_names, problem.num_recourse),
        "first-stage rows": (problem.first_stage_row_names, len(problem.first_stage.row_lower)),
        "recourse rows": (problem.recourse_row_names, len(problem.recourse.row_lower)),
    }
    for what, (names, count) in lists.items():
        case.require(len(set(names)) == len(names) == count, f"name_stems must give {count} distinct {what}")


@contextmanager
def _known(family: Family) -> Iterator[None]:
    """Files are read as the family's while this lasts, registered or not."""
    before = get_family(family.name) if family.name in family_names() else None
    if before == family:
        yield
        return
    register(family)
    try:
        yield
    finally:
        unregister(family.name) if before is None else register(before)


def check_family(family: Family, sizes: Sequence[int] = (4,)) -> None:
    """
    Raise AssertionError, naming the rule, unless the family keeps the contract on small instances.

    Its generator follows its seed; its problems are values; its oracle, its values of single scenarios, its list of
    decisions and its cuts agree with an engine that knows only the rows; files keep them; networks can see them.

    Parameters
    ----------
    family
        What `register` takes; it need not be registered.
    sizes
        Of the instances that are drawn, as its generator asks for them; one number serves for all.
    """
    check_generator(family, tuple(sizes))
    drawn = {f"seed {seed}": family.draw(sizes, 4, seed) for seed in (0, 1)}
    shown = {f"example {number}": problem for number, problem in enumerate(family.small_instances())}
    cases = [FamilyCase(family, problem, label) for label, problem in {**drawn, **shown}.items()]
    for case in cases:
        check_value(case)
        check_knowledge(case)
    check_view(cases)
