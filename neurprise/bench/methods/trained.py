"""Networks that experiments train themselves: a recipe is data, its checkpoint is made once and kept."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from neurprise.bench.instances import InstanceSet
from neurprise.bench.methods.reduced import Reduced
from neurprise.bench.places import checkout

#: Labels are drawn from this seed; their instances are never those of a test set.
LABEL_SEED = 0
#: Label sets in the repository's labels/, by distribution and number; nobody need make them again.
KEPT_LABELS = {
    ("SEL-20-50", 2500): "selection-20-50",
    ("VC-20-50", 2500): "vertex-cover-20-50",
    ("CFLP-30-30-50", 660): "facility-location-30-50",
}


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
    steps
        Of each PRISE trace at most.
    """

    labels: InstanceSet
    count: int
    options: dict[str, Any] = field(default_factory=dict)
    steps: int = 8

    def smaller(self) -> Recipe:
        """The same at smoke size: ten tiny instances, one epoch, a narrow network."""
        tiny = replace(self.labels, size=(5,) * len(self.labels.size), scenarios=4)
        narrow = {"hidden": 8, "embedding": 8, "attention_heads": 2, "max_epochs": 1}
        return replace(self, labels=tiny, count=10, options={**self.options, **narrow})

    def folder(self, labels: Path) -> Path:
        """Where its labels are: among those that the repository keeps, else below `labels`."""
        return self._kept() or labels / f"{self.labels.name}-{self.count}"

    def label(self, labels: Path, jobs: int) -> None:
        """Label the instances that are not labelled yet; the losses read gains, so no optimum is computed."""
        from neurprise.learn.labels import label

        if self._kept() is None:
            label(
                self.folder(labels),
                family=self.labels.family,
                size=self.labels.size,
                scenarios=self.labels.scenarios,
                count=self.count,
                seed=LABEL_SEED,
                budget=self.steps,
                distribution=self.labels.distribution,
                jobs=jobs,
                exact=False,
            )

    def _kept(self) -> Path | None:
        name, root = KEPT_LABELS.get((self.labels.name, self.count)), checkout()
        return None if name is None or root is None else root / "labels" / name


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
        self._recipe.label(labels, jobs)

    def train(self, checkpoints: Path, labels: Path) -> None:
        """Train on the labels of the recipe; goes on where a kill left it."""
        from neurprise.learn.options import TrainingOptions
        from neurprise.learn.train import train

        options = TrainingOptions(**self._recipe.options)
        train(self._recipe.folder(labels), checkpoints / self._name, options, command=f"neurprise bench, {self._name}")

    @property
    def _recipe(self) -> Recipe:
        assert self.recipe is not None
        return self.recipe

    @property
    def _name(self) -> str:
        assert self.checkpoint is not None
        return self.checkpoint
