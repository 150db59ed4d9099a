"""
Neur2RO: column-and-constraint generation in which a trained network names the worst scenario.

The main problem contains the network as rows of a mixed-integer program (see `main_problem`). The adversary takes the
network's worst scenario of all, which is a matrix product for a finite list. The search ends when that scenario is
already in R. Every decision on the way is evaluated with its true recourse, and the best of them is the answer
[Dumouchelle, Julien, Kurtz and Khalil 2024].
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from neurprise import arrays
from neurprise.arrays import Floats
from neurprise.clock import Deadline, OutOfTimeError
from neurprise.errors import CheckpointError
from neurprise.networks.view import knowledge_of
from neurprise.problem import TwoStageProblem
from neurprise.progress import progress_line
from neurprise.report import Report, report_of
from neurprise.search.ccg import SearchOutcome, outcome
from neurprise.search.extensive_form import ExtensiveForm
from neurprise.search.session import LiveLine, SearchSession, Status, relative_gap
from neurprise.search.start import with_evident_decision
from neurprise.solvers import EngineStatus, Limits
from neurprise.surrogates.main_problem import TIE, Branch, MainProblem
from neurprise.surrogates.network import SURROGATES, FoldedNetwork, ValueNetwork

#: Share of a time limit for reading the scenarios, at most.
READING_SHARE = 0.3


class Neur2RO:
    """
    The learned surrogate of one family.

    Parameters
    ----------
    network
        Trained on problems of the family.
    checkpoint
        Name of the checkpoint in messages.
    """

    name = "neur2ro"

    def __init__(self, network: ValueNetwork, checkpoint: str = "") -> None:
        self.network = network
        self.checkpoint = checkpoint or network.config.family

    @classmethod
    def load(cls, name: str | Path) -> Neur2RO:
        """The surrogate of a shipped checkpoint's name (a family) or of a directory that `neurprise train` wrote."""
        return cls(SURROGATES.load(name), str(name))

    @classmethod
    def load_for(cls, problem: TwoStageProblem) -> Neur2RO:
        """The shipped surrogate of the problem's family."""
        knowledge_of(problem)  # refuses problems without a family
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
            Relative gap of the main problems; an answer within this proved gap has the status optimal.
        time_limit
            Wall-clock seconds for the whole call; the best answer so far is returned.
        solver
            Engine: "highs", "scip" or "gurobi".
        certify
            Prove V(R) of the scenarios whose true rows were added, in one more solve that does not change x. Otherwise
            the bound is the largest V({s}) proved on the way.
        """
        gap = arrays.relative_gap("gap", gap)
        deadline = Deadline(None if time_limit is None else arrays.nonnegative_number("time_limit", time_limit))
        instance = knowledge_of(problem).describe(problem)
        self._check_family(problem)
        with progress_line() as line, SearchSession(problem, solver, deadline, LiveLine(line)) as session:
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


class SurrogateSearch:
    """
    One search; `run` may be called once.

    Parameters
    ----------
    session
        Engine, evaluator, pool, master and clock.
    network
        Folded for the session's problem.
    gap
        Relative gap of the main problems and of the certificate.
    """

    def __init__(self, session: SearchSession, network: FoldedNetwork, *, gap: float) -> None:
        self._session, self._network, self._gap = session, network, gap
        self._main = MainProblem(ExtensiveForm(session.problem), session.engine, network)

    def run(self, reference: Floats, *, certify: bool) -> SearchOutcome:
        """Search from the network's worst scenario for `reference`."""
        status = Status.REDUCED
        try:
            new: int | None = self._worst_of_all(reference)
            while new is not None:
                self._main.add(new, self._alone(new))
                new = self._step()
            if certify and len(self._main.scenarios) > 1:
                self._certify()
        except OutOfTimeError:
            status = Status.TIME_LIMIT
        except KeyboardInterrupt:
            status = Status.INTERRUPTED
        if status is Status.REDUCED and self._is_closed():
            status = Status.OPTIMAL
        self._session.count_solves(self._main.num_solves)
        return with_evident_decision(self._session, outcome(self._session, self._main.scenarios, status))

    def _step(self) -> int | None:
        """Solve main problems until a decision has recourse in every scenario; the scenario to add, or None."""
        pool = self._session.pool
        while True:
            place = self._solve_main()
            if np.isfinite(pool.totals[place]).all():
                break
            # Neur2RO's auxiliary check: every later decision must have recourse in this scenario.
            failed = pool.worst_scenario(place)
            if not self._main.require_recourse(failed, self._alone(failed)):
                break  # its rows are in the model and hold within the engine's tolerance
        worst = self._worst_of_all(pool.member(place))
        return None if worst in self._main.scenarios else worst

    def _solve_main(self) -> int:
        """The place in the pool of the main problem's decision."""
        session = self._session
        status, x = self._main.solve(Limits(gap=self._gap), session.deadline)
        self._check(status)
        if x is None:
            raise OutOfTimeError
        place = session.pool.add(x, session.deadline)
        session.record(len(self._main.scenarios))
        if session.deadline.passed:
            raise OutOfTimeError
        return place

    def _worst_of_all(self, x: Floats) -> int:
        """The adversary: the network's worst scenario of all; of ties a member of R, else the smallest index."""
        ties = self._network.worst(x, TIE)
        known = [s for s in ties.tolist() if s in self._main.scenarios]
        return int(known[0] if known else ties[0])

    def _alone(self, scenario: int) -> Branch:
        """The branch of a scenario alone, V({s}); its bound holds for the whole problem."""
        session, only = self._session, self._session.problem.restrict([scenario])
        if only.single_scenarios is not None:
            value = float(only.single_scenarios.values()[0])
            session.prove(value, [scenario])
            return Branch(value, only.single_scenarios.decisions([0])[0])
        result = session.solve_reduced([scenario], Limits(gap=self._gap))
        self._check(result.status)
        if result.x is None:
            raise OutOfTimeError
        return Branch(result.value, result.x)

    def _certify(self) -> None:
        """Prove V(R) with the true rows, without the network. Its decision is not used: the answer stays Neur2RO's."""
        session, scenarios = self._session, self._main.scenarios
        result = session.solve_reduced(scenarios, Limits(gap=self._gap, cutoff=session.worst_case))
        session.record(len(scenarios))
        if result.status is EngineStatus.TIME_LIMIT:
            raise OutOfTimeError

    def _is_closed(self) -> bool:
        session = self._session
        return relative_gap(session.worst_case, session.lower_bound, session.unit) <= self._gap

    def _check(self, status: EngineStatus) -> None:
        """Raise for a main problem that is infeasible or unbounded."""
        if status is EngineStatus.INFEASIBLE:
            self._session.refuse_infeasible(self._main.scenarios)
        if status is EngineStatus.UNBOUNDED:
            self._session.refuse_unbounded()
