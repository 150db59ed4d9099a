"""
Neur2RO: column-and-constraint generation in which a trained network names the worst scenario.

The main problem holds the network as rows of a mixed-integer program (see `main_problem`); the adversary asks the
network for its worst scenario of all, which with finitely many scenarios is a matrix product. The search ends when
that scenario is in R already. Every decision on the way is evaluated truly, and the best of them is the answer
[Dumouchelle, Julien, Kurtz and Khalil 2024].
"""

from __future__ import annotations

from pathlib import Path

from neurprise import arrays
from neurprise.clock import Deadline
from neurprise.errors import CheckpointError
from neurprise.problem import TwoStageProblem
from neurprise.progress import progress_line
from neurprise.report import Report, report_of
from neurprise.search.session import SearchSession
from neurprise.surrogates import checkpoints
from neurprise.surrogates.knowledge import knowledge_of
from neurprise.surrogates.network import ValueNetwork
from neurprise.surrogates.search import SurrogateSearch

#: Of a time limit, at most this share goes into reading the scenarios.
READING_SHARE = 0.3


class Neur2RO:
    """
    The learned surrogate of one family.

    Parameters
    ----------
    network
        Trained on problems of the family.
    name
        What the checkpoint is called in messages.
    """

    name = "neur2ro"

    def __init__(self, network: ValueNetwork, checkpoint: str = "") -> None:
        self.network = network
        self.checkpoint = checkpoint or network.config.family

    @classmethod
    def load(cls, name: str | Path) -> Neur2RO:
        """The surrogate of a shipped checkpoint's name (a family) or of a directory that `neurprise train` wrote."""
        return cls(checkpoints.load(name), str(name))

    @classmethod
    def load_for(cls, problem: TwoStageProblem) -> Neur2RO:
        """The shipped surrogate of the problem's family."""
        knowledge_of(problem)  # refuses problems of no known family
        return cls.load(problem.family)

    def solve(
        self,
        problem: TwoStageProblem,
        *,
        gap: float = 1e-4,
        time_limit: float | None = None,
        solver: str = "highs",
        certify: bool = True,
    ) -> Report:
        """
        A first-stage decision by the surrogate, its true worst case, and a proved bound.

        Parameters
        ----------
        gap
            Relative gap of the main problems; an answer proved within it is called optimal.
        time_limit
            Wall-clock seconds for the whole call; the best answer so far is returned.
        solver
            Engine: "highs", "scip" or "gurobi".
        certify
            Prove V(R) of the scenarios whose true rows were added, in one more solve that does not change x. Without
            it the bound is what the first main problem proved, V of its one scenario.
        """
        gap = arrays.relative_gap("gap", gap)
        deadline = Deadline(None if time_limit is None else arrays.nonnegative_number("time_limit", time_limit))
        instance = knowledge_of(problem).describe(problem)
        self._check_family(problem)
        with progress_line() as line:
            session = SearchSession(problem, solver, deadline, line)
            network = self.network.folded(instance, deadline.part(READING_SHARE))
            search = SurrogateSearch(session, network, gap=gap)
            found = search.run(instance.reference, certify=certify)
        return report_of(session, found, self.name)

    def predict(self, problem: TwoStageProblem, x: object) -> arrays.Floats:
        """The network's recourse cost of a first-stage decision in every scenario, shape (S,)."""
        self._check_family(problem)
        decision = arrays.vector("x", x, problem.num_first_stage)
        return self.network.folded(knowledge_of(problem).describe(problem)).predicted(decision)

    def _check_family(self, problem: TwoStageProblem) -> None:
        family = self.network.config.family
        if problem.family != family:
            raise CheckpointError(
                f"Checkpoint {self.checkpoint!r} was trained on {family!r}, the problem is {problem.family!r}; "
                "Neur2RO.load_for(problem) picks the checkpoint of the problem's family."
            )
