"""Checkpoints of surrogates: shipped ones load without PyTorch, damaged and foreign ones are refused."""

import json
import shutil
import subprocess
import sys

import numpy as np
import pytest
from safetensors.numpy import save_file

import neurprise as nr
from neurprise.errors import CheckpointError
from neurprise.networks.checkpoints import SCORERS, SHIPPED
from neurprise.surrogates.network import SURROGATES
from tests.surrogates.networks import random_network

PROBLEMS = {
    "selection": nr.make_selection(8, 6, 0),
    "vertex-cover": nr.make_vertex_cover(8, 6, 0),
    "facility-location": nr.make_facility_location(6, 5, 6, 0),
}


@pytest.fixture
def folder(tmp_path):
    """A checkpoint with random weights."""
    network = random_network(PROBLEMS["selection"], 0)
    weights = {name: np.zeros(shape, np.float32) for name, shape in shapes(network.config).items()}
    SURROGATES.save(network.config, weights, tmp_path / "made")
    return tmp_path / "made"


def shapes(config):
    """Shape of every array by name."""
    found = {}
    for name, (inputs, hidden, outputs) in config.widths.items():
        found |= {f"{name}.first.weight": (hidden, inputs), f"{name}.first.bias": (hidden,)}
        found |= {f"{name}.second.weight": (outputs, hidden), f"{name}.second.bias": (outputs,)}
    return found


@pytest.mark.parametrize("family", PROBLEMS)
def test_a_shipped_surrogate_solves_its_family(family):
    """By the family's name, and picked for the problem."""
    problem = PROBLEMS[family]
    report = nr.surrogates.Neur2RO.load(family).solve(problem)
    optimum = nr.solve(problem).worst_case
    assert report.lower_bound <= optimum * (1 + 1e-4)
    assert report.worst_case >= optimum * (1 - 1e-4)
    assert nr.surrogates.Neur2RO.load_for(problem).network.config.family == family


def test_solving_needs_no_pytorch():
    """The forward pass is numpy."""
    code = (
        "import sys; sys.modules['torch'] = None; import neurprise as nr; p = nr.make_selection(6, 4, 0); "
        "nr.surrogates.Neur2RO.load('selection').solve(p)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_package_does_not_load_surrogates_until_asked():
    """`nr.surrogates` is a registry."""
    code = "import sys, neurprise; sys.exit('neurprise.surrogates.neur2ro' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_name_that_is_none_is_refused():
    """The sentence lists the shipped ones."""
    with pytest.raises(CheckpointError, match="shipped are facility-location, selection, vertex-cover"):
        nr.surrogates.Neur2RO.load("knapsack")


def test_checkpoints_of_the_other_method_are_refused(folder):
    """A scorer is no surrogate, and the other way round."""
    with pytest.raises(CheckpointError, match="format"):
        nr.surrogates.Neur2RO.load(SHIPPED / "selection")
    with pytest.raises(CheckpointError, match="format"):
        nr.reducers.NeurPRISE(folder).reduce(PROBLEMS["selection"], 2)
    assert "neur2ro" not in SCORERS.shipped_names()


@pytest.mark.parametrize("change", [{"value_hidden": 0}, {"colour": "blue"}, {"decision_hidden": "wide"}])
def test_a_damaged_configuration_is_refused(folder, change):
    """Unknown and impossible fields alike."""
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, **change}))
    with pytest.raises(CheckpointError, match=r"config\.json"):
        SURROGATES.load(folder)


def test_weights_that_do_not_fit_are_refused(folder):
    """The sentence names the array."""
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "value_hidden": 7}))
    with pytest.raises(CheckpointError, match=r"value\.first\.weight must have shape"):
        SURROGATES.load(folder)


def test_weights_that_are_no_numbers_are_refused(folder):
    """Infinite weights would make every scenario the worst."""
    save_file({"items.first.weight": np.full((5, 5), np.inf, np.float32)}, folder / "weights.safetensors")
    with pytest.raises(CheckpointError, match="must be 32-bit numbers"):
        SURROGATES.load(folder)


def test_arrays_of_no_part_are_refused(folder, tmp_path):
    """They would be silently ignored otherwise."""
    network = SURROGATES.load(folder)
    weights = {name: np.zeros(shape, np.float32) for name, shape in shapes(network.config).items()}
    shutil.rmtree(folder)
    SURROGATES.save(network.config, {**weights, "extra": np.zeros(1, np.float32)}, folder)
    with pytest.raises(CheckpointError, match="extra belongs to no part"):
        SURROGATES.load(folder)


def test_a_network_with_other_features_is_refused(folder):
    """A checkpoint of an earlier version of the features must not guess."""
    network = SURROGATES.load(folder)
    instance = random_network(PROBLEMS["vertex-cover"], 0)
    assert instance.config.item_inputs != network.config.item_inputs
    from tests.surrogates.networks import described

    with pytest.raises(CheckpointError, match="train it anew"):
        network.folded(described(PROBLEMS["vertex-cover"]))
