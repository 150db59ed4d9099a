"""One search of Neur2RO: main problem, network's adversary, true evaluation, and the certificate at the end."""

from __future__ import annotations

import numpy as np

from neurprise.arrays import Floats
from neurprise.clock import OutOfTimeError
from neurprise.infeasible.search import no_decision
from neurprise.search.ccg import SearchOutcome, outcome
from neurprise.search.convergence import Status, relative_gap
from neurprise.search.evident_decisions import with_evident_decision
from neurprise.search.extensive_form import ExtensiveForm
from neurprise.search.session import SearchSession
from neurprise.solvers import EngineStatus, Limits
from neurprise.surrogates.main_problem import TIE, Branch, MainProblem
from neurprise.surrogates.network import FoldedNetwork


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
        self._session.solves_besides += self._main.num_solves
        return with_evident_decision(self._session, outcome(self._session, self._main.scenarios, status))

    def _step(self) -> int | None:
        """Solve the main problem and evaluate its decision until it has recourse everywhere; the scenario to add."""
        pool = self._session.pool
        while True:
            place = self._solve_main()
            if np.isfinite(pool.totals[place]).all():
                break
            # The auxiliary check: what x cannot survive joins R, and every later decision survives it.
            lost = pool.worst_scenario(place)
            if not self._main.must_survive(lost, self._alone(lost)):
                break  # its rows hold within the engine's tolerance
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
        """The adversary: the network's worst scenario of all, one of R where that is as bad; else smallest index."""
        ties = self._network.worst(x, TIE)
        known = [s for s in ties.tolist() if s in self._main.scenarios]
        return int(known[0] if known else ties[0])

    def _alone(self, scenario: int) -> Branch:
        """V({s}), whose bound holds for the whole problem."""
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
        """V(R) bounds the optimum: its true rows only, the network left out. What it finds is not Neur2RO's x."""
        session, scenarios = self._session, self._main.scenarios
        result = session.solve_reduced(scenarios, Limits(gap=self._gap, cutoff=session.worst_case))
        session.record(len(scenarios))
        if result.status is EngineStatus.TIME_LIMIT:
            raise OutOfTimeError

    def _is_closed(self) -> bool:
        session = self._session
        return relative_gap(session.worst_case, session.lower_bound, session.unit) <= self._gap

    def _check(self, status: EngineStatus) -> None:
        """What the session says of reduced problems, of main problems."""
        if status is EngineStatus.INFEASIBLE:
            session = self._session
            raise no_decision(session.problem, self._main.scenarios, session.engine, session.deadline)
        if status is EngineStatus.UNBOUNDED:
            self._session.refuse_unbounded()
