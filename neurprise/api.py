"""The public names, as `import neurprise as nr` offers them; one that is not listed here may change."""

from neurprise import plot, reducers, surrogates, testing
from neurprise.compare import Comparison, compare
from neurprise.convergence import Status
from neurprise.errors import (
    CheckpointError,
    EngineError,
    FormatError,
    InfeasibleProblemError,
    InputError,
    InputWarning,
    MissingDependencyError,
    NotApplicableError,
    UnboundedProblemError,
)
from neurprise.evaluate import Evaluation, evaluate
from neurprise.explain import why_infeasible
from neurprise.infeasible import Conflict
from neurprise.io import read
from neurprise.io.pyomo import from_pyomo
from neurprise.problem import TwoStageProblem
from neurprise.problems import (
    FacilityLocation,
    Selection,
    VertexCover,
    make_facility_location,
    make_selection,
    make_vertex_cover,
)
from neurprise.report import Report
from neurprise.solve import solve
from neurprise.target import Target

__all__ = [
    "CheckpointError",
    "Comparison",
    "Conflict",
    "EngineError",
    "Evaluation",
    "FacilityLocation",
    "FormatError",
    "InfeasibleProblemError",
    "InputError",
    "InputWarning",
    "MissingDependencyError",
    "NotApplicableError",
    "Report",
    "Selection",
    "Status",
    "Target",
    "TwoStageProblem",
    "UnboundedProblemError",
    "VertexCover",
    "compare",
    "evaluate",
    "from_pyomo",
    "make_facility_location",
    "make_selection",
    "make_vertex_cover",
    "plot",
    "read",
    "reducers",
    "solve",
    "surrogates",
    "testing",
    "why_infeasible",
]
