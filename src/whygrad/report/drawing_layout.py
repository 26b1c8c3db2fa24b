"""Where the boxes and lines of a drawing go: layers from the networks to the optimizers, few crossings.

The layout is made along one axis (`main`, the way the data flows) and across it (`cross`); whoever draws decides
which of them is left to right. Lines over several layers get a place in each layer between, so that none runs
through a box.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field

from whygrad.flow.drawing import Drawing, Edge

_SWEEPS = 8


@dataclass(slots=True)
class Spot:
    """A box, or (`node` is None) a place where a long line passes a layer."""

    node: int | None
    layer: int
    size: float
    """Across the layers."""
    cross: float = 0.0
    before: list[int] = field(default_factory=list)
    after: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Layout:
    """Spots, their layers in order, and for each edge the spots it runs through from end to end."""

    spots: list[Spot]
    layers: list[list[int]]
    routes: list[tuple[Edge, list[int]]]

    @property
    def breadth(self) -> float:
        """How much room it takes across the layers."""
        return max((spot.cross + spot.size / 2 for spot in self.spots), default=0.0)


def layout(drawing: Drawing, sizes: list[float], gap: float, room: float = math.inf) -> Layout:
    """Place the boxes, which have these sizes across the layers; a layer wider than `room` becomes several."""
    edges = _forward(drawing)
    level = _split(_levels(drawing, edges), sizes, gap, room)
    spots = [Spot(index, level[index], sizes[index]) for index in range(len(drawing.nodes))]
    routes = []
    for edge in edges:
        route = [edge.source]
        for layer in range(level[edge.source] + 1, level[edge.target]):
            spots.append(Spot(None, layer, 0.0))
            route.append(len(spots) - 1)
        route.append(edge.target)
        for one, other in itertools.pairwise(route):
            spots[one].after.append(other)
            spots[other].before.append(one)
        routes.append((edge, route))
    layers: list[list[int]] = [[] for _ in range(max((spot.layer for spot in spots), default=-1) + 1)]
    for index, spot in enumerate(spots):
        layers[spot.layer].append(index)
    _order(spots, layers)
    _place(spots, layers, gap)
    return Layout(spots, layers, routes)


def _forward(drawing: Drawing) -> list[Edge]:
    """The edges, less those that would close a circle (a network that feeds another and is fed by it)."""
    after: dict[int, set[int]] = {}
    kept = []
    # Towards losses and optimizers first: they are what the picture is about.
    rank = {"optimizer": 0, "loss": 1, "operation": 2, "network": 3}
    for edge in sorted(drawing.edges, key=lambda e: (rank[drawing.nodes[e.target].kind], e.source, e.target)):
        if edge.source != edge.target and not _leads(after, edge.target, edge.source):
            after.setdefault(edge.source, set()).add(edge.target)
            kept.append(edge)
    return kept


def _leads(after: dict[int, set[int]], begin: int, end: int) -> bool:
    todo, seen = [begin], {begin}
    while todo:
        at = todo.pop()
        if at == end:
            return True
        todo += [n for n in after.get(at, ()) if n not in seen]
        seen.update(after.get(at, ()))
    return False


def _levels(drawing: Drawing, edges: list[Edge]) -> list[int]:
    """Each box one layer behind the last of those it depends on; losses in one layer, optimizers in the next."""
    count = len(drawing.nodes)
    level = [0] * count
    for _ in range(count):
        for edge in edges:
            if drawing.nodes[edge.target].kind in ("network", "operation"):
                level[edge.target] = max(level[edge.target], level[edge.source] + 1)
    inner = [level[i] for i, node in enumerate(drawing.nodes) if node.kind in ("network", "operation")]
    losses = max(inner, default=-1) + 1
    for index, node in enumerate(drawing.nodes):
        if node.kind == "loss":
            level[index] = losses
        elif node.kind == "optimizer":
            level[index] = losses + 1
    used = {old: new for new, old in enumerate(sorted(set(level)))}
    return [used[one] for one in level]


def _split(level: list[int], sizes: list[float], gap: float, room: float) -> list[int]:
    """Layers that fit: no line runs within a layer, so that its boxes may as well stand one behind the other."""
    found, at = [0] * len(level), -1
    for layer in range(max(level, default=-1) + 1):
        used = None
        for index in (i for i, one in enumerate(level) if one == layer):
            if used is None or used + gap + sizes[index] > room:
                at, used = at + 1, -gap
            used += gap + sizes[index]
            found[index] = at
    return found


def _order(spots: list[Spot], layers: list[list[int]]) -> None:
    """Sweep over the layers, sorting each by the middle of its neighbours; keep the best order seen."""
    best, fewest = [list(layer) for layer in layers], _crossings(spots, layers)
    for sweep in range(_SWEEPS):
        down = sweep % 2 == 0
        for layer in layers[1:] if down else reversed(layers[:-1]):
            position = {index: at for one in layers for at, index in enumerate(one)}
            weights = {}
            for at, index in enumerate(layer):
                near = spots[index].before if down else spots[index].after
                weights[index] = sum(position[n] for n in near) / len(near) if near else float(at)
            layer.sort(key=lambda index: weights[index])
        crossings = _crossings(spots, layers)
        if crossings < fewest:
            best, fewest = [list(layer) for layer in layers], crossings
    for layer, order in zip(layers, best, strict=True):
        layer[:] = order


def _crossings(spots: list[Spot], layers: list[list[int]]) -> int:
    position = {index: at for layer in layers for at, index in enumerate(layer)}
    found = 0
    for layer in layers:
        lines = [(position[index], position[n]) for index in layer for n in spots[index].after]
        found += sum(
            1 for i, (a, b) in enumerate(lines) for c, d in lines[i + 1 :] if (a < c and b > d) or (a > c and b < d)
        )
    return found


def _place(spots: list[Spot], layers: list[list[int]], gap: float) -> None:
    """Pull every spot towards its neighbours, without overlap and without changing the order."""
    for layer in layers:
        at = 0.0
        for index in layer:
            spots[index].cross = at + spots[index].size / 2
            at += spots[index].size + gap
    for sweep in range(2 * _SWEEPS):
        for layer in layers if sweep % 2 == 0 else reversed(layers):
            wanted = []
            for index in layer:
                near = spots[index].before + spots[index].after
                wanted.append(sum(spots[n].cross for n in near) / len(near) if near else spots[index].cross)
            _spread(spots, layer, wanted, gap)
    lowest = min((spot.cross - spot.size / 2 for spot in spots), default=0.0)
    for spot in spots:
        spot.cross -= lowest


def _spread(spots: list[Spot], layer: list[int], wanted: list[float], gap: float) -> None:
    """Positions in order and apart, as near to the wanted ones as blocks of touching boxes allow."""
    blocks: list[tuple[list[int], float, float]] = []  # members, where its first would begin, its length
    for index, at in zip(layer, wanted, strict=True):
        block = ([index], at - spots[index].size / 2, spots[index].size)
        while blocks and blocks[-1][1] + blocks[-1][2] + gap > block[1]:
            members, begin, length = blocks.pop()
            moved = block[1] - length - gap
            share = len(members) / (len(members) + len(block[0]))
            block = (members + block[0], begin * share + moved * (1 - share), length + gap + block[2])
        blocks.append(block)
    for members, begin, _ in blocks:
        for index in members:
            spots[index].cross = begin + spots[index].size / 2
            begin += spots[index].size + gap
