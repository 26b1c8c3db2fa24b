// What the heat map shows at the moment, and from cells to places and words.

import {ABSENT, BROKEN, LOWEST, UNKNOWN, ZERO} from "./heat_colours.js";
import {number, percent} from "./numbers.js";
import {state} from "./state.js";

export const AXIS = 24, MARKS = 12; // room below for the times, above for the events
export const view = {
  heat: null, // as the server sent it
  cells: null, // its bytes, row by row
  rows: null, // where its rows lie
  events: [],
  hovered: null, // row
  drag: null, // {begin, now}
  whole: null, // [first, last] update of the whole run
};

const span = () => view.heat.last - view.heat.first + 1;

/** Where an update lies, in pixels. */
export const placeOf = (at, width) => (at - view.heat.first + 0.5) / span() * width;

/** The update at a place, in pixels; between two of them, a broken number. */
export const updateAt = (x, width) => view.heat.first + x / width * span() - 0.5;

/** The column of an update. */
export function columnOf(at) {
  const {first, columns} = view.heat;
  return Math.min(Math.max(Math.floor((at - first) / span() * columns), 0), columns - 1);
}

/** An update inside a column. The last column stands for the newest one. */
export function updateOf(column) {
  const {first, last, columns} = view.heat;
  return column === columns - 1 ? last : Math.round(first + (column + 0.5) * span() / columns - 0.5);
}

/** The row of the chosen variable; -1 for none. */
export function chosenRow() {
  const chosen = state.variable;
  return chosen ? view.heat.rows.findIndex(row => row.group === chosen.group && row.place === chosen.place) : -1;
}

export const cellAt = (row, column) => view.cells[row * view.heat.columns + column];

/** What a cell says, in words. */
export function words(row, column) {
  const cell = cellAt(row, column), {scale, low, high} = view.heat, log = scale === "log";
  if (cell === ABSENT) return "no gradient";
  if (cell === ZERO) return log ? "zero" : "100 % zeros";
  if (cell === BROKEN) return "NaN or Inf";
  if (cell === UNKNOWN) return "not looked at";
  const level = (cell - LOWEST) / (255 - LOWEST);
  return log ? `≈ ${number(10 ** (low + level * (high - low)))}` : `≈ ${percent(Math.max(0, 1 - level))} zeros`;
}
