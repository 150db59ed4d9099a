"""
Models with a big M: an entry on an integer column so large that an integrality tolerance of 1e-6 shows in its row.

In `y <= M z` with M = 1e8 every engine takes z = 1e-6 for zero, and y may be a hundred. Such models are first made
tighter (`tighten.py`), which most allow; answers on what remains are looked at twice (`careful.py`).
"""

from neurprise.solvers.big_m.careful import solve_with_big_m
from neurprise.solvers.big_m.detect import has_big_m
from neurprise.solvers.big_m.tighten import tightened

__all__ = ["has_big_m", "solve_with_big_m", "tightened"]
