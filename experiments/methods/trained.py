"""Methods whose networks experiments train themselves; a checkpoint is made once and kept."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from experiments.methods.answers import Surrogate
from experiments.methods.recipes import Recipe
from experiments.methods.reduced import Reduced


class Trained:
    """
    What such methods share: `checkpoint` names the network, `recipe` says how it is trained where it is not there yet.
    """

    checkpoint: str | None
    recipe: Recipe | None

    def is_trained(self, checkpoints: Path) -> bool:
        """Whether its checkpoint is complete."""
        return (checkpoints / self._name / "card.md").exists()

    def label(self, labels: Path, jobs: int) -> None:
        """Label the instances of the recipe that are not labelled yet."""
        self._recipe.label(labels, jobs)

    def train(self, checkpoints: Path, labels: Path, command: str) -> None:
        """Train on the labels of the recipe, by this command; goes on where a kill left it."""
        self._recipe.train(checkpoints / self._name, labels, command)

    @property
    def _recipe(self) -> Recipe:
        assert self.recipe is not None
        return self.recipe

    @property
    def _name(self) -> str:
        assert self.checkpoint is not None
        return self.checkpoint


@dataclass(frozen=True)
class TrainedScorer(Trained, Reduced):
    """NeurPRISE with a network of its own."""

    recipe: Recipe | None = None

    def smaller(self) -> Self:
        return replace(self, recipe=self._recipe.smaller())


@dataclass(frozen=True)
class TrainedSurrogate(Trained, Surrogate):
    """Neur2RO with a network of its own."""

    recipe: Recipe | None = None

    def smaller(self) -> Self:
        return replace(self, recipe=self._recipe.smaller())
