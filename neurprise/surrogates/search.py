"""One search of Neur2RO: main problem, network's adversary, true evaluation, and the certificate at the end."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from neurprise.arrays import Floats
from neurprise.clock import Deadline
from neurprise.errors import InfeasibleProblemError, UnboundedProblemError
from neurprise.evaluate import Evaluator, OutOfTimeError
from neurprise.exact import reduced_solver
from neurprise.exact.ccg import Iteration, relative_gap
from neurprise.exact.extensive_form import ExtensiveForm
from neurprise.exact.pool import Pool
from neurprise.report import Report, Status
from neurprise.solvers import Engine, EngineStatus, Limits
from neurprise.surrogates.main_problem import TIE, Branch, MainProblem
from neurprise.surrogates.network import FoldedNetwork


class SurrogateSearch:
    """
    One search; `run` may be called once.

    Parameters
    ----------
    evaluator
        Knows the problem and the true recourse costs.
    engine
        Solves the main problems.
    network
        Folded for the problem.
    gap
        Relative gap of the main problems and of the certificate.
    deadline
        When the search ends in any case.
    progress
        Called after every main problem.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        engine: Engine,
        network: FoldedNetwork,
        *,
        gap: float,
        deadline: Deadline,
        progress: Callable[[Iteration], None],
    ) -> None:
        self._evaluator, self._engine, self._network = evaluator, engine, network
        self._main = MainProblem(ExtensiveForm(evaluator.problem), engine, network)
        self._master = reduced_solver(evaluator, engine)
        self._pool = Pool(evaluator)
        self._gap, self._deadline, self._progress = gap, deadline, progress
        self._iterations: list[Iteration] = []
        self._lower_bound = -math.inf

    def run(self, reference: Floats, *, certify: bool) -> Report:
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
        return self._report(status)

    def _step(self) -> int | None:
        """Solve the main problem and evaluate its decision until it has recourse everywhere; the scenario to add."""
        while True:
            place = self._solve_main()
            if np.isfinite(self._pool.totals[place]).all():
                break
            # The auxiliary check: what x cannot survive joins R, and every later decision survives it.
            lost = self._pool.worst_scenario(place)
            if not self._main.must_survive(lost, self._alone(lost)):
                break  # its rows hold within the engine's tolerance
        worst = self._worst_of_all(self._pool.member(place))
        return None if worst in self._main.scenarios else worst

    def _solve_main(self) -> int:
        """The place in the pool of the main problem's decision."""
        status, x = self._main.solve(self._limits())
        self._check(status, self._main.scenarios)
        if x is None:
            raise OutOfTimeError
        place = self._pool.add(x, self._deadline)
        self._record()
        if self._deadline.passed:
            raise OutOfTimeError
        return place

    def _worst_of_all(self, x: Floats) -> int:
        """The adversary: the network's worst scenario of all, one of R where that is as bad; else smallest index."""
        values = self._network.values(x)
        ties = np.flatnonzero(values >= values.max() - TIE)
        known = [s for s in ties.tolist() if s in self._main.scenarios]
        return int(known[0] if known else ties[0])

    def _alone(self, scenario: int) -> Branch:
        """V({s}), whose bound holds for the whole problem."""
        problem = self._evaluator.problem
        known, values = problem.single_scenario_decisions([scenario]), problem.single_scenario_values()
        if known is not None and values is not None:
            value = float(values[scenario])
            self._lower_bound = max(self._lower_bound, value)
            return Branch(value, known[0])
        result = self._master.solve([scenario], self._limits())
        self._check(result.status, (scenario,))
        self._lower_bound = max(self._lower_bound, result.bound)
        if result.x is None:
            raise OutOfTimeError
        return Branch(result.value, result.x)

    def _limits(self, cutoff: float = math.inf) -> Limits:
        return Limits(gap=self._gap, time_limit=self._deadline.remaining, cutoff=cutoff)

    def _certify(self) -> None:
        """V(R) bounds the optimum: its true rows only, the network left out."""
        _, worst_case = self._pool.best()
        result = self._master.solve(self._main.scenarios, self._limits(worst_case))
        self._check(result.status, self._main.scenarios)
        self._lower_bound = max(self._lower_bound, result.bound)
        self._record()
        if result.status is EngineStatus.TIME_LIMIT:
            raise OutOfTimeError

    def _check(self, status: EngineStatus, scenarios: tuple[int, ...]) -> None:
        if status is EngineStatus.INFEASIBLE:
            raise InfeasibleProblemError(
                f"no first-stage decision is feasible for scenarios {list(scenarios[:5])}; relax a constraint or drop "
                "them."
            )
        if status is EngineStatus.UNBOUNDED:
            raise UnboundedProblemError("the total cost falls without limit; bound the variables or check cost signs.")

    def _record(self) -> None:
        step = Iteration(len(self._main.scenarios), self._lower_bound, self._pool.best()[1], self._deadline.elapsed)
        self._iterations.append(step)
        self._progress(step)

    def _report(self, status: Status) -> Report:
        place, worst_case = self._pool.best()
        x = self._pool.member(place) if math.isfinite(worst_case) else None
        if status is Status.REDUCED and relative_gap(worst_case, self._lower_bound) <= self._gap:
            status = Status.OPTIMAL
        problem = self._evaluator.problem
        return Report(
            x=x,
            worst_case=worst_case,
            lower_bound=self._lower_bound,
            status=status,
            scenarios=self._main.scenarios,
            worst_scenario=None if x is None else self._pool.worst_scenario(place),
            runtime=self._deadline.elapsed,
            iterations=tuple(self._iterations),
            num_solves=self._main.num_solves + self._master.num_solves,
            reducer="neur2ro",
            solver=self._engine.name,
            maximize=problem.maximize,
        )
