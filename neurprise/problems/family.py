"""A problem family: a name, a class of problems and a generator of instances."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from inspect import Parameter, signature
from typing import Any

from neurprise.errors import InputError
from neurprise.problem import TwoStageProblem

#: The default of `draw`, and the only distribution of generators without that parameter.
DEFAULT_DISTRIBUTION = "uniform"


@dataclass(frozen=True)
class Family:
    """
    A problem family, for `register`.

    Parameters
    ----------
    name
        Lower case, words joined by dashes; `problem.family` of its problems.
    problem
        The class. Each argument of its constructor is an attribute of that name: files store them.
    make
        Draws an instance: sizes named num_..., then num_scenarios and seed, and maybe distribution. The same seed
        gives the same instance. The sizes become options of `neurprise make`.
    examples
        Small instances that together run all code of the family, for `check_family` and `neurprise warm`; None: one
        drawn instance.
    """

    name: str
    problem: type[TwoStageProblem]
    make: Callable[..., TwoStageProblem]
    examples: Callable[[], Sequence[TwoStageProblem]] | None = None

    def __post_init__(self) -> None:
        general = TwoStageProblem.family
        if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", self.name) or self.name == general:
            raise InputError(
                f"a family's name must be lower-case words joined by dashes, not {general!r}, got {self.name!r}."
            )
        if not (isinstance(self.problem, type) and issubclass(self.problem, TwoStageProblem)):
            raise InputError(f"a family's problems must be a subclass of TwoStageProblem, got {self.problem!r}.")
        if self.problem.family != self.name:
            named = f"{self.problem.__name__}.family"
            raise InputError(f"{named} must be {self.name!r}, got {self.problem.family!r}; set it in the class.")
        missing = {"num_scenarios", "seed"} - set(signature(self.make).parameters)
        if missing:
            raise InputError(f"the generator of {self.name!r} must take {' and '.join(sorted(missing))}.")

    @property
    def size_names(self) -> tuple[str, ...]:
        """The generator's parameters that say how large an instance is, scenarios apart, such as num_items."""
        names = signature(self.make).parameters
        return tuple(name for name in names if name.startswith("num_") and name != "num_scenarios")

    def draw(
        self, sizes: Sequence[int], num_scenarios: int, seed: int, distribution: str = DEFAULT_DISTRIBUTION
    ) -> TwoStageProblem:
        """
        An instance; a single size serves for every parameter that asks for one.

        Parameters
        ----------
        sizes
            In the order of `size_names`.
        """
        names = self.size_names
        given = tuple(sizes) * len(names) if len(sizes) == 1 else tuple(sizes)
        if len(given) != len(names):
            rule = f"one number ({names[0]})" if len(names) == 1 else f"one number, or {' x '.join(names)}"
            raise InputError(f"the size of {self.name!r} must be {rule}, got {' x '.join(map(str, sizes))}.")
        options: dict[str, Any] = {**dict(zip(names, given, strict=True)), "num_scenarios": num_scenarios, "seed": seed}
        if "distribution" in signature(self.make).parameters:
            options["distribution"] = distribution
        elif distribution != DEFAULT_DISTRIBUTION:
            raise InputError(
                f"{self.name!r} has no distribution {distribution!r}; leave it at {DEFAULT_DISTRIBUTION!r}."
            )
        return self.make(**options)

    def small_instances(self) -> list[TwoStageProblem]:
        """The examples, or one instance of size 4 with 4 scenarios."""
        return [self.draw([4], 4, 0)] if self.examples is None else list(self.examples())

    @property
    def argument_names(self) -> tuple[str, ...]:
        """Names of the constructor's arguments."""
        parameters = signature(self.problem).parameters.values()
        return tuple(p.name for p in parameters if p.kind not in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD))

    def arguments(self, problem: TwoStageProblem) -> dict[str, Any]:
        """The constructor arguments that make this problem, labels apart."""
        return {name: getattr(problem, name) for name in self.argument_names}
