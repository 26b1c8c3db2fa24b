"""The training step as a small picture: networks, the places that matter on the way, losses, optimizers. Plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from whygrad.flow.site import Site

NodeKind = Literal["network", "operation", "loss", "optimizer"]
EdgeKind = Literal[
    "gradient",  # the value goes one way, and the gradient of the loss comes back along it
    "data",  # the value goes along it, and no gradient comes back
    "update",  # the gradient of a loss, handed to the optimizer that applies it
]


@dataclass(frozen=True, slots=True)
class Node:
    """One box of the picture."""

    kind: NodeKind
    label: str
    detail: str = ""
    """A second line: how many variables, what the optimizer trains."""
    site: Site | None = None
    fault: bool = False
    """A finding is about this place."""
    cut: bool = False
    """The gradient stops here, and should not."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A line between two boxes, by their positions in `Drawing.nodes`."""

    source: int
    target: int
    kind: EdgeKind


@dataclass(frozen=True, slots=True)
class Drawing:
    """The picture of one framework's training step."""

    framework: str
    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()
    left_out: int = 0
    """Boxes for which there was no room."""
