"""Networks that experiments train themselves: a recipe is data, its checkpoint is made once and kept."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from neurprise.bench.instances import InstanceSet
from neurprise.bench.methods.reduced import Reduced

#: Labels are drawn from this seed; their instances are never those of a test set.
LABEL_SEED = 0


@dataclass(frozen=True)
class Recipe:
    """
    How one network is trained.

    Parameters
    ----------
    labels, count
        Distribution of the labelled instances, and how many of them (80 % train, 10 % validate).
    options
        Of `neurprise.learn.options.TrainingOptions`.
    """

    labels: InstanceSet
    count: int
    options: dict[str, Any] = field(default_factory=dict)

    def smaller(self) -> Recipe:
        """The same at smoke size: ten tiny instances, one epoch, a narrow network."""
        tiny = replace(self.labels, size=(5,) * len(self.labels.size), scenarios=4)
        narrow = {"hidden": 8, "embedding": 8, "attention_heads": 2, "max_epochs": 1, "regret_instances": 0}
        return Recipe(tiny, 10, {**self.options, **narrow})


@dataclass(frozen=True)
class Trained(Reduced):
    """
    NeurPRISE with a network of its own; `checkpoint` names it.

    Parameters
    ----------
    recipe
        How it is trained where it is not there yet.
    """

    recipe: Recipe | None = None

    def prepare(self, checkpoints: Path, labels: Path, jobs: int) -> None:
        """Label and train what is missing; both go on where a kill left them."""
        assert self.recipe is not None
        assert self.checkpoint is not None
        output = checkpoints / self.checkpoint
        if (output / "card.md").exists():
            return
        from neurprise.learn.labels import label
        from neurprise.learn.options import TrainingOptions
        from neurprise.learn.train import train

        drawn = self.recipe.labels
        directory = labels / label_folder(drawn, self.recipe.count)
        label(
            directory,
            family=drawn.family,
            size=drawn.size,
            scenarios=drawn.scenarios,
            count=self.recipe.count,
            seed=LABEL_SEED,
            distribution=drawn.distribution,
            jobs=jobs,
        )
        train(directory, output, TrainingOptions(**self.recipe.options), command=f"neurprise bench, {self.checkpoint}")


def label_folder(drawn: InstanceSet, count: int) -> str:
    """One folder per distribution and number."""
    return f"{drawn.name}-{count}"
