"""Measurements of speed are specs of the same runner; ratios compare what may be compared, and verdicts are true."""

import subprocess
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import neurprise as nr
from experiments import runner
from experiments.baselines import earlier_version, file_probe
from experiments.commands import main
from experiments.instances.published import disrupted_sites, linear_problem, tiny_problem
from experiments.instances.sets import FIRST_SEED, InstanceSet, Made
from experiments.judges import JUDGES, record
from experiments.measurements import choosing, published, refine, versions, workers
from experiments.methods import METHODS
from experiments.methods.base import Task
from experiments.optima import Optimum
from experiments.outcomes import Outcome
from experiments.places import ROOT, Places
from experiments.row import Row
from experiments.spec import Panel, Spec
from experiments.specs import MEASUREMENTS, SPECS, all_specs, get_spec
from experiments.views.tables import table

TINY = Made("tiny", tiny_problem, tiny_problem)
TWO_WAYS = ("extensive-form", "solve-minute")


def spec_of(*names, view="speed"):
    """Two searches, a minute each, on sets of these names."""
    panels = (Panel(replace(TINY, name=name), 3, TWO_WAYS, (), baseline="extensive-form") for name in names)
    return Spec("beside", "", tuple(panels), view=view)


def searched(name, method, seconds, value=10.0, bound=10.0, seed=FIRST_SEED, **changed):
    """The row of a search that attained a value and proved a bound."""
    outcome = Outcome(None, 3, value, bound, value, bound, 0.0, seconds, 0.0, seconds, **changed)
    return Row.of("beside", method, outcome, Optimum.unknown(name, seed), 1e-4)


def timed(method, seconds, seed=FIRST_SEED, commit="abc", **changed):
    row = Row.of("beside", method, Outcome.timed(seconds, **changed), Optimum.unknown("one", seed), 0.0)
    return replace(row, commit=commit)


def line_of(text, title):
    (line,) = (line.split() for line in text.splitlines() if title in line and "speed-up" not in line)
    return line


def test_every_measurement_is_listed_and_found():
    """Beside the experiments, which ship without them; no two have one name."""
    assert {"exact", "prise", "labels", "inference", "scaling", "refine", "published"} <= set(MEASUREMENTS)
    assert not set(MEASUREMENTS) & (set(SPECS) | set(JUDGES))
    assert get_spec("exact") is MEASUREMENTS["exact"]
    assert set(all_specs()) == set(SPECS) | set(MEASUREMENTS)


def test_a_measurement_names_methods_that_exist_and_a_baseline_among_them():
    """Otherwise a ratio would silently be missing."""
    for spec in MEASUREMENTS.values():
        for panel in spec.panels:
            assert set(panel.methods) <= set(METHODS)
            assert panel.baseline == "" or panel.baseline in panel.methods


def test_a_ratio_is_the_geometric_mean_over_the_same_instances():
    """Speed-ups of 2 and 8 make 4. An instance that only one method was measured on does not count."""
    rows = [timed("extensive-form", 2.0), timed("solve-minute", 1.0)]
    rows += [timed("extensive-form", 8.0, FIRST_SEED + 1), timed("solve-minute", 1.0, FIRST_SEED + 1)]
    rows += [timed("extensive-form", 1000.0, FIRST_SEED + 2)]
    assert "4" in line_of(table(spec_of("one"), rows), "nr.solve")


def test_rows_of_different_code_are_not_compared():
    """A ratio is of one version."""
    rows = [timed("extensive-form", 2.0, commit="old"), timed("solve-minute", 1.0, commit="new")]
    text = table(spec_of("one"), rows)
    assert "code of old, new" in text
    assert "speed-up" not in text


def test_a_baseline_that_its_limit_ended_gives_a_lower_bound_of_the_ratio():
    """It would have taken longer; a method that did not come to its end has no ratio."""
    text = table(
        spec_of("a", "b"),
        [
            *(searched("a", "extensive-form", 60.0, 12.0), searched("a", "solve-minute", 2.0)),
            *(searched("b", "extensive-form", 60.0), searched("b", "solve-minute", 60.0, 11.0)),
        ],
    )
    ours = [line for line in text.splitlines() if "nr.solve" in line]
    assert "> 30" in ours[0]
    assert "> " not in ours[1]


def test_choices_are_compared_with_those_of_the_baseline():
    """Order counts: a trace is a trace."""
    rows = [timed("extensive-form", 2.0, chosen=(3, 1)), timed("solve-minute", 1.0, chosen=(1, 3))]
    assert "0 of 1" in table(spec_of("one"), rows)
    rows[1] = timed("solve-minute", 1.0, chosen=(3, 1))
    assert "1 of 1" in table(spec_of("one"), rows)


def test_further_numbers_are_shown_by_their_names():
    """Means over the instances that have them."""
    rows = [timed("extensive-form", 1.0, measured={"kB": 3.0}), timed("solve-minute", 1.0)]
    rows.append(timed("extensive-form", 1.0, FIRST_SEED + 1, measured={"kB": 5.0}))
    text = table(spec_of("one"), rows)
    assert text.splitlines()[1].split()[-1] == "kB"
    assert line_of(text, "extensive form")[-1] == "4"


def test_the_verdict_names_who_is_behind():
    """A larger gap, or no decision, where the extensive form has one; and the latest end."""
    inf = float("inf")
    text = table(
        spec_of("a", "b", "c", view="limits"),
        [
            *(searched("a", "solve-minute", 60.0, 10.0, 8.0), searched("a", "extensive-form", 60.0, 9.0, 8.0)),
            searched("b", "solve-minute", 60.0, 8.5, 8.0, measured={"over s": 0.25}),
            searched("b", "extensive-form", 60.0, 9.0, 8.0),
            *(searched("c", "solve-minute", 60.0, inf, 8.0), searched("c", "extensive-form", 60.0, 9.0, 8.0)),
        ],
    )
    assert text.splitlines()[-1] == (
        "nr.solve: no decision: c; larger gap than extensive form: a, c; at most 0.25 s over its limit (b)"
    )


def test_rows_keep_choices_and_further_numbers(tmp_path):
    """As they were, through the file."""
    row = timed("solve-minute", 1.5, k=2, chosen=(4, 0), measured={"kB": 2.25})
    again = Row.from_dict(row.to_dict())
    assert again == row
    assert (again.objective, again.regret, again.infeasible) == (None, None, False)


def test_nobody_solves_for_optima_that_are_not_asked_for(tmp_path):
    """Sets without a time for them leave the file of optima alone."""
    spec, places = spec_of("one"), Places.below(tmp_path)
    assert runner.run(spec, places, instances=1) == (0, 2)
    assert runner.run(spec, places, instances=1) == (2, 0)
    assert not (places.rows / runner.OPTIMA).exists()
    assert {row.regret for row in runner.stored_rows(spec, places.rows)} == {None}


@pytest.mark.parametrize(
    "problem",
    [linear_problem(3, num_first_stage=4, num_recourse=4), disrupted_sites(3, 2, 1), nr.make_selection(6, 4, 1)],
    ids=lambda problem: problem.family or "no family",
)
def test_search_and_extensive_form_agree(problem):
    """Both close, and attain the same."""
    found = [METHODS[name].search(problem, 10.0) for name in TWO_WAYS]
    assert found[0] == pytest.approx(found[1], rel=1e-3)


def test_a_maximisation_is_measured_in_costs(tmp_path):
    """So that gaps of both ways have one sign."""
    path = tmp_path / "kitchen.lp"
    path.write_text("Maximize\n obj: 2 x + y\nSubject To\n cap: x + y <= 4\n most: y <= 3\nBounds\n x <= 2\nEnd\n")
    plan = 'model = "kitchen.lp"\nfirst_stage = ["x"]\nscenarios = "demand.csv"\n[columns]\ncap = { rhs = "cap" }\n'
    (tmp_path / "plan.toml").write_text(plan)
    (tmp_path / "demand.csv").write_text("cap\n4\n3\n")
    problem = nr.read(tmp_path / "plan.toml")
    assert problem.maximize
    assert published.as_it_comes(problem, 5.0) == pytest.approx(METHODS["solve-minute"].search(problem, 5.0))


def test_a_file_that_is_not_here_is_named(monkeypatch):
    """With what to do instead."""
    monkeypatch.setattr("experiments.instances.published.FOLDER", Path("nowhere"))
    with pytest.raises(nr.InputError, match=r"farmer must be in nowhere.*--sets"):
        MEASUREMENTS["published"].only(["farmer"]).panels[0].instances.problem(FIRST_SEED)


def test_a_method_that_cannot_run_here_is_refused_before_anything_is_measured(tmp_path):
    """The sentence says what is missing, and the others can still be asked for."""
    spec = versions.since("0000000")
    with pytest.raises(
        nr.InputError, match=r"exact-at-0000000 cannot be measured here: git knows no commit.*--methods"
    ):
        runner.run(spec, Places.below(tmp_path), sets=["SEL-20-50", "SEL-50-100"])


def test_any_commit_can_be_compared_with():
    """`python -m experiments run versions@COMMIT`."""
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    commit = head.stdout.strip()[:7]
    if earlier_version.missing(commit) is not None:
        pytest.skip("no git here")
    assert get_spec(f"versions@{commit}").panels[0].baseline == f"exact-at-{commit}"
    tiny = InstanceSet("SEL-6-5", "selection", (6,), 5)
    problem = tiny.problem(FIRST_SEED)
    then = versions.Version("then", commit=commit)
    (outcome,) = then.outcomes(Task(problem, (), FIRST_SEED, Optimum.unknown("SEL-6-5", FIRST_SEED), Path()))
    assert outcome.solve_objective == pytest.approx(nr.solve(problem).worst_case)
    assert outcome.seconds_solve > 0


def test_choosing_is_timed_on_a_problem_that_nobody_has_seen():
    """Families keep what they found out; the engine-only way finds the same trace."""
    drawn = InstanceSet("VC-8-6", "vertex-cover", (8,), 6)
    task = Task(drawn.problem(1), (3,), 1, Optimum.unknown("VC-8-6", 1), Path(), None, drawn)
    assert task.drawn() == task.problem
    assert task.drawn() is not task.problem
    ways = ("algorithm-1", "prise-alone", "prise-by-engine")
    found = [next(iter(choosing.METHODS[name].outcomes(task))) for name in ways]
    assert found[0].chosen == found[1].chosen == found[2].chosen


def test_a_search_to_a_gap_ends_when_it_is_proved():
    """From nothing, from a network's choice, and from the right one."""
    problem = nr.make_vertex_cover(10, 8, 3)
    task = Task(problem, (), 0, Optimum.unknown("VC", 0), Path())
    for name in ("plain-to-1", "refined-to-1", "given-to-1", "told-to-1"):
        (outcome,) = refine.METHODS[name].outcomes(task)
        assert outcome.solve_objective <= 1.0101 * outcome.solve_bound


def test_two_workers_label_as_many_as_one():
    """Rates are of the same labels."""
    drawn = InstanceSet("SEL-5-4", "selection", (5,), 4)
    task = Task(drawn.problem(1), (), 1, Optimum.unknown("SEL-5-4", 1), Path(), None, drawn)
    (outcome,) = replace(workers.METHODS["label-by-one"], count=3).outcomes(task)
    assert outcome.measured["labels"] == 3
    assert outcome.measured["a minute"] == pytest.approx(2 * 60 / outcome.seconds_solve)


def test_parts_of_a_table_can_be_asked_for(tmp_path, capsys):
    """The same words as of `run`."""
    asked = ["run", "published", "--sets", "disruptions-10-20-2", "--results", str(tmp_path)]
    spec = replace(MEASUREMENTS["published"], panels=tuple(p.smaller() for p in MEASUREMENTS["published"].panels[:2]))
    runner.run(spec, Places.below(tmp_path))
    assert main(["table", "published", "--sets", "LandS", *asked[-2:]]) == 0
    shown = capsys.readouterr().out
    assert "LandS" in shown
    assert "baa99" not in shown
    assert main(["table", "published", "--sets", "nowhere", *asked[-2:]]) == 2
    assert "LandS" in capsys.readouterr().err


def test_the_table_of_a_check_is_that_of_its_last_run(tmp_path, capsys, monkeypatch):
    """Under the command and the commit that made it."""
    monkeypatch.setattr("experiments.judges.record.ROWS", Places.below(tmp_path).rows)
    monkeypatch.setattr("sys.argv", ["experiments", "run", "fuzz", "--count", "2"])
    monkeypatch.setattr(
        "experiments.judges.record.provenance", lambda: {"run": "first", "commit": "abc", "began": "2026-01-01"}
    )
    record.save("fuzz", [{"format": "dat", "crashes": 3}])
    made_by = {"commit": "def", "began": "2026-01-02T10:00:00"}
    monkeypatch.setattr("experiments.judges.record.provenance", lambda: {**made_by, "run": "second"})
    record.save("fuzz", [{"format": "dat", "crashes": 0}, {"format": "npz", "crashes": 0}])
    assert main(["table", "fuzz", "--results", str(tmp_path)]) == 0
    command, columns, _, *rows = capsys.readouterr().out.splitlines()
    assert command == "run of 2026-01-02, code of def: python -m experiments run fuzz --count 2"
    assert columns.split() == ["format", "crashes"]
    assert [row.split() for row in rows] == [["dat", "0"], ["npz", "0"]]


def test_classes_are_averaged_over_instances_that_every_method_was_measured_on():
    """A class counts once, however many instances it has; an answer without recourse stands in brackets."""
    spec = Spec("beside", "", (Panel(TINY, 2, ("maxsum", "random"), (2,)),), view="classes")

    def row(method, seed, value):
        outcome = Outcome(2, 2, value, 9.0, value, 9.0, 0.1, 0.0, 0.0, 0.1)
        return Row.of("beside", method, outcome, Optimum("tiny", seed, 10.0, 10.0, 0.0, "optimal", 0.0, 1), 1e-4)

    rows = [row("maxsum", 1, 11.0), row("random", 1, float("inf")), row("maxsum", 2, 99.0)]
    (line,) = (line.split() for line in table(spec, rows).splitlines() if line.startswith("tiny"))
    assert line == ["tiny", "1", "10.00", "-", "(1)"]


def test_customers_are_never_assigned_to_failed_sites():
    """With every site open."""
    everywhere = nr.evaluate(disrupted_sites(4, 3, 2), np.ones(4))
    for scenario, failing in enumerate(combinations(range(4), 2)):
        assigned = np.array(list(everywhere.recourse(scenario).values()))[:12].reshape(4, 3)
        assert assigned[list(failing)].sum() == 0
        assert assigned.sum() > 0


def test_files_that_a_call_passes_are_counted():
    """Those of the package whose functions run; reading a problem is not part of its solve."""
    found = file_probe.files_passed(lambda: nr.evaluate(nr.make_selection(4, 3, 1), np.zeros(4)))
    assert "recourse/evaluator.py" in found
    assert not any(name.startswith(("search/", "numpy")) for name in found)
