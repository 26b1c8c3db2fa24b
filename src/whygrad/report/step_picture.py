"""The drawing of a training step as a PNG picture, for places that show no SVG. Needs Pillow, loaded on demand."""

from __future__ import annotations

import io
import itertools
from typing import Any

from whygrad.flow.drawing import Drawing, Node
from whygrad.report.drawing_layout import Layout, layout

_SCALE = 2
_PAD, _HIGH, _SPACE, _MARGIN = 12.0, 44.0, 70.0, 18.0
_LONGEST = 30
_INK, _SOFT, _PAPER, _FAULT = "#1f2328", "#6a737d", "#ffffff", "#c62f2f"
_LINE = {"gradient": "#2563c9", "data": "#9aa3ad", "update": "#2b8a57"}
_FILL = {"network": "#eef3fb", "operation": "#f6f7f8", "loss": "#fdf3e3", "optimizer": "#e9f6ee"}


def png(drawing: Drawing) -> tuple[bytes, int, int]:
    """The picture, its width and its height."""
    from PIL import Image, ImageDraw, ImageFont

    fonts = ImageFont.load_default(13 * _SCALE), ImageFont.load_default(11 * _SCALE)
    texts = [_texts(node) for node in drawing.nodes]
    widths = [max(fonts[0].getlength(label), fonts[1].getlength(detail)) / _SCALE + 2 * _PAD for label, detail in texts]
    made = layout(drawing, [_HIGH] * len(texts), 20.0)
    places, size = _places(made, widths)
    image = Image.new("RGB", (round(size[0] * _SCALE), round(size[1] * _SCALE)), _PAPER)
    draw = ImageDraw.Draw(image)
    for edge, route in made.routes:
        cut = drawing.nodes[edge.target].cut and edge.kind == "data"
        _line(draw, [places[at] for at in route], _FAULT if cut else _LINE[edge.kind], edge.kind == "data", cut)
    for at, (node, text) in enumerate(zip(drawing.nodes, texts, strict=True)):
        _box(draw, places[at], node, text, fonts)
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue(), image.width, image.height


def _texts(node: Node) -> tuple[str, str]:
    detail = node.detail or (f"line {node.site.line}" if node.site is not None else "")
    return _short(node.label), _short("here the gradient is cut" if node.cut else detail)


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _places(made: Layout, widths: list[float]) -> tuple[list[tuple[float, float, float]], tuple[float, float]]:
    """Of each spot its left end, its middle line and its width; the size of all."""
    deep = [
        max((widths[n] for i in layer if (n := made.spots[i].node) is not None), default=10.0) for layer in made.layers
    ]
    starts = [_MARGIN + sum(deep[:i]) + _SPACE * i for i in range(len(deep))]
    found = []
    for spot in made.spots:
        wide = widths[spot.node] if spot.node is not None else deep[spot.layer]
        found.append((starts[spot.layer], spot.cross + _MARGIN, wide))
    long = starts[-1] + deep[-1] if deep else 0.0
    return found, (max(long + _MARGIN, 120.0), max(made.breadth + 2 * _MARGIN, 80.0))


def _line(draw: Any, route: list[tuple[float, float, float]], colour: str, broken: bool, cut: bool) -> None:
    points: list[tuple[float, float]] = []
    for at, (x, y, wide) in enumerate(route):
        points += [(x, y), (x + wide, y)] if 0 < at < len(route) - 1 else [(x + wide if at == 0 else x, y)]
    curve = _curve(points)
    for at in range(len(curve) - 1):
        if not broken or at % 4 < 2:
            draw.line([_to(curve[at]), _to(curve[at + 1])], fill=colour, width=2 * _SCALE)
    x, y = points[-1]
    draw.polygon([_to((x, y)), _to((x - 9, y - 5)), _to((x - 9, y + 5))], fill=colour)
    if cut:
        for back in (18.0, 25.0):
            draw.line([_to((x - back - 4, y + 8)), _to((x - back + 4, y - 8))], fill=_FAULT, width=3 * _SCALE)


def _curve(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Soft bends between points, as the web page has them."""
    found = [points[0]]
    for (x, y), (to_x, to_y) in itertools.pairwise(points):
        half = (x + to_x) / 2
        for step in range(1, 17):
            t = step / 16
            a, b, c, d = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
            found.append((a * x + b * half + c * half + d * to_x, a * y + b * y + c * to_y + d * to_y))
    return found


def _box(draw: Any, place: tuple[float, float, float], node: Node, text: tuple[str, str], fonts: Any) -> None:
    x, y, wide = place
    corners = [_to((x, y - _HIGH / 2)), _to((x + wide, y + _HIGH / 2))]
    edge = _FAULT if node.fault or node.cut else _SOFT
    round_by = (20 if node.kind == "operation" else 6) * _SCALE
    draw.rounded_rectangle(
        corners, round_by, fill=_FILL[node.kind], outline=edge, width=(2 if edge == _FAULT else 1) * _SCALE
    )
    middle = x + wide / 2
    label, detail = text
    draw.text(_to((middle, y - (8 if detail else 0))), label, fill=_INK, font=fonts[0], anchor="mm")
    if detail:
        draw.text(_to((middle, y + 10)), detail, fill=_FAULT if node.cut else _SOFT, font=fonts[1], anchor="mm")


def _to(point: tuple[float, float]) -> tuple[float, float]:
    return point[0] * _SCALE, point[1] * _SCALE
