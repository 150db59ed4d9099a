"""How the networks of experiments are trained, as data: which instances, labelled how, and the options of training."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Self

from experiments.instances.sets import InstanceSet
from experiments.places import KEPT_FOLDER

#: Labels are drawn from this seed; their instances are never those of a test set.
LABEL_SEED = 0
#: Label sets in experiments/labels, by distribution, number and steps; nobody need make them again.
KEPT_LABELS = {
    ("SEL-20-50", 2500, 8): "selection-20-50",
    ("VC-20-50", 2500, 8): "vertex-cover-20-50",
    ("CFLP-30-30-50", 660, 8): "facility-location-30-50",
    ("VC-50-50", 120, 4): "vertex-cover-50-50",
    ("VC-50-100", 60, 4): "vertex-cover-50-100",
}


@dataclass(frozen=True)
class Recipe(ABC):
    """
    How one network is trained.

    Parameters
    ----------
    labels, count
        Distribution of the labelled instances, and how many of them (80 % train, 10 % validate).
    options
        Of the training.
    narrow
        Options of a small network that one epoch trains.
    """

    narrow: ClassVar[dict[str, Any]]

    labels: InstanceSet
    count: int
    options: dict[str, Any] = field(default_factory=dict)

    @abstractmethod
    def folder(self, labels: Path) -> Path:
        """Where its labels are, `labels` being the experiments' folder."""

    @abstractmethod
    def label(self, labels: Path, jobs: int) -> None:
        """Label the instances that are not labelled yet."""

    @abstractmethod
    def train(self, output: Path, labels: Path, command: str) -> None:
        """Train on the labels; goes on where a kill left it."""

    def smaller(self) -> Self:
        """The same at smoke size: ten tiny instances, one epoch, a narrow network."""
        tiny = replace(self.labels, size=(5,) * len(self.labels.size), scenarios=4)
        return replace(self, labels=tiny, count=10, options={**self.options, **self.narrow})

    def _drawn(self) -> dict[str, Any]:
        """What `label` and `sample` both ask for."""
        return {
            "family": self.labels.family,
            "size": self.labels.size,
            "scenarios": self.labels.scenarios,
            "distribution": self.labels.distribution,
            "count": self.count,
            "seed": LABEL_SEED,
        }


@dataclass(frozen=True)
class ScorerRecipe(Recipe):
    """
    Of NeurPRISE; the options are those of `neurprise.training.options.TrainingOptions`.

    Parameters
    ----------
    steps
        Of each PRISE trace at most.
    """

    steps: int = 8
    narrow: ClassVar = {"hidden": 8, "embedding": 8, "attention_heads": 2, "max_epochs": 1}

    def folder(self, labels: Path) -> Path:
        return self._kept() or labels / f"{self.labels.name}-{self.count}"

    def label(self, labels: Path, jobs: int) -> None:
        """The losses read gains, so no optimum is computed."""
        from neurprise.training.labels import label

        if self._kept() is None:
            label(self.folder(labels), **self._drawn(), budget=self.steps, jobs=jobs, exact=False)

    def train(self, output: Path, labels: Path, command: str) -> None:
        from neurprise.training.neurprise import train
        from neurprise.training.options import TrainingOptions

        train(self.folder(labels), output, TrainingOptions(**self.options), command=command)

    def _kept(self) -> Path | None:
        name = KEPT_LABELS.get((self.labels.name, self.count, self.steps))
        return None if name is None else KEPT_FOLDER / name


@dataclass(frozen=True)
class SurrogateRecipe(Recipe):
    """
    Of Neur2RO; the options are those of `neurprise.training.options.SurrogateOptions`.

    Parameters
    ----------
    decisions
        Of each instance, whose costs are learned.
    """

    decisions: int = 24
    narrow: ClassVar = {"decision_hidden": 4, "max_epochs": 1}

    def folder(self, labels: Path) -> Path:
        return labels / f"{self.labels.name}-{self.count}-samples"

    def label(self, labels: Path, jobs: int) -> None:
        from neurprise.training.samples import sample

        sample(self.folder(labels), **self._drawn(), decisions=self.decisions, jobs=jobs)

    def train(self, output: Path, labels: Path, command: str) -> None:
        from neurprise.training.neur2ro import train
        from neurprise.training.options import SurrogateOptions

        train(self.folder(labels), output, SurrogateOptions(**self.options), command=command)
