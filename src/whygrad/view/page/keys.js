// Keys that work anywhere on the page, and the sheet that lists them.

import {$, el} from "./elements.js";
import {FIELDS} from "./heat_map.js";
import {closing} from "./rule_drawer.js";
import {neighbour} from "./runs_list.js";
import {set, state} from "./state.js";

const LIST = [
  ["j  k", "the next run, the one before"],
  ["h", "go to the heat map"],
  ["← ↑ ↓ →", "in the heat map: another variable, another time (Shift: ten columns)"],
  ["Home  End", "in the heat map: the first time, the newest"],
  ["PgUp  PgDn", "in the heat map: another network"],
  ["+  −  0", "in the heat map: zoom in, out, the whole run. Dragging zooms, too."],
  ["f", "what the colours show"],
  ["t", "light or dark"],
  ["Esc", "close a panel, or leave the zoom"],
  ["?", "this list"],
];

const caps = keys => keys.split("  ").map(one => el("kbd", {}, one));

export function startKeys(turn) {
  const sheet = $("keys");
  sheet.append(
    el("div", {class: "drawer-head"}, el("h2", {id: "keys-title"}, "Keys"), closing(sheet)),
    el("dl", {}, ...LIST.flatMap(([keys, text]) => [el("dt", {}, ...caps(keys)), el("dd", {}, text)])));
  sheet.addEventListener("click", event => event.target === sheet && sheet.close());
  $("keys-button").addEventListener("click", () => sheet.showModal());
  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input[type=text], textarea, select")) return;
    if (document.querySelector("dialog[open]")) return;
    const actions = {
      "?": () => sheet.showModal(),
      t: turn,
      j: () => set({run: neighbour(1)}),
      k: () => set({run: neighbour(-1)}),
      h: () => document.querySelector("#heat .grid").focus(),
      f: () => set({field: FIELDS[(FIELDS.findIndex(([name]) => name === state.field) + 1) % FIELDS.length][0]}),
      Escape: () => set({range: null}),
    };
    if (!(event.key in actions)) return;
    actions[event.key]();
    event.preventDefault();
  });
}
