// Events in the order in which they began; a click shows where, and what the rule says.

import {$, el, prose, say} from "./elements.js";
import {openRule} from "./rule_drawer.js";
import {whole} from "./numbers.js";
import {set} from "./state.js";

const MOST = 200;
let shown = "";

/** Show the events of a run. `rows` are the variables of the heat map, to find the one that an event is about. */
export function showEvents(run, events, rows, watched) {
  const now = JSON.stringify([run, events.map(event => event.id)]);
  if (now === shown) return;
  shown = now;
  const groups = together(events);
  $("events").replaceChildren(...groups.slice(0, MOST).map(some => item(some, rows)));
  if (groups.length > MOST) $("events").append(el("li", {class: "quiet"}, `and ${whole(groups.length - MOST)} later ones`));
  $("events-title").replaceChildren("Events", ...(events.length ? [el("span", {class: "count"}, String(events.length))] : []));
  const calm = "Nothing happened to the gradients that needs a word.", unseen = "The gradients of this run were not watched.";
  say($("no-events"), events.length ? "" : watched ? calm : unseen);
}

/** Those of one kind in the same update are one: a whole network dies at once. */
function together(events) {
  const found = new Map();
  for (const event of [...events].sort((one, other) => one.at - other.at || one.id - other.id)) {
    const key = JSON.stringify([event.at, event.kind, event.code, event.group, event.worker]);
    found.set(key, [...(found.get(key) ?? []), event]);
  }
  return [...found.values()];
}

function item(some, rows) {
  const [event] = some, go = () => find(event, rows);
  const others = some.slice(1).filter(one => one.variable);
  return el("li", {class: `event ${severity(event.code)}`},
    el("button", {type: "button", class: "place", title: "Show it in the heat map", onclick: go},
      el("span", {class: "at"}, `update ${whole(event.at)}`), el("span", {class: "kind"}, event.kind)),
    el("p", {class: "says"}, ...prose(event.text)),
    event.variable && !event.text.includes(event.variable) ? el("p", {class: "variable"}, event.variable) : null,
    event.worker && !event.text.includes(event.worker) ? el("p", {class: "variable"}, `in ${event.worker}`) : null,
    others.length ? more(others, rows) : null,
    event.code ? explain(event.code) : null);
}

function more(others, rows) {
  const button = one => el("button", {type: "button", class: "variable", onclick: () => find(one, rows)}, one.variable);
  const count = `and ${whole(others.length)} more variable${others.length === 1 ? "" : "s"}`;
  return el("details", {}, el("summary", {}, count), ...others.map(button));
}

function explain(code) {
  const hint = el("span", {class: "hidden"}, ": explain this rule");
  return el("button", {type: "button", class: "code", onclick: () => openRule(code)}, code, hint);
}

/** Choose the variable and the time of an event. */
function find(event, rows) {
  const named = rows.filter(one => one.name === event.variable);
  const row = named.find(one => one.group === event.group) ?? named[0];
  set({at: event.at, range: null, ...(row ? {variable: {group: row.group, place: row.place}} : {})});
}

/** Numbers that are not finite and layers that are cut off are errors; the rest are warnings. */
const severity = code => (/^W(1|2|402|401)/.test(code) ? "error" : "warning");
