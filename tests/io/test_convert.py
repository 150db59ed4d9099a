"""Problems go from any format to any other that can hold them, and other tools read what is written."""

import json
import re
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings

import neurprise as nr
from experiments.judges.model_files import readers
from experiments.judges.model_files.drawing import draw_model
from neurprise.cli import main
from neurprise.io.mps_writer import mps_text
from tests.instances import FAMILIES, from_letters, random_letters, seeds

DATA = Path(__file__).parents[3] / "shared" / "data" / "smps"
#: What `problem.write` takes as a path, for every format that holds general problems.
TARGETS = ("case.npz", "case.cor", "case.smps", "case.toml", "case")


def shop(**changes):
    """A maximisation with a constant, a range, an equation, a free, a fixed and integer variables."""
    letters = {
        "c": [-2.0, -3.0, -0.5],
        "A": [[1.0, 1.0, 1.0]],
        "d": [1.0],
        "d_upper": [9.0],
        "G": [[1.0, 0.0, -1.0], [1.0, 1.0, 0.0], [0.0, 1.0, 1.0]],
        "h": [0.0, -np.inf, 0.5],
        "h_upper": [0.0, 12.0, np.inf],
        "E": [[-1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0]],
        "M": [[-1.0], [1.0], [0.0]],
        "xi": [[1.0], [2.5], [4.0]],
        "b": [[5.0, 4.0, 0.0], [6.0, 4.0, -1.0], [5.5, 4.0, 0.25]],
        "x_integer": [True, True, False],
        "y_integer": [False, True, False],
        "x_lower": [0.0, -2.0, 0.5],
        "x_upper": [7.0, np.inf, 0.5],
        "y_lower": [0.0, 0.0, -np.inf],
        "y_upper": [10.0, 4.0, np.inf],
        "x_names": ["rolls", "loaves", "rent"],
        "y_names": ["sell", "cake", "stock"],
        "scenario_names": ["dry", "wet", "average"],
        "probabilities": [0.25, 0.25, 0.5],
        "offset": 100.25,
        "maximize": True,
    }
    return nr.TwoStageProblem.from_matrices(**letters | changes)


class TestRoundTrips:
    """Writing and reading changes neither numbers nor names."""

    @pytest.mark.parametrize("target", TARGETS)
    def test_every_format_keeps_a_problem_with_everything(self, tmp_path, target):
        """And gives the same answer."""
        shop().write(tmp_path / "first.smps")
        problem = nr.read(tmp_path / "first.cor")  # what no scenario changes is no longer among its changes
        problem.write(tmp_path / target)
        again = nr.read(tmp_path / target)
        assert again == problem
        assert again.scenario_names == shop().scenario_names
        assert nr.solve(again).worst_case == pytest.approx(nr.solve(shop()).worst_case)

    @pytest.mark.parametrize("target", TARGETS)
    @pytest.mark.parametrize("kind", FAMILIES)
    def test_families_become_general_problems_of_the_same_value(self, tmp_path, target, kind):
        """Their names become names of the model."""
        problem = FAMILIES[kind](7)
        problem.write(tmp_path / target)
        again = nr.read(tmp_path / target)
        assert again.first_stage_names == problem.first_stage_names
        assert again.recourse_names == problem.recourse_names
        assert nr.solve(again).worst_case == pytest.approx(nr.solve(problem).worst_case)

    @settings(max_examples=12, deadline=None)
    @given(seeds)
    def test_random_problems_survive_every_format_in_turn(self, tmp_path_factory, seed):
        """What was written once is written and read again without any change, names and numbers."""
        folder, problem = tmp_path_factory.mktemp("files"), from_letters(random_letters(seed, complete=True))
        problem.write(folder / "first.cor")
        first = nr.read(folder / "first.cor")
        for target in TARGETS:
            first.write(folder / target)
            assert nr.read(folder / target) == first
        x = nr.solve(first).x
        np.testing.assert_allclose(*(nr.evaluate(p, x).worst_case for p in (problem, first)), rtol=1e-7, atol=1e-7)

    @pytest.mark.skipif(not DATA.is_dir(), reason="the shared instances are not here")
    @pytest.mark.parametrize("name", ["LandS", "farmer", "sizes3", "sizes5", "drdcap_233_10_20", "baa99"])
    def test_published_instances_come_back_equal(self, tmp_path, name):
        """So that their published values hold for what was written as well."""
        problem = nr.read(next(path for path in sorted((DATA / name).iterdir()) if path.suffix.lower() == ".cor"))
        for target in ("again.cor", "again.toml", "again"):
            problem.write(tmp_path / target)
            assert nr.read(tmp_path / target) == problem


class TestOtherReaders:
    """Second judges of what is written."""

    @pytest.mark.parametrize("seed", range(40))
    def test_engines_read_the_models_as_they_are(self, tmp_path, seed):
        """HiGHS, SCIP and Gurobi; odd names are refused here, or by an engine."""
        model, path = draw_model(seed), tmp_path / "model.mps"
        try:
            path.write_text(mps_text(model), encoding="utf-8")
        except nr.InputError as refusal:
            assert "names of one word" in str(refusal)  # noqa: PT017
            return
        judges = {"highspy": readers.read_with_highs, "pyscipopt": readers.read_with_scip}
        for package, read in {**judges, "gurobipy": readers.read_with_gurobi}.items():
            pytest.importorskip(package)
            found = read(path)
            assert found is not None
            assert not readers.difference(readers.canonical(model), readers.canonical(found), path.read_text())

    @pytest.mark.parametrize(
        "target, changes", [("models", {}), ("models/case.cor", {"b": [5.0, 4.0, 0.25]})], ids=["folder", "SMPS"]
    )
    def test_mpi_sppy_reads_folders_and_smps(self, tmp_path, target, changes):
        """
        Each scenario costs the same by its reader and ours, and has the same first stage.

        Its readers lose constants, refuse rows with two limits and, in SMPS, random costs.
        """
        pytest.importorskip("mip", reason="mpi-sppy reads MPS files through python-mip")
        module = pytest.importorskip(f"mpisppy.problem_io.{'smps' if '.' in target else 'mps'}_module")
        days = ["day0", "day1", "day2"]
        problem = shop(offset=0.0, d_upper=None, A=None, d=None, scenario_names=days, **changes)
        (tmp_path / "models").mkdir(exist_ok=True)
        problem.write(tmp_path / target)
        cfg = SimpleNamespace()
        cfg.mps_files_directory = cfg.smps_dir = str(tmp_path / "models")
        kwargs = module.kw_creator(cfg)
        assert list(module.scenario_names_creator(None)) == list(problem.scenario_names)
        theirs = nr.from_pyomo(module.scenario_creator, problem.scenario_names, scenario_creator_kwargs=kwargs)
        assert theirs.x_names == problem.x_names
        np.testing.assert_allclose(theirs.probabilities, problem.probabilities)
        assert nr.solve(theirs).worst_case == pytest.approx(nr.solve(problem).worst_case)
        for s in range(3):
            assert nr.solve(theirs.restrict([s])).worst_case == pytest.approx(
                nr.solve(problem.restrict([s])).worst_case
            )

    def test_mpi_sppy_finds_variables_by_names_with_brackets(self, tmp_path):
        """They stand in quotes, which Pyomo takes off."""
        pytest.importorskip("mip", reason="mpi-sppy reads MPS files through python-mip")
        module = pytest.importorskip("mpisppy.problem_io.mps_module")
        problem = FAMILIES["selection"](3)
        problem.write(tmp_path / "models")
        cfg = SimpleNamespace()
        cfg.mps_files_directory = str(tmp_path / "models")
        model = module.scenario_creator("0", cfg=cfg)
        names = [variable.name for variable in model._mpisppy_node_list[0].nonant_vardata_list]
        assert [name.replace("'", "") for name in names] == list(problem.first_stage_names)


class TestWhatDoesNotFit:
    """Each refusal has a sentence, and nothing is written."""

    @pytest.mark.parametrize(
        ("target", "change", "sentence"),
        [
            ("case.cor", {"x_names": ["a b", "c", "d"]}, "names of one word .* got the variable 'a b'; rename it"),
            ("case", {"y_names": ["$a", "c", "d"]}, "got the variable '.a'"),
            ("case.toml", {"y_row_names": ["it's", "b", "c"]}, 'got the row "it'),
            ("case.cor", {"scenario_names": ["dry year", "b", "c"]}, "got the scenario 'dry year'"),
            ("case", {"scenario_names": ["a/b", "b", "c"]}, "'a/b' cannot be the name of one"),
            ("case", {"scenario_names": ["Wet", "wet", "c"]}, "some systems take 'Wet' and 'wet' for one file"),
            ("case.cor", {"x_names": ["sell", "c", "d"]}, "both stages have 'sell'; rename one"),
            ("case.dat", {}, "hold selection problems only"),
        ],
    )
    def test_names_and_problems_that_a_format_cannot_hold(self, tmp_path, target, change, sentence):
        """With the remedy."""
        with pytest.raises(nr.InputError, match=sentence):
            shop().with_labels(**change).write(tmp_path / target)
        assert not list(tmp_path.iterdir())

    @pytest.mark.parametrize("target", ["case.cor", "case.toml"])
    def test_rows_whose_limits_move_differently(self, tmp_path, target):
        """One right-hand side a row cannot say that."""
        problem = shop(h=[-5.0, -np.inf, 0.5])
        changes = {kind: change for kind, change in problem.changes.items() if kind != "row_upper"}
        odd = nr.TwoStageProblem(**problem.general_form() | {"changes": changes})
        with pytest.raises(nr.InputError, match=r"move the two limits of .* differently; split the row"):
            odd.write(tmp_path / target)
        odd.write(tmp_path / "case")
        assert nr.solve(nr.read(tmp_path / "case")).worst_case == pytest.approx(nr.solve(odd).worst_case)

    def test_a_folder_with_other_files_is_left_alone(self, tmp_path):
        """They would be read as scenarios; writing the same problem again is no harm."""
        shop().write(tmp_path / "case")
        shop().write(tmp_path / "case")
        with pytest.raises(nr.InputError, match="the folder 'case' holds other files"):
            shop().restrict([0]).write(tmp_path / "case")
        (tmp_path / "plain").write_text("")
        with pytest.raises(nr.InputError, match="cannot take the place of the file 'plain'"):
            shop().write(tmp_path / "plain")


def test_folders_that_mpi_sppy_writes_are_read(tmp_path):
    """By its own extension, with the names that Pyomo gives to LP files."""
    pyo = pytest.importorskip("pyomo.environ", reason="Pyomo is not installed")
    extension = pytest.importorskip("mpisppy.extensions.scenario_lp_mps_files")
    sputils = pytest.importorskip("mpisppy.utils.sputils")

    def bakery(name):
        model = pyo.ConcreteModel(name)
        model.bake = pyo.Var(["rye", "white"], within=pyo.NonNegativeIntegers, bounds=(0, 100))
        model.short, model.left = pyo.Var(bounds=(0, None)), pyo.Var(bounds=(0, None))
        model.balance = pyo.Constraint(
            expr=pyo.quicksum(model.bake.values()) + model.short - model.left == 30 + int(name[-1]) * 40
        )
        now = model.bake["rye"] + 2 * model.bake["white"]
        model.cost = pyo.Objective(expr=now + 4 * model.short + 0.5 * model.left + 7)
        sputils.attach_root_node(model, now, [model.bake])
        model._mpisppy_probability = 0.5
        return model

    names = ["day0", "day1"]
    options = {"write_scenario_lp_mps_files_dir": str(tmp_path / "days"), "cfg": SimpleNamespace(default_rho=1)}
    ph = SimpleNamespace(
        options={"write_lp_mps_extension_options": options},
        local_scenarios={name: bakery(name) for name in names},
        all_nodenames=["ROOT"],
    )
    extension.Scenario_lp_mps_files(ph).pre_iter0()
    problem, expected = nr.read(tmp_path / "days"), nr.from_pyomo(bakery, names)
    assert problem.first_stage_names == ("bake(rye)", "bake(white)")
    assert problem.probabilities.tolist() == [0.5, 0.5]
    assert problem.offset == 7  # and no variable that stands for it
    assert problem.num_recourse == expected.num_recourse
    assert nr.solve(problem).worst_case == pytest.approx(nr.solve(expected).worst_case)


class TestFoldersOfOthers:
    """As mpi-sppy writes them."""

    @pytest.fixture
    def folder(self, tmp_path):
        """Two scenarios whose first-stage bounds differ, too."""
        for name, demand in (("scen2", 5), ("scen10", 9)):
            (tmp_path / f"{name}.lp").write_text(
                f"min\n cost: 2 x(1) + 5 y + {demand} z\nst\n need: x(1) + y >= {demand}\nbounds\n x(1) <= {demand}\n"
                " z = 1\nend\n"
            )
            tree = {"nodes": {"ROOT": {"serialNumber": 0, "condProb": 1.0, "nonAnts": ["x(1)"]}}, "globalNodeCount": 1}
            data = {"scenarioData": {"name": name, "scenProb": 0.5}, "treeData": tree}
            (tmp_path / f"{name}_nonants.json").write_text(json.dumps(data))
            (tmp_path / f"{name}_rho.csv").write_text("varname,rho\nx(1),1\n")
        return tmp_path

    def test_they_are_read(self, folder):
        """Scenarios in the order of their numbers; a bound of x that differs holds in its scenario."""
        problem = nr.read(folder)
        assert problem.scenario_names == ("scen2", "scen10")
        assert problem.probabilities.tolist() == [0.5, 0.5]
        report = nr.solve(problem)
        assert report.decision == {"x(1)": 5.0}
        assert report.worst_case == pytest.approx(10 + 20 + 9)

    @pytest.mark.parametrize(
        ("file", "old", "new", "sentence"),
        [
            ("scen2_nonants.json", '"ROOT"', '"root"', "no description of a scenario as mpi-sppy writes it .KeyError"),
            ("scen2_nonants.json", '["x(1)"]', "5", "no description of a scenario"),
            ("scen2_nonants.json", "0.5", '"half"', "scenProb must be a number, got 'half'"),
            ("scen2_nonants.json", '"x(1)"', '"x(2)"', r"'x\(2\)' is not in the model .did you mean 'x\(1\)'"),
            ("scen2_nonants.json", '"x(1)"', '"y"', "names other first-stage variables than 'scen2'"),
            ("scen2_nonants.json", '{"ROOT"', '{"ROOT_0": {}, "ROOT"', "only two stages can be represented, got 3"),
            ("scen10.lp", "y", "w", "scenario 'scen10': the variable .* exists"),
            ("scen10.lp", "end", "", "scenario 'scen10': scen10.lp: 'End' is missing"),
        ],
    )
    def test_faults_are_named(self, folder, file, old, new, sentence):
        """One fault each."""
        text = (folder / file).read_text()
        assert old in text
        (folder / file).write_text(text.replace(old, new))
        with pytest.raises(nr.FormatError, match=sentence):
            nr.read(folder)

    def test_a_pair_must_be_complete(self, folder):
        """A model without its JSON file, a JSON file without its model, and neither."""
        (folder / "scen2.lp").rename(folder / "scen3.lp")
        with pytest.raises(nr.FormatError, match=r"a model 'scen3' without scen3_nonants\.json"):
            nr.read(folder)
        (folder / "scen3.lp").unlink()
        with pytest.raises(nr.FormatError, match=r"no model scen2\.lp or scen2\.mps"):
            nr.read(folder)
        for file in folder.iterdir():
            file.unlink()
        with pytest.raises(nr.FormatError, match="holds no problem; it needs a file"):
            nr.read(folder)


class TestTheCommand:
    """neurprise convert."""

    def test_it_says_what_it_wrote(self, tmp_path, capsys):
        """Any format to any other."""
        shop().write(tmp_path / "a.npz")
        chain = ("a.npz", "b.cor", "c.smps", "d.toml", "e", "f.npz")
        for source, target in pairwise(chain):
            assert main(["convert", str(tmp_path / source), str(tmp_path / target)]) == 0
            assert f"{target}: generic with 3 scenarios" in capsys.readouterr().out
        assert nr.read(tmp_path / "f.npz") == nr.read(tmp_path / "b.cor")

    @pytest.mark.parametrize(
        ("target", "sentence"),
        [
            ("case.sto", "OUT would overwrite"),
            ("case.xyz", "is written to a file that ends in .npz, .*or to a folder"),
            ("none/b.npz", "the directory of an output file must exist"),
            ("none/b", "the directory of an output file must exist"),
            ("b.dat", "hold selection problems only"),
        ],
    )
    def test_bad_targets_are_refused(self, tmp_path, capsys, target, sentence):
        """With exit code 2 and nothing lost."""
        shop().write(tmp_path / "case.cor")
        before = {path: path.read_bytes() for path in tmp_path.iterdir()}
        assert main(["convert", str(tmp_path / "case.cor"), str(tmp_path / target)]) == 2
        assert re.search(sentence, capsys.readouterr().err)
        assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
