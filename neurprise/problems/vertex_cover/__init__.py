"""Vertex cover: put some nodes into the cover now, the rest when the scenario's node costs are known."""

from neurprise.problems.vertex_cover.formulation import VertexCover
from neurprise.problems.vertex_cover.generator import examples, make_vertex_cover

__all__ = ["VertexCover", "examples", "make_vertex_cover"]
