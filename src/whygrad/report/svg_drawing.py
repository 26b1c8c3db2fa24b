"""The drawing of a training step as inline SVG, once from left to right and once from top to bottom, and in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

from whygrad.flow.drawing import Drawing, Edge, Node
from whygrad.report.drawing_layout import Layout, layout
from whygrad.report.html_text import PAGE, count, plain, prose
from whygrad.report.report import Report

_CHARACTER = 7.3  # of the monospaced font at 12 px
_SMALL = 6.1  # of the detail at 11 px
_PAD = 10.0
_LONGEST, _LONGEST_NARROW = 26, 18
_ROOM = 300.0
"""What the boxes of a layer may take on a narrow page; lines that pass them take more."""


@dataclass(frozen=True, slots=True)
class _Box:
    """A box with the texts that are written into it."""

    label: str
    lines: tuple[tuple[str, str], ...]
    """What stands below the label, each with its style."""
    width: float
    height: float


def figure(drawing: Drawing, report: Report, number: int, widths: Mapping[int, float] | None = None) -> str:
    """The picture for wide and for narrow pages, a legend, and the same in words.

    `widths`: how wide the gradient's lines from a box are, by the box's position; 0 for one that has no gradient.
    """
    faults = _findings_at(drawing, report)
    wide = _picture(drawing, faults, f"step-{number}-wide", down=False, widths=widths or {})
    narrow = _picture(drawing, faults, f"step-{number}-narrow", down=True, widths=widths or {})
    more = f"<span>{count(drawing.left_out, 'more box')} left out</span>" if drawing.left_out else ""
    return (
        f'<figure class="step"><div class="wide only-wide" role="group" tabindex="0" '
        f'aria-label="Drawing of the training step">{wide}</div>'
        f'<div class="wide only-narrow" role="group" tabindex="0" aria-label="Drawing of the training step">{narrow}'
        f"</div><figcaption>{_legend(drawing)}{more}</figcaption></figure>"
        f"<details><summary>The same in words</summary><ul>{_words(drawing, faults)}</ul></details>"
    )


def _findings_at(drawing: Drawing, report: Report) -> dict[int, list[int]]:
    """For each box, the findings (counted from 1) about it: by its place, else by the network they are about."""
    found: dict[int, list[int]] = {}
    # Another phase of the program may have networks of the same names.
    elsewhere = {node.site for other in report.drawings if other is not drawing for node in other.nodes}
    elsewhere -= {node.site for node in drawing.nodes}
    for number, finding in enumerate(report.findings, 1):
        if finding.severity == "note" or (finding.where is not None and finding.where in elsewhere):
            continue
        sites = [(index, node.site) for index, node in enumerate(drawing.nodes) if node.site is not None]
        where = finding.where
        at = [index for index, site in sites if site == where] or [
            index
            for index, site in sites
            if drawing.nodes[index].kind == "loss" and where and (site.file, site.line) == (where.file, where.line)
        ]
        for index in at or _networks_of(finding.variables, drawing):
            found.setdefault(index, []).append(number)
    return found


def _networks_of(variables: tuple[str, ...], drawing: Drawing) -> list[int]:
    return [
        index
        for index, node in enumerate(drawing.nodes)
        if node.kind == "network"
        and any(v == node.label or v.startswith((f"{node.label}.", f"{node.label}[")) for v in variables)
    ]


def _box(node: Node, numbers: list[int], longest: int) -> _Box:
    label = _short(node.label, longest)
    lines = []
    if node.detail:
        lines.append(("small", _short(node.detail, longest + 3)))
    elif node.site is not None:
        lines.append(("small", f"line {node.site.line}"))
    if numbers:
        lines.append(("fault", "finding " + ", ".join(map(str, numbers[:4]))))
    width = max(len(label) * _CHARACTER, *(len(line) * _SMALL for _, line in lines), 56.0) + 2 * _PAD
    return _Box(label, tuple(lines), width, 26.0 + 15.0 * len(lines))


def _short(text: str, longest: int) -> str:
    text = PAGE.one_line(text)
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _picture(drawing: Drawing, faults: dict[int, list[int]], name: str, down: bool, widths: Mapping[int, float]) -> str:
    longest = _LONGEST_NARROW if down else _LONGEST
    boxes = [_box(node, faults.get(index, []), longest) for index, node in enumerate(drawing.nodes)]
    sizes = [box.width if down else box.height for box in boxes]
    made = layout(drawing, sizes, 14.0, _ROOM) if down else layout(drawing, sizes, 18.0)
    depth = [
        max((_thickness(boxes[n], down) for i in layer if (n := made.spots[i].node) is not None), default=20.0)
        for layer in made.layers
    ]
    space = 38.0 if down else 54.0
    starts = [sum(depth[:i]) + space * i for i in range(len(depth))]
    length = (starts[-1] + depth[-1] if depth else 0.0) + 2
    size = (made.breadth + 2, length) if down else (length, made.breadth + 2)
    place = _Placer(made, boxes, starts, depth, down)
    flows = "".join(
        f'<path class="flow" d="{_path(place.points(route), down)}" stroke-width="{width:.1f}"/>'
        for edge, route in made.routes
        if edge.kind == "gradient" and (width := widths.get(edge.source, 0.0)) > 0
    )
    lines = flows + "".join(_line(edge, place.points(route), drawing, name, down) for edge, route in made.routes)
    drawn = "".join(_drawn(node, boxes[i], *place.corner(i)) for i, node in enumerate(drawing.nodes))
    heads = "".join(
        f'<marker id="{name}-{kind}" class="{kind}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" '
        f'markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0.5L7.5 4L0 7.5z"/></marker>'
        for kind in ("gradient", "data", "update")
    )
    width, height = round(size[0] + 2), round(size[1] + 2)
    title = f"The training step of the {PAGE.one_line(drawing.framework)} program"
    # A little smaller is still legible; what is wider scrolls.
    fits = ' class="fits"' if width <= (420 if down else 1060) else ""
    return (
        f'<svg{fits} role="img" aria-label="{escape(title)}" viewBox="-1 -1 {width} {height}" '
        f'width="{width}" height="{height}">'
        f"<defs>{heads}</defs>{lines}{drawn}</svg>"
    )


def _thickness(box: _Box, down: bool) -> float:
    return box.height if down else box.width


@dataclass(slots=True)
class _Placer:
    """From layers and positions across them to x and y."""

    made: Layout
    boxes: list[_Box]
    starts: list[float]
    depth: list[float]
    down: bool

    def corner(self, index: int) -> tuple[float, float]:
        """The upper left corner of a box."""
        spot = self.made.spots[index]
        along = self.starts[spot.layer]
        across = spot.cross - spot.size / 2
        return (across, along) if self.down else (along, across)

    def points(self, route: list[int]) -> list[tuple[float, float]]:
        """Where a line leaves a box, passes the layers between, and arrives."""
        found = []
        for step, index in enumerate(route):
            spot = self.made.spots[index]
            begin, depth = self.starts[spot.layer], self.depth[spot.layer]
            cross = spot.cross
            if spot.node is None:
                found += [(begin, cross), (begin + depth, cross)]
                continue
            thick = _thickness(self.boxes[index], self.down)
            edge = begin + (thick if step == 0 else 0.0)
            if step == 0:  # straight on past the wider boxes of its layer
                found.append((edge, cross + self._port(index, route[1], True)))
                edge = begin + depth
            found.append((edge, cross + self._port(index, route[1] if step == 0 else route[-2], step == 0)))
        return [(across, along) for along, across in found] if self.down else found

    def _port(self, index: int, other: int, leaving: bool) -> float:
        """Lines of one side of a box stand a little apart, in the order of where they go."""
        spot = self.made.spots[index]
        near = spot.after if leaving else spot.before
        order = sorted(near, key=lambda n: (self.made.spots[n].cross, n))
        room = min(12.0, (spot.size - 16.0) / max(len(order), 1))
        return (order.index(other) - (len(order) - 1) / 2) * room


def _path(points: list[tuple[float, float]], down: bool) -> str:
    (x, y), rest = points[0], points[1:]
    path = f"M{x:.1f} {y:.1f}"
    for index, (to_x, to_y) in enumerate(rest):
        if index % 2 == 0:  # through the rest of a layer
            path += f"L{to_x:.1f} {to_y:.1f}"
        elif down:
            half = (y + to_y) / 2
            path += f"C{x:.1f} {half:.1f} {to_x:.1f} {half:.1f} {to_x:.1f} {to_y:.1f}"
        else:
            half = (x + to_x) / 2
            path += f"C{half:.1f} {y:.1f} {half:.1f} {to_y:.1f} {to_x:.1f} {to_y:.1f}"
        x, y = to_x, to_y
    return path


def _line(edge: Edge, points: list[tuple[float, float]], drawing: Drawing, name: str, down: bool) -> str:
    path, (x, y) = _path(points, down), points[-1]
    cut = drawing.nodes[edge.target].cut and edge.kind == "data"
    kind = f"{edge.kind} lost" if cut else edge.kind
    text = f'<path class="edge {kind}" d="{path}" marker-end="url(#{name}-{edge.kind})"/>'
    return text + (_slashes(x, y, down) if cut else "")


def _slashes(x: float, y: float, down: bool) -> str:
    """Two strokes across a line just before it arrives: here it is cut."""
    strokes = ""
    for back in (15.0, 20.0):
        if down:
            strokes += f"M{x - 6:.1f} {y - back + 3:.1f}L{x + 6:.1f} {y - back - 3:.1f}"
        else:
            strokes += f"M{x - back - 3:.1f} {y + 6:.1f}L{x - back + 3:.1f} {y - 6:.1f}"
    return f'<path class="slashes" d="{strokes}"/>'


def _drawn(node: Node, box: _Box, x: float, y: float) -> str:
    middle = x + box.width / 2
    kind = f"{node.kind} fault" if node.fault else node.kind
    corner = {"network": 3, "operation": 13, "loss": 3, "optimizer": 3}[node.kind]
    lines = "".join(
        f'<text class="{style}" x="{middle:.1f}" y="{y + 32 + 15 * i:.1f}">{escape(line)}</text>'
        for i, (style, line) in enumerate(box.lines)
    )
    return (
        f'<g class="box {kind}"><title>{plain(node.label)}</title>'
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}" rx="{corner}"/>'
        f'<text x="{middle:.1f}" y="{y + 17:.1f}">{escape(box.label)}</text>{lines}</g>'
    )


def _legend(drawing: Drawing) -> str:
    kinds = {edge.kind for edge in drawing.edges}
    parts = []
    if "gradient" in kinds:
        parts.append('<span class="key gradient"></span> the gradient comes back along it')
    if "data" in kinds:
        parts.append('<span class="key data"></span> values pass, no gradient comes back')
    if any(node.cut for node in drawing.nodes):
        parts.append('<span class="key cut"></span> here the gradient is cut')
    return "".join(f"<span>{part}</span>" for part in parts)


def _words(drawing: Drawing, faults: dict[int, list[int]]) -> str:
    items = []
    for edge in drawing.edges:
        source, target = drawing.nodes[edge.source], drawing.nodes[edge.target]
        what = {
            "gradient": "feeds {}, and gets its gradient",
            "data": "feeds {}, and gets no gradient from there",
            "update": "is applied by {}",
        }[edge.kind].format(_called(target))
        items.append(f"<li>{_called(source)} {what}</li>")
    for index, numbers in faults.items():
        links = ", ".join(f'<a href="#finding-{n}">finding {n}</a>' for n in numbers)
        items.append(f"<li>{_called(drawing.nodes[index])}: {links}</li>")
    return "".join(items)


def _called(node: Node) -> str:
    line = f" (line {node.site.line})" if node.site is not None else ""
    return prose(f"`{node.label.replace('`', '')}`{line}")
