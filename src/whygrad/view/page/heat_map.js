// The heat map: a row for each variable, a column for each time. A gradient that is zero is black, one that is missing is
// hatched, one that is not finite glares.

import {$, el, say} from "./elements.js";
import {bytes} from "./asking.js";
import {whenSized} from "./canvas.js";
import {drawCells, drawOver} from "./heat_drawing.js";
import {legend} from "./heat_legend.js";
import {choose, startMoves} from "./heat_moves.js";
import {inner, layout} from "./heat_rows.js";
import {AXIS, MARKS, chosenRow, columnOf, view} from "./heat_view.js";
import {whole} from "./numbers.js";
import {on, set, state} from "./state.js";

export const FIELDS = [
  ["norm", "Norm", "of the gradient as backpropagation left it"],
  ["applied", "After clipping", "norm of the gradient that the optimizer got"],
  ["ratio", "Step / weights", "length of the step by that of the weights"],
  ["zeros", "Zeros", "share of zeros in the gradient"],
  ["largest", "Largest", "the largest number, without its sign"],
];
const NARROWEST = 84, WIDEST = 200, LETTER = 7.3; // the column of names, in pixels

const labels = el("div", {class: "labels", "aria-hidden": "true"});
const canvas = el("canvas"), over = el("canvas", {class: "over"});
const grid = el("div", {
  class: "grid", tabIndex: 0, role: "application", "aria-roledescription": "heat map",
  "aria-label": "Gradients by layer over time", "aria-describedby": "heat-keys",
}, canvas, over);
const tip = el("div", {class: "tip", hidden: true, "aria-hidden": "true"});
const scale = el("div", {class: "scale"});
const note = el("p", {class: "quiet heat-note", hidden: true});

export function startHeatMap() {
  $("heat").append(el("div", {class: "frame"}, labels, grid, tip), scale, note);
  for (const [value, word, title] of FIELDS) {
    const id = `field-${value}`, checked = state.field === value;
    const input = el("input", {type: "radio", name: "field", value, id, checked, onchange: () => set({field: value})});
    $("field-choice").append(input, el("label", {for: id, title}, word));
  }
  startMoves(grid, tip, drawChosen);
  labels.addEventListener("click", event => {
    const row = event.target.closest("[data-row]")?.dataset.row;
    if (row !== undefined) choose(Number(row), columnOf(state.at ?? view.heat.last));
  });
  $("whole-run").addEventListener("click", () => set({range: null}));
  $("whole-run").hidden = !state.range;
  whenSized(grid, draw);
  on(["variable", "at", "hover"], drawChosen);
  on(["range"], () => ($("whole-run").hidden = !state.range));
  on(["field"], () => ($(`field-${state.field}`).checked = true));
}

/** Show what the server sent; labels are made anew only when there are other rows. */
export function showHeatMap(found, events) {
  $("heat-section").hidden = !found.rows.length;
  const before = JSON.stringify(view.heat?.rows);
  view.events = events;
  view.heat = found.rows.length ? found : null;
  if (!view.heat) return;
  view.cells = bytes(found.cells);
  if (found.whole) view.whole = [found.first, found.last];
  if (before !== JSON.stringify(found.rows)) {
    view.hovered = null;
    view.rows = layout(found.rows);
    makeLabels();
  }
  note.hidden = view.rows.labelled;
  say(note, `${whole(found.rows.length)} variables: point at a row to read its name.`);
  scale.replaceChildren(...legend(found));
  draw();
}

function draw() {
  if (!view.heat) return;
  fitNames();
  drawCells(canvas, grid.clientWidth);
  drawChosen();
}

function drawChosen() {
  if (!view.heat) return;
  drawOver(over, grid.clientWidth);
  const row = chosenRow();
  for (const label of labels.querySelectorAll("[data-row]")) {
    label.classList.toggle("chosen", Number(label.dataset.row) === row);
    label.classList.toggle("hovered", Number(label.dataset.row) === view.hovered);
  }
}

function makeLabels() {
  const {heat, rows} = view, axis = el("div", {class: "axis-word"}, "update");
  axis.style.top = `${MARKS + rows.height + 1}px`;
  labels.replaceChildren(axis, ...networkNames(rows), ...(rows.labelled ? heat.rows.map(variableName) : []));
  labels.style.height = `${rows.height + MARKS + AXIS}px`;
  labels.classList.toggle("dense", !rows.labelled);
  const names = rows.labelled ? heat.rows.map(inner) : rows.networks.map(network => network.name);
  const longest = Math.max(...names.map(name => name.length)) * LETTER + 24;
  $("heat").style.setProperty("--labels", `${Math.min(Math.max(longest, NARROWEST), WIDEST)}px`);
}

/** Of a name that is too long its end is shown: weights and biases begin alike. */
function fitNames() {
  const room = Math.floor((labels.clientWidth - 20) / (matchMedia("(max-width: 54rem)").matches ? 6.7 : LETTER));
  for (const label of labels.querySelectorAll("[data-row]")) {
    const name = inner(view.heat.rows[label.dataset.row]);
    say(label, name.length > room ? `…${name.slice(1 - room)}` : name);
  }
}

/** Above their rows; beside thin rows only as many as there is room for. */
function networkNames(rows) {
  const found = [];
  let last = -Infinity;
  for (const {name, y} of rows.networks) {
    if (!rows.labelled && y - last < 13) continue;
    last = y;
    const made = el("div", {class: "network", title: name}, name);
    made.style.top = `${MARKS + y - (rows.labelled ? 21 : 2)}px`;
    found.push(made);
  }
  return found;
}

function variableName(row, at) {
  const title = `${row.name} (${row.shape.join(" × ") || "a number"})`;
  const made = el("div", {class: "label", "data-row": String(at), title}, inner(row));
  made.style.top = `${MARKS + view.rows.places[at]}px`;
  made.style.height = made.style.lineHeight = `${view.rows.size}px`;
  return made;
}
