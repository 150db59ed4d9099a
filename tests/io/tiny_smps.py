"""
A two-stage problem small enough to solve by hand, as SMPS text that tests vary.

Now: make x (at most 10, cost 2 each). Later: sell u at 5 (in the core), buy y at 3 to meet demand d >= 4 (in the core).
    min 2x + 3y   s.t.   cap: x <= 10,   demand: x + y >= d
"""

from pathlib import Path

CORE = """\
NAME          TINY
ROWS
 N  COST
 L  CAP
 G  DEMAND
COLUMNS
    X         COST      2.0            CAP       1.0
    X         DEMAND    1.0
    Y         COST      3.0            DEMAND    1.0
RHS
    RHS       CAP       10.0           DEMAND    4.0
ENDATA
"""

TIME = """\
TIME          TINY
PERIODS
    X         CAP                      NOW
    Y         DEMAND                   LATER
ENDATA
"""

STOCH = """\
STOCH         TINY
SCENARIOS     DISCRETE
 SC LOW       ROOT      0.25           LATER
    RHS       DEMAND    3.0
 SC HIGH      ROOT      0.75           LATER
    RHS       DEMAND    6.0
ENDATA
"""


def write_smps(folder: Path, core: str = CORE, time: str = TIME, stoch: str = STOCH) -> Path:
    """Write the three files and return the core's path."""
    for suffix, text in ((".tim", time), (".sto", stoch)):
        (folder / f"tiny{suffix}").write_text(text)
    path = folder / "tiny.cor"
    path.write_text(core)
    return path
