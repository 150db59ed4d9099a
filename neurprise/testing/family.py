"""The contract every problem family keeps, judged by engines on its own rows."""

from __future__ import annotations

from collections.abc import Sequence

from neurprise.problems import Family
from neurprise.testing.family_case import FamilyCase
from neurprise.testing.family_knowledge import check_knowledge
from neurprise.testing.family_values import check_generator, check_value
from neurprise.testing.family_view import check_view


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
