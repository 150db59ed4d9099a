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
        narrow = {"hidden": 8, "embedding": 8, "attention_heads": 2, "max_epochs": 1}
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

    def is_trained(self, checkpoints: Path) -> bool:
        """Whether its checkpoint is complete."""
        return (checkpoints / self._name / "card.md").exists()

    def label(self, labels: Path, jobs: int) -> None:
        """Label the instances of the recipe that are not labelled yet."""
        from neurprise.learn.labels import label

        drawn = self._recipe.labels
        label(
            labels / label_folder(self._recipe),
            family=drawn.family,
            size=drawn.size,
            scenarios=drawn.scenarios,
            count=self._recipe.count,
            seed=LABEL_SEED,
            distribution=drawn.distribution,
            jobs=jobs,
        )

    def train(self, checkpoints: Path, labels: Path) -> None:
        """Train on the labels of the recipe; goes on where a kill left it."""
        from neurprise.learn.options import TrainingOptions
        from neurprise.learn.train import train

        options = TrainingOptions(**self._recipe.options)
        folder = labels / label_folder(self._recipe)
        train(folder, checkpoints / self._name, options, command=f"neurprise bench, {self._name}")

    @property
    def _recipe(self) -> Recipe:
        assert self.recipe is not None
        return self.recipe

    @property
    def _name(self) -> str:
        assert self.checkpoint is not None
        return self.checkpoint


def label_folder(recipe: Recipe) -> str:
    """One folder per distribution and number."""
    return f"{recipe.labels.name}-{recipe.count}"
