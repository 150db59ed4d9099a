"""
How exact is exact: the tolerances that every room shares.

Engines compute in floating point and keep rows, bounds and integrality only to a tolerance. One rule holds everywhere:
what is missed by at most FEASIBILITY_TOLERANCE is kept, by an engine and by `evaluate` alike. See docs/decisions.md.
"""

#: Rows, bounds and integrality may be broken by this much.
FEASIBILITY_TOLERANCE = 1e-6
#: With its integers fixed, a master's decision is solved again this exactly, so that later solves accept it too.
TIGHT_TOLERANCE = 1e-9
#: Engines keep objectives to about this relative precision.
ENGINE_PRECISION = 1e-5
#: Whole numbers that an engine brings this close to each other are equal: less than one, by more than what it adds or
#: takes away within its tolerance.
WHOLE_GAP = 0.99
