// The heat map on its two canvases: the cells, and over them what is pointed at and chosen.

import {colours, faint, labelTimes, sharp} from "./canvas.js";
import {ABSENT, BROKEN, LOWEST, PALETTE, ZERO} from "./heat_colours.js";
import {AXIS, MARKS, cellAt, chosenRow, placeOf, view} from "./heat_view.js";
import {state} from "./state.js";

const DEAD = [6, 6, 8];

/** Draw all cells. */
export function drawCells(canvas, width) {
  const {heat, rows} = view, context = sharp(canvas, width, rows.height + MARKS + AXIS);
  if (!context) return;
  const ink = colours(), picture = painted();
  context.imageSmoothingEnabled = false;
  for (const {first, count, y, height} of rows.networks) {
    context.fillStyle = ink.panel;
    context.fillRect(0, MARKS + y, width, height);
    context.drawImage(picture, 0, first, heat.columns, count, 0, MARKS + y, width, height);
  }
  const hatch = hatching(context, ink), gap = rows.size >= 9 ? 1 : 0;
  heat.rows.forEach((_, row) => {
    const y = MARKS + rows.places[row];
    for (const {cell, begin, end} of stretches(row)) {
      const left = begin / heat.columns * width, right = end / heat.columns * width;
      if (cell === ABSENT) {
        context.fillStyle = hatch;
        context.fillRect(left, y, right - left, rows.size);
      } else if (cell === BROKEN) glare(context, ink, left, right, y);
    }
    if (gap) {
      context.fillStyle = ink.paper;
      context.fillRect(0, y + rows.size - gap, width, gap);
    }
  });
  drawAxis(context, ink, width);
}

/** One pixel for each cell; the browser makes them as large as they are to be. */
function painted() {
  const {heat, cells} = view, image = new ImageData(heat.columns, heat.rows.length);
  cells.forEach((cell, at) => {
    const colour = cell >= LOWEST ? PALETTE[cell] : cell === ZERO ? DEAD : null;
    if (colour) image.data.set([...colour, 255], at * 4);
  });
  const made = new OffscreenCanvas(heat.columns, heat.rows.length);
  made.getContext("2d").putImageData(image, 0, 0);
  return made;
}

/** Neighbours of a row that are the same, but for sizes: these are in the picture. */
function* stretches(row) {
  const {columns} = view.heat;
  for (let begin = 0; begin < columns;) {
    const cell = cellAt(row, begin);
    let end = begin + 1;
    while (end < columns && cellAt(row, end) === cell) end++;
    if (cell < LOWEST) yield {cell, begin, end};
    begin = end;
  }
}

/** A number that is not finite is seen even where it is one update of a million. */
function glare(context, ink, left, right, y) {
  const wide = Math.max(right - left, 4), middle = (left + right) / 2;
  context.fillStyle = ink.broken;
  context.fillRect(middle - wide / 2, y - 1, wide, view.rows.size + 2);
  triangle(context, middle, y, [[-6, -7], [6, -7], [0, 2]]);
}

function triangle(context, x, y, corners) {
  context.beginPath();
  for (const [dx, dy] of corners) context.lineTo(x + dx, y + dy);
  context.fill();
}

function hatching(context, ink) {
  const tile = new OffscreenCanvas(6, 6), pen = tile.getContext("2d");
  pen.fillStyle = ink.panel;
  pen.fillRect(0, 0, 6, 6);
  pen.strokeStyle = ink.absent;
  pen.lineWidth = 1.2;
  pen.beginPath();
  for (const x of [-6, 0, 6]) {
    pen.moveTo(x, 6);
    pen.lineTo(x + 6, 0);
  }
  pen.stroke();
  return context.createPattern(tile, "repeat");
}

function drawAxis(context, ink, width) {
  const {heat, rows, events} = view, y = MARKS + rows.height;
  context.font = `11px ${ink.sans}`;
  context.fillStyle = ink.quiet;
  labelTimes(context, heat.first, heat.last, width / 95, at => placeOf(at, width), 0, width, y + 14);
  context.fillStyle = ink.error;
  for (const {at} of events) {
    if (at < heat.first || at > heat.last) continue;
    triangle(context, Math.min(Math.max(placeOf(at, width), 5), width - 5), 0, [[-4.5, 1], [4.5, 1], [0, 9]]);
  }
}

/** Draw what is pointed at, dragged over and chosen. */
export function drawOver(canvas, width) {
  const {heat, rows, hovered, drag} = view, context = sharp(canvas, width, rows.height + MARKS + AXIS);
  if (!context) return;
  const ink = colours(), inside = at => at >= heat.first && at <= heat.last;
  if (drag && Math.abs(drag.now - drag.begin) > 4) {
    context.fillStyle = faint(ink.accent, 0.28);
    context.fillRect(Math.min(drag.begin, drag.now), MARKS, Math.abs(drag.now - drag.begin), rows.height);
  }
  const pointed = state.hover?.axis === "update" ? state.hover.x : null;
  if (hovered !== null && pointed !== null) {
    context.fillStyle = faint(ink.text, 0.1);
    context.fillRect(0, MARKS + rows.places[hovered], width, rows.size);
  }
  if (pointed !== null && inside(pointed)) upright(context, placeOf(pointed, width), faint(ink.text, 0.75));
  if (state.at !== null && inside(state.at)) {
    const x = placeOf(state.at, width);
    upright(context, x - 1, ink.paper);
    upright(context, x + 1, ink.paper);
    upright(context, x, ink.text);
  }
  const row = chosenRow();
  if (row >= 0) (rows.labelled ? outline : arrows)(context, ink, width, MARKS + rows.places[row]);
}

function upright(context, x, colour) {
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(Math.round(x) + 0.5, MARKS - 2);
  context.lineTo(Math.round(x) + 0.5, MARKS + view.rows.height);
  context.stroke();
}

function outline(context, ink, width, y) {
  for (const [wide, colour] of [[4, ink.paper], [2, ink.text]]) {
    context.lineWidth = wide;
    context.strokeStyle = colour;
    context.strokeRect(1, y - 1.5, width - 2, view.rows.size + 2);
  }
}

/** An outline would hide a thin row: an arrow from either side. */
function arrows(context, ink, width, y) {
  for (const [colour, size] of [[ink.paper, 9], [ink.text, 7]]) {
    context.fillStyle = colour;
    for (const [side, way] of [[0, 1], [width, -1]]) {
      triangle(context, side, y + view.rows.size / 2, [[0, -size * 0.75], [0, size * 0.75], [size * way, 0]]);
    }
  }
}
