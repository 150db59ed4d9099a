"""Many solves in one process leave nothing behind, and several threads may solve at once."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import neurprise as nr
from experiments.judges import soak


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="looks into /proc")
def test_sixty_mixed_solves_leave_no_file_and_no_thread_open():
    """`python -m experiments run soak` does the same two thousand times and looks at memory too."""
    next_task = soak.tasks(scip=False)
    for _ in range(40):
        next(next_task)()
    before = soak.resources()
    for _ in range(60):
        next(next_task)()
    after = soak.resources()
    assert after["files"] <= before["files"]
    assert after["python_threads"] <= before["python_threads"]
    assert after["memory_mb"] < before["memory_mb"] + 60


def test_four_threads_solving_at_once_get_the_answers_of_one():
    """Every kind of problem, exact and reduced, with the same certificates."""
    work = [
        (problem, method) for seed in range(3) for problem in soak.problems(seed).values() for method in ("", "prise")
    ]

    def answer(task):
        problem, method = task
        report = nr.solve(problem, method, 2) if method else nr.solve(problem)
        return report.status, report.worst_case, report.lower_bound, tuple(report.x)

    alone = [answer(task) for task in work]
    with ThreadPoolExecutor(4) as threads:
        for _ in range(2):
            together = list(threads.map(answer, work))
            assert [found[0] for found in together] == [found[0] for found in alone]
            assert [found[1:3] for found in together] == [pytest.approx(found[1:3]) for found in alone]
