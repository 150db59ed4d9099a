"""Experiments are data; the runner measures what is missing and no more."""

import gzip
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from statistics import mean, stdev

import pytest

import neurprise as nr
from experiments import runner
from experiments.instances.sets import FIRST_SEED, InstanceSet
from experiments.methods import METHODS
from experiments.methods.recipes import ScorerRecipe
from experiments.methods.trained import TrainedScorer
from experiments.places import Places
from experiments.provenance import provenance
from experiments.row_files import RowFile
from experiments.spec import Panel, Spec
from experiments.views.tables import table
from neurprise.parallel.workers import Workers

ROOT = Path(__file__).parents[2]
TINY = InstanceSet("SEL-6-5", "selection", (6,), 5)
SPEC = Spec("tiny", "A tiny one", (Panel(TINY, 2, ("exact", "maxsum", "prise"), (1, 2), {"maxsum": (7.0, 5.0)}),))


@pytest.fixture
def places(tmp_path):
    return Places.below(tmp_path)


def test_every_method_budget_and_instance_has_one_row(places):
    """Exact takes no budget and has one row an instance."""
    assert runner.run(SPEC, places) == (0, 2 * (1 + 2 + 2))
    assert len({row.key for row in runner.stored_rows(SPEC, places.rows)}) == 10


def test_a_second_run_adds_nothing(places):
    """All rows are there."""
    runner.run(SPEC, places)
    assert runner.run(SPEC, places) == (10, 0)


def test_a_run_that_was_cut_goes_on_where_it_was(places):
    """Whatever rows are left, the missing ones come, and a half line is forgotten."""
    runner.run(SPEC, places)
    file = RowFile(places.rows, "tiny")
    lines = gzip.decompress(file.path.read_bytes()).splitlines(keepends=True)
    file.path.unlink()
    file.tail.write_bytes(b"".join(lines[:5]) + lines[6][:30])  # the first line describes the run
    assert runner.run(SPEC, places) == (4, 6)
    assert len({row.key for row in runner.stored_rows(SPEC, places.rows)}) == 10


def test_fewer_instances_may_be_asked_for_first(places):
    """The others come later, beside the same rows."""
    assert runner.run(SPEC, places, instances=1) == (0, 5)
    assert runner.run(SPEC, places) == (5, 5)


def test_regret_is_against_the_proved_optimum_of_the_instance(places):
    """The instance is the one that its seed draws; the optimum is kept, not computed again."""
    runner.run(SPEC, places)
    problem = nr.make_selection(6, 5, FIRST_SEED)
    optimum = nr.solve(problem, gap=0).worst_case
    rows = [row for row in runner.stored_rows(SPEC, places.rows) if row.seed == FIRST_SEED]
    assert {row.optimum for row in rows} == {optimum}
    assert {row.optimum_gap for row in rows} == {0.0}
    for row in rows:
        assert row.bound <= optimum <= row.solve_objective <= row.objective
        assert row.regret == pytest.approx(100 * (row.objective - optimum) / optimum)
        assert row.solve_regret <= row.regret_bound + 1e-9
    assert set(runner.stored_optima(places.rows)) == {("SEL-6-5", FIRST_SEED), ("SEL-6-5", FIRST_SEED + 1)}


def test_the_best_tie_is_what_listing_finds(places):
    """Of all decisions that are optimal for the kept scenarios, by brute force."""
    runner.run(SPEC, places)
    (row,) = [r for r in runner.stored_rows(SPEC, places.rows) if (r.seed, r.method, r.k) == (FIRST_SEED, "maxsum", 2)]
    problem = nr.make_selection(6, 5, FIRST_SEED)
    kept = nr.reducers.MaxSum().reduce(problem, 2).indices
    costs = []
    for bits in range(2**6):
        x = [(bits >> place) & 1 for place in range(6)]
        if sum(x) <= 3:
            found = nr.evaluate(problem, x)
            first = sum(c * chosen for c, chosen in zip(problem.first_stage_costs, x, strict=True))
            costs.append((first + max(found.recourse_costs[list(kept)]), found.worst_case))
    reduced = min(cost for cost, _ in costs)
    tied = [worst for cost, worst in costs if cost == reduced]
    assert row.bound == reduced
    assert row.regret_best_tie == pytest.approx(100 * (min(tied) / row.optimum - 1))
    assert row.regret_ties == pytest.approx(100 * (sum(tied) / len(tied) / row.optimum - 1))


def test_two_processes_measure_the_same(places, tmp_path):
    """Numbers do not depend on --jobs; seconds do."""
    runner.run(SPEC, places)
    two_jobs = Places.below(tmp_path / "two")
    runner.run(SPEC, two_jobs, workers=Workers(2))
    one, two = (
        {row.key: (row.objective, row.solve_objective, row.bound) for row in runner.stored_rows(SPEC, where.rows)}
        for where in (places, two_jobs)
    )
    assert one == two


def test_networks_trained_at_the_same_time_are_those_trained_one_after_the_other(places, tmp_path):
    """Labelled once, two at a time with two processes; the weights are the same bytes, and a second run trains none."""
    pytest.importorskip("torch")
    recipe = ScorerRecipe(TINY, 10, {"encoding": "sv", "regret_instances": 0, "patience": 60}).smaller()
    networks = {
        f"seed-{seed}": TrainedScorer(
            "", checkpoint=f"seed-{seed}", recipe=replace(recipe, options=recipe.options | {"seed": seed})
        )
        for seed in (0, 1)
    }
    spec = replace(SPEC, panels=(Panel(TINY, 1, tuple(networks), (1,)),))
    together = Places.below(tmp_path / "together")
    for where, jobs in ((places, 1), (together, 2)):
        runner.run(spec, where, workers=Workers(jobs), methods=networks)
    for name in networks:
        weights = Path(name) / "weights.safetensors"
        assert (places.checkpoints / weights).read_bytes() == (together.checkpoints / weights).read_bytes()
    assert len(list(together.labels.iterdir())) == 1
    assert runner.run(spec, together, methods=networks) == (2, 0)


def test_networks_are_made_again_without_measuring(places):
    """`run NAME --train`: the network and its card with that command; no rows, and nothing to do the second time."""
    pytest.importorskip("torch")
    recipe = ScorerRecipe(TINY, 10, {"encoding": "sv", "regret_instances": 0}).smaller()
    networks = {"mine": TrainedScorer("", checkpoint="made", recipe=recipe)}
    spec = replace(SPEC, panels=(Panel(TINY, 1, tuple(networks), (1,)),))
    assert runner.train(spec, places, methods=networks) == ["made"]
    card = (places.checkpoints / "made" / "card.md").read_text()
    assert "`python -m experiments run tiny --methods mine --train`" in card
    assert runner.train(spec, places, methods=networks) == []
    assert runner.stored_rows(spec, places.rows) == []


def test_some_methods_and_sets_may_be_asked_for(places):
    """Others are refused by name."""
    assert runner.run(SPEC, places, only=["maxsum"]) == (0, 4)
    with pytest.raises(nr.InputError, match="SEL-6-5"):
        runner.run(SPEC, places, sets=["SEL-7-5"])


def test_rows_of_other_code_are_mixed_only_when_told(places):
    """A commit that changed the package is another code."""
    runner.run(SPEC, places, instances=1)
    file = RowFile(places.rows, "tiny")
    rows = file.read()
    file.path.unlink()
    with file.appending({"run": "old", "tree": "old", "commit": "abc"}) as appender:
        for row in rows:
            appender.append({name: row[name] for name in row if name not in provenance()})
    with pytest.raises(nr.InputError, match=r"commit abc.*--mix"):
        runner.run(SPEC, places)
    assert runner.run(SPEC, places, mix=True) == (5, 5)


def test_rows_say_what_made_them(places):
    """Code, machine, engine and run."""
    runner.run(SPEC, places, instances=1)
    row = RowFile(places.rows, "tiny").read()[0]
    assert {"run", "commit", "tree", "clean", "machine", "solver", "began"} <= set(row)


def test_an_instance_that_is_not_closed_is_reported_with_its_gap(places):
    """It is never dropped."""
    hard = InstanceSet("VC-30-5", "vertex-cover", (30,), 5, exact_seconds=0.0)
    spec = replace(SPEC, panels=(Panel(hard, 1, ("exact", "maxsum"), (1,)),))
    runner.run(spec, places)
    rows = runner.stored_rows(spec, places.rows)
    assert rows[0].optimum_gap is None  # nothing is proved in no time
    assert "1 not closed" in table(spec, rows)


def test_a_reduced_problem_that_is_not_closed_in_time_counts_with_its_best_decision(places):
    """Its row has the gap that was left, and the table says how many there are."""
    hard = InstanceSet("VC-50-8", "vertex-cover", (50,), 8, exact_seconds=0.0, reduced_seconds=0.05)
    spec = replace(SPEC, panels=(Panel(hard, 1, ("maxsum",), (7,)),))
    runner.run(spec, places)
    rows = runner.stored_rows(spec, places.rows)
    assert rows[0].gap > METHODS["maxsum"].gap
    assert rows[0].objective is not None
    assert "1 of 1 reduced problems not closed in time" in table(spec, rows)


def test_infeasible_answers_are_counted_and_have_no_regret(places):
    """One random scenario of few rarely needs the capacity that all do."""
    cflp = InstanceSet("CFLP-4-4-12", "facility-location", (4, 4), 12)
    spec = replace(SPEC, panels=(Panel(cflp, 4, ("random",), (1,)),))
    runner.run(spec, places)
    rows = runner.stored_rows(spec, places.rows)
    assert any(row.infeasible for row in rows)
    assert all((row.regret is None) == row.infeasible for row in rows)
    assert " %" in table(spec, rows).splitlines()[-1]


def test_a_table_shows_the_papers_number_and_the_difference(places):
    """Ours, theirs, and the interval."""
    runner.run(SPEC, places)
    rows = runner.stored_rows(SPEC, places.rows)
    ours = mean(row.regret for row in rows if (row.method, row.k) == ("maxsum", 1))
    line = next(line for line in table(SPEC, rows).splitlines() if line.startswith("MaxSum"))
    assert line.replace("*", " ").split()[:5] == ["MaxSum", "1", "7.00", f"{ours:.2f}", f"{ours - 7:+.2f}"]


def test_an_ablation_shows_means_over_seeds_and_how_far_they_differ(places):
    """Two methods that stand for one network trained with two seeds; a variant that nobody measured is left out."""
    panel = Panel(
        TINY, 2, ("maxsum", "random"), (1,), {"maxsum": (7.0,)}, variants={"pooled": ("maxsum", "random"), "late": ()}
    )
    spec = replace(SPEC, panels=(panel,), view="ablation")
    runner.run(spec, places)
    rows = runner.stored_rows(spec, places.rows)
    means = [sum(row.regret for row in rows if row.method == method) / 2 for method in ("maxsum", "random")]
    lines = [line.replace("*", " ").split() for line in table(spec, rows).splitlines()]
    assert [line[0] for line in lines[3:]] == ["pooled"]
    assert lines[3][1:5] == ["1", "7.00", f"{mean(means):.2f}", f"{mean(means) - 7:+.2f}"]
    assert lines[3][7] == f"{stdev(means):.2f}"
    assert lines[3][-2:] == ["2", "2"]


def test_a_killed_command_goes_on(tmp_path):
    """SIGKILL in the middle of a run of the real command."""
    command = [sys.executable, "-m", "experiments", "run", "small", "--sets", "SEL-20-50", "--instances", "1"]
    command += ["--results", str(tmp_path), "--methods", "exact", "kmeans", "maxsum"]
    running = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    path = RowFile(tmp_path / "rows", "small").tail
    while running.poll() is None and not (path.exists() and path.stat().st_size > 0):
        try:
            running.wait(0.05)
        except subprocess.TimeoutExpired:
            continue
    running.kill()
    running.wait()
    before = len(runner.stored_rows(replace(SPEC, name="small"), tmp_path / "rows"))
    assert before >= 1
    done = subprocess.run([*command, "--json"], cwd=ROOT, capture_output=True, text=True, check=True)
    answer = json.loads(done.stdout)
    assert answer["before"] == before
    assert before + answer["added"] == 1 + 4 * 2
