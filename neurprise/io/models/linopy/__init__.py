"""Models of linopy (`linopy.Model`): one per scenario, or one with a scenario dimension."""

from neurprise.io.models.linopy.reader import Reader

__all__ = ["Reader"]
