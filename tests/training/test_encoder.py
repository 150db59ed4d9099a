"""The fast shared-topology path computes what PyG computes."""

from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the extra [learn] is not installed")

import neurprise as nr  # noqa: E402
from neurprise.networks.view import encode  # noqa: E402
from neurprise.training.encoder import (  # noqa: E402
    GINEEncoder,
    GINELayer,
    aggregate,
    aggregate_by_torch,
    collate,
    mean_over_nodes,
)


@pytest.fixture
def batch():
    """Two instances of different size, three scenarios each."""
    graphs = [encode(nr.make_vertex_cover(6, 3, 1), "cv"), encode(nr.make_vertex_cover(9, 3, 2), "cv")]
    return collate(graphs)


def flat_edges(graphs):
    """(source, target) of every copy's edges as PyG wants them, shape (2, total edges)."""
    columns = []
    for first_node, _, first_edge, count, _ in graphs.copies.tolist():
        place = slice(first_edge, first_edge + count)
        columns.append(torch.stack([graphs.sources[place], graphs.targets[place]]) + first_node)
    return torch.cat(columns, dim=1)


def test_a_layer_equals_pygs_gine(batch):
    """Same parameters, same outputs, same gradients."""
    pyg = pytest.importorskip("torch_geometric.nn", reason="torch_geometric is not installed")
    torch.manual_seed(0)
    layer, output = GINELayer(9, 16), torch.nn.Linear(16, 5)
    network = torch.nn.Sequential(torch.nn.Linear(9, 16), torch.nn.ReLU(), output)
    reference = pyg.GINEConv(network, train_eps=True, edge_dim=1)
    with torch.no_grad():
        layer.eps.fill_(0.3)
        reference.eps.fill_(0.3)
    network[0].load_state_dict(layer.linear.state_dict())
    reference.lin.load_state_dict(layer.edge.state_dict())
    ours = output(layer(batch.features, batch))
    theirs = reference(batch.features, flat_edges(batch), batch.coefficients[:, None])
    assert torch.allclose(ours, theirs, atol=1e-5)
    ours.square().sum().backward()
    theirs.square().sum().backward()
    for mine, other in ((layer.edge, reference.lin), (layer.linear, network[0])):
        assert torch.allclose(mine.weight.grad, other.weight.grad, rtol=1e-3, atol=1e-3)
        assert torch.allclose(mine.bias.grad, other.bias.grad, rtol=1e-3, atol=1e-3)
    assert torch.allclose(layer.eps.grad, reference.eps.grad, rtol=1e-3)


def test_compiled_and_plain_aggregation_agree(batch):
    """The kernels for CPUs and the tensor operations for other devices, values and gradients."""
    torch.manual_seed(0)
    batch = replace(batch, features=batch.features.double(), coefficients=batch.coefficients.double())
    edge, results = torch.nn.Linear(1, 9).double(), []
    for function in (aggregate, aggregate_by_torch):
        h, eps = batch.features.clone().requires_grad_(), torch.tensor([0.2], dtype=torch.double, requires_grad=True)
        edge.zero_grad()
        out = function(h, eps, edge, batch)
        (out * torch.linspace(-1, 1, out.numel(), dtype=torch.double).view_as(out)).sum().backward()
        results.append([out, h.grad, eps.grad, edge.weight.grad.clone(), edge.bias.grad.clone()])
    for ours, plain in zip(*results, strict=True):
        assert torch.allclose(ours, plain, rtol=1e-4, atol=1e-4)


def test_pooling_is_the_mean_over_each_copys_nodes(batch):
    """Copies of different size are averaged by their own number of nodes."""
    pooled = mean_over_nodes(batch.features, batch)
    for row, (first, count, *_) in zip(pooled, batch.copies.tolist(), strict=True):
        assert torch.allclose(row, batch.features[first : first + count].mean(dim=0), atol=1e-6)


def test_pooling_before_the_last_map_equals_pooling_after_it(batch):
    """Mean and linear map commute, so the encoder may pool first."""
    torch.manual_seed(0)
    encoder = GINEEncoder(9, 16, 8, 2)
    h = torch.relu(encoder.outputs[0](encoder.layers[0](batch.features, batch)))
    after = mean_over_nodes(encoder.outputs[1](encoder.layers[1](h, batch)), batch)
    assert torch.allclose(encoder(batch), after, atol=1e-5)


def test_collating_numbers_copies_one_after_another():
    """Each copy points at its own nodes and weights, and at its instance's edges."""
    one, other = (encode(nr.make_selection(3, 2, 0), "cv") for _ in range(2))
    batch = collate([one, other])
    assert batch.features.shape == (4 * one.num_nodes, 8)
    assert batch.copies[:, 0].tolist() == [k * one.num_nodes for k in range(4)]
    assert batch.copies[:, 2].tolist() == [0, 0, one.num_edges, one.num_edges]


def test_a_graph_without_edges_is_encoded():
    """An empty graph still has nodes."""
    problem = nr.VertexCover([1, 2], [[3, 4], [5, 6]], np.zeros((0, 2), dtype=int))
    graphs = collate([encode(problem, "ps")])
    assert torch.isfinite(GINEEncoder(3, 8, 4, 2)(graphs)).all()
