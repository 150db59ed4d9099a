"""Selection: choose p of n items, some now at known cost, the rest when the scenario's costs are known."""

from neurprise.problems.selection.formulation import Selection
from neurprise.problems.selection.generator import examples, make_selection

__all__ = ["Selection", "examples", "make_selection"]
