"""What results may depend on: the versions that all workers must share."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from importlib import metadata

_PACKAGES = ("neurprise", "numpy", "scipy", "highspy", "numba", "scikit-learn")


@dataclass(frozen=True)
class Versions:
    """
    Versions by name.

    Parameters
    ----------
    of
        Pairs of a name and a version; "none" for what is not installed.
    """

    of: tuple[tuple[str, str], ...]

    def __getitem__(self, name: str) -> str:
        return dict(self.of).get(name, "none")

    def differing(self, other: Versions) -> list[str]:
        """The names whose versions differ."""
        return [name for name, version in self.of if other[name] != version]


def installed_versions() -> Versions:
    """Of this process; Python without its last number."""
    python = ".".join(platform.python_version_tuple()[:2])
    return Versions((("python", python), *((name, _version(name)) for name in _PACKAGES)))


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "none"
