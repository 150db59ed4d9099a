"""The package's experiments: all of them run, their tables say what rows say, and pages are written from rows."""

import importlib.util
import json
import re
from pathlib import Path

import numpy as np
import pytest

from docs import artifacts
from experiments.check import check
from experiments.commands import main
from experiments.instances.readings import DRAWN, FIRST_STAGE, Reading
from experiments.instances.sets import FIRST_SEED, SETS
from experiments.methods import METHODS
from experiments.methods.recipes import KEPT_LABELS, LABEL_SEED, ScorerRecipe
from experiments.places import KEPT_FOLDER, Places, default_places
from experiments.runner import stored_rows
from experiments.specs import SPECS, all_specs
from experiments.views.figures import figure
from experiments.views.page import results_page
from experiments.views.statistics import mean_of, ratio_of, share_of
from experiments.views.tables import table
from neurprise.training.labels import LabelConfig, read_labels

ROOT = Path(__file__).parents[2]
ROWS = default_places().rows
PAPER = ROOT.parent / "shared" / "paper.tex"


def test_every_experiment_runs_end_to_end_at_smoke_size(tmp_path):
    """`python -m experiments check`: measure, go on with nothing to do, print, draw; so no command can rot."""
    if importlib.util.find_spec("torch") is None:
        pytest.skip("training experiments need PyTorch")
    counts = dict(check(tmp_path))
    assert set(counts) == set(all_specs())
    assert [name for name, rows in counts.items() if rows == 0] in ([], ["page"])  # pages need a browser


def test_every_panel_names_methods_that_exist():
    """And has a number of the paper for methods that it lists only."""
    for spec in SPECS.values():
        for panel in spec.panels:
            assert set(panel.methods) <= set(METHODS)
            assert set(panel.paper) - {"mean", "deviation"} <= set(panel.methods)


def test_networks_of_equal_recipes_are_trained_once():
    """The unchanged variant of an ablation is the network of the seeds, or the one that ships."""
    assert METHODS["vertex-cover-swkl-2"].checkpoint == METHODS["vertex-cover-pooled-2"].checkpoint
    assert METHODS["vertex-cover-swkl-2"].checkpoint == "vertex-cover-seed-2"
    assert METHODS["selection-labels-2500"].checkpoint is None
    assert METHODS["vertex-cover-bce-2"].checkpoint == "vertex-cover-bce-2"


@pytest.mark.parametrize(("key", "folder"), KEPT_LABELS.items())
def test_kept_labels_are_those_that_the_recipe_would_make(key, folder):
    """Same instances, same number, as many steps; so whoever trains again labels nothing."""
    name, count, steps = key
    kept, drawn = read_labels(KEPT_FOLDER / folder), SETS[name]
    assert (len(kept), kept.config.seed, kept.config.budget) == (count, LABEL_SEED, steps)
    made = LabelConfig(drawn.family, drawn.size, drawn.scenarios, LABEL_SEED, distribution=drawn.distribution)
    for index in (0, count - 1):
        same, other = kept.config.problem(index), made.problem(index)
        assert np.array_equal(same.scenario_data, other.scenario_data)
    assert ScorerRecipe(drawn, count, steps=steps).folder(Path("elsewhere")) == KEPT_FOLDER / folder
    assert ScorerRecipe(drawn, count, steps=steps + 1).folder(Path("elsewhere")).parent == Path("elsewhere")


def test_a_set_without_rows_is_named_in_its_table():
    """A panel that nobody measured is not passed over."""
    spec = SPECS["normal"]
    rows = [row for row in stored_rows(spec, ROWS) if row.instances == "SEL-20-50-normal"]
    assert "VC-20-50-normal: no instance yet; measure with: python -m experiments run normal" in table(spec, rows)


def test_the_papers_numbers_stand_in_the_paper():
    """Each number of a spec occurs in the source of the paper."""
    if not PAPER.exists():
        pytest.skip("the paper's source (../shared) is not here")
    printed = set(re.findall(r"\d+\.\d+", PAPER.read_text().replace("{,}", "")))
    for spec in SPECS.values():
        for panel in spec.panels:
            numbers = [value for row in panel.paper.values() for value in row if value is not None]
            assert [v for v in numbers if not {f"{v:.2f}", f"{v:.1f}", f"{v:.0f}"} & printed] == []


def test_the_page_of_all_results_shows_every_experiment():
    """Its tables, and the figures that the repository holds."""
    page = results_page(ROWS)
    assert [name for name in SPECS if f"$ python -m experiments table {name}\n" not in page] == []
    figures = re.findall(r"\(figures/(.*?)\)", page)
    assert figures
    assert all((ROOT / "docs" / "figures" / name).exists() for name in figures)


def test_the_summary_page_names_every_experiment():
    """docs/results.md; `docs.check` compares its table with the rows."""
    page = (ROOT / "docs" / "results.md").read_text()
    assert [name for name in SPECS if f"`{name}`" not in page and f"table {name}\n" not in page] == []


@pytest.mark.parametrize(
    "card", sorted((ROOT / "neurprise" / "checkpoints").glob("*/card.md")), ids=lambda p: p.parent.name
)
def test_the_card_of_a_network_shows_what_the_committed_rows_say(card, capsys):
    """Of those that ship for a family; after new rows its block is what its command prints."""
    shown = re.search(r"^\$ python -m experiments (table .*)\n((?:.*\n)*?)```", card.read_text(), re.M)
    if shown is None:
        assert card.parent.name == "universal"
        return
    assert main(shown[1].split()) == 0
    assert capsys.readouterr().out == shown[2]


def test_committed_figures_are_what_the_committed_rows_draw():
    """To a thousandth of a point, as processors round; other versions of matplotlib may draw otherwise."""
    matplotlib = pytest.importorskip("matplotlib")
    if f"matplotlib=={matplotlib.__version__}" not in (ROOT / "constraints.txt").read_text():
        pytest.skip("another version of matplotlib")
    for path in sorted((ROOT / "docs" / "figures").glob("*.svg")):
        spec = SPECS[path.stem]
        kept, drawn = (_drawing(text) for text in (path.read_text(), figure(spec, stored_rows(spec, ROWS))))
        assert kept[0] == drawn[0], path.name
        assert kept[1] == pytest.approx(drawn[1], abs=1e-3), path.name


def _drawing(svg: str) -> tuple[str, list[float]]:
    """Its text without coordinates and the names that matplotlib hashes from them, and the coordinates."""
    named = re.sub(r"\b[a-z][0-9a-f]{10}\b", "name", svg)
    coordinate = r"-?\d+\.\d+"
    return re.sub(coordinate, "0.0", named), [float(number) for number in re.findall(coordinate, named)]


def test_files_that_a_command_made_are_listed_with_their_hash():
    """After new networks or labels: python -m docs.artifacts --write."""
    assert artifacts.PAGE.read_text() == artifacts.page()


def test_an_interval_holds_the_true_mean_about_as_often_as_it_says():
    """200 samples of 40 exponential draws: a 95 % bootstrap interval covers in about 93 % of them."""
    rng = np.random.default_rng(0)
    intervals = [mean_of(rng.exponential(1.0, 40).tolist()) for _ in range(200)]
    covered = sum(one.low <= 1.0 <= one.high for one in intervals)
    assert 175 <= covered <= 199


def test_an_interval_is_the_same_every_time():
    """Resampling is seeded."""
    assert mean_of([1.0, 2.0, None, 5.0]) == mean_of([1.0, 2.0, None, 5.0])
    assert mean_of([None]) is None


def test_a_ratio_is_resampled_by_instance():
    """Instances that all take three times as long leave no doubt, whatever they take; an outlier widens it."""
    sure = ratio_of([3.0, 30.0, 300.0], [1.0, 10.0, 100.0])
    assert (sure.value, sure.low, sure.high) == pytest.approx((3.0, 3.0, 3.0))
    doubtful = ratio_of([3.0, 3.0, 300.0], [1.0, 1.0, 10.0])
    assert doubtful.low < doubtful.value < doubtful.high


@pytest.mark.parametrize("name", [name for name, spec in SPECS.items() if spec.source and name != "summary"])
def test_every_table_of_the_paper_has_its_numbers_ours_the_difference_and_an_interval(name):
    """So that nobody need compare two pages."""
    shown = table(SPECS[name], stored_rows(SPECS[name], ROWS))
    assert all(word in shown for word in ("paper", "ours", "diff", "95 % interval"))


def test_a_share_of_nothing_still_has_a_width():
    """0 of 3 does not prove that it never happens: Wilson's interval ends at 56 %."""
    none = share_of(0, 3)
    assert (none.value, none.low) == pytest.approx((0.0, 0.0))
    assert none.high == pytest.approx(56.15, abs=0.01)


def test_a_page_without_rows_lists_the_commands(tmp_path):
    """Nothing is hidden: what is not measured yet stands there with its command."""
    page = results_page(Places.below(tmp_path).rows)
    assert all(f"python -m experiments run {name}`" in page or spec.rows_of for name, spec in SPECS.items())


def test_everything_is_listed(capsys):
    """The paper's tables, measurements of speed, and judges."""
    assert main(["list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert "small" in listed["experiments"]
    assert "exact" in listed["measurements"]
    assert "crosscheck" in listed["judges"]


def test_an_unknown_experiment_is_refused(capsys):
    """The sentence names what was meant."""
    assert main(["run", "smal"]) == 2
    assert "did you mean 'small'?" in capsys.readouterr().err


def test_the_command_line_writes_a_page(tmp_path, capsys):
    """With -o, anywhere."""
    assert main(["table", "--all", "-o", str(tmp_path / "page.md"), "--results", str(tmp_path)]) == 0
    assert "# All results" in (tmp_path / "page.md").read_text()
    capsys.readouterr()
    assert main(["table"]) == 2
    assert "--all" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["SEL-20-50-normal", "VC-20-50-multimodal"])
def test_the_chosen_reading_is_what_the_library_draws(name):
    """One of the readings that the experiment compares; the others differ from it."""
    base = SETS[name]
    ours, readings = (
        base.problem(FIRST_SEED),
        [Reading(base, c, d) for d in DRAWN[base.distribution] for c in FIRST_STAGE],
    )
    same = [one.name for one in readings if one.problem(FIRST_SEED) == ours]
    chosen = "c centre, means per size" if base.distribution == "normal" else "c 25..75, deviation per mode"
    assert same == [f"{name}: {chosen}"]
