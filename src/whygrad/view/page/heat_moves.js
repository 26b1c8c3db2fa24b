// Moving in the heat map: pointing, choosing, dragging to zoom, and the same by keys.

import {$, el, say} from "./elements.js";
import {MARKS, chosenRow, columnOf, updateAt, updateOf, view, words} from "./heat_view.js";
import {whole} from "./numbers.js";
import {set, state} from "./state.js";

const PULLED = 8, LEAST = 8;
let grid, tip, again;

/** `drawAgain` shows what is pointed at and chosen. */
export function startMoves(gridElement, tipElement, drawAgain) {
  [grid, tip, again] = [gridElement, tipElement, drawAgain];
  const actions = {pointermove: move, pointerleave: leave, pointerdown: press, pointerup: release, keydown: key};
  for (const [name, action] of Object.entries(actions)) grid.addEventListener(name, event => view.heat && action(event));
}

/** Choose a variable by its row and a time by its column. */
export function choose(row, column) {
  const {group, place, name} = view.heat.rows[row], at = updateOf(column);
  set({variable: {group, place}, at});
  say($("heat-says"), `${name}, update ${whole(at)}: ${words(row, column)}`);
}

function where(event) {
  const box = grid.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
  const {rows, heat} = view, row = rows.places.findIndex(top => y - MARKS >= top && y - MARKS < top + rows.size);
  const column = Math.min(Math.max(Math.floor(x / box.width * heat.columns), 0), heat.columns - 1);
  return {row: row < 0 ? null : row, column, x, y, width: box.width};
}

function move(event) {
  const {row, column, x, y, width} = where(event);
  if (view.drag) view.drag.now = x;
  view.hovered = row;
  set({hover: {axis: "update", x: updateAt(x, width)}});
  again();
  tip.hidden = row === null || event.pointerType === "touch";
  if (tip.hidden) return;
  tip.replaceChildren(
    el("b", {}, view.heat.rows[row].name),
    el("span", {}, `update ${whole(updateOf(column))}`),
    el("span", {}, words(row, column)));
  tip.style.left = `${Math.min(grid.offsetLeft + x + 14, grid.offsetLeft + width - tip.offsetWidth)}px`;
  tip.style.top = `${y + 18}px`;
}

function leave() {
  view.hovered = view.drag = null;
  tip.hidden = true;
  set({hover: null});
  again();
}

function press(event) {
  const {x} = where(event);
  // A finger that moves scrolls the page.
  if (event.button === 0 && event.pointerType === "mouse") view.drag = {begin: x, now: x};
}

function release(event) {
  const {row, column, width} = where(event), pulled = view.drag;
  view.drag = null;
  if (pulled && Math.abs(pulled.now - pulled.begin) > PULLED) {
    const ends = [pulled.begin, pulled.now].sort((one, other) => one - other);
    const [from, to] = ends.map(x => Math.max(Math.round(updateAt(x, width) + 0.5), 0));
    if (to - from >= LEAST / 2) set({range: [from, to]});
    again();
  } else if (row !== null) choose(row, column);
}

function key(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const {heat, rows} = view, chosen = chosenRow(), row = Math.max(chosen, 0), far = event.shiftKey ? 10 : 1;
  const column = columnOf(state.at ?? heat.last), last = rows.networks.length - 1;
  const network = rows.networks.findIndex(one => row >= one.first && row < one.first + one.count);
  const moves = {
    ArrowUp: [row - 1, column],
    ArrowDown: [chosen < 0 ? 0 : row + 1, column],
    ArrowLeft: [row, column - far],
    ArrowRight: [row, column + far],
    Home: [row, 0],
    End: [row, heat.columns - 1],
    PageUp: [rows.networks[Math.max(network - 1, 0)].first, column],
    PageDown: [rows.networks[Math.min(network + 1, last)].first, column],
  };
  const zooms = {"+": 0.5, "=": 0.5, "-": 2, "−": 2};
  if (event.key in moves) {
    const [to, at] = moves[event.key];
    choose(Math.min(Math.max(to, 0), heat.rows.length - 1), Math.min(Math.max(at, 0), heat.columns - 1));
  } else if (event.key in zooms) zoom(zooms[event.key]);
  else if (event.key === "0") set({range: null});
  else return;
  event.preventDefault();
  event.stopPropagation();
}

function zoom(factor) {
  const {heat, whole: all} = view, size = Math.round((heat.last - heat.first + 1) * factor);
  if (size < LEAST) return;
  if (!all || size >= all[1] - all[0]) return set({range: null});
  const middle = state.at ?? (heat.first + heat.last) / 2;
  const from = Math.min(Math.max(all[0], Math.round(middle - size / 2)), all[1] - size);
  set({range: [from, from + size]});
}
