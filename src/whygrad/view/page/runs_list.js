// The list of runs at the side.

import {$, el, hold, say} from "./elements.js";
import {ago, brief, number} from "./numbers.js";
import {set, state} from "./state.js";

const items = new Map();

/** Show the runs; elements that are there stay, so that focus and scroll do. */
export function showRuns({runs, folder}) {
  const parts = folder.split(/[\\/]/);
  say($("folder"), parts.length > 3 ? `…/${parts.slice(-2).join("/")}` : folder);
  $("folder").title = folder;
  say($("runs-button"), `Runs (${runs.length})`);
  const wanted = runs.map(run => {
    let item = items.get(run.id);
    if (!item) items.set(run.id, (item = make(run)));
    fill(item, run);
    return item.element;
  });
  for (const [id] of items) if (!runs.some(run => run.id === id)) items.delete(id);
  hold($("runs-list"), wanted);
}

function make(run) {
  const [dot, name, facts, events] = ["dot", "run-name", "run-facts", "badge"].map(kind => el("span", {class: kind}));
  const button = el("button", {type: "button", onclick: () => {
    set({run: run.id});
    $("runs-button").setAttribute("aria-expanded", "false");
    document.body.classList.remove("runs-open");
  }}, el("span", {class: "run-line"}, dot, name, events), facts);
  return {element: el("li", {}, button), button, dot, name, facts, events};
}

function fill(item, run) {
  item.button.classList.toggle("live", run.live);
  item.button.setAttribute("aria-current", state.run === run.id ? "true" : "false");
  item.dot.title = run.live ? "live" : "";
  say(item.name, run.name);
  item.name.title = run.name;
  say(item.events, run.events ? String(run.events) : "");
  item.events.title = run.events ? `${run.events} event${run.events === 1 ? "" : "s"}` : "";
  item.events.hidden = !run.events;
  const count = run.updates ? `${brief(run.updates)} updates` : run.steps ? `${brief(run.steps)} steps` : "nothing yet";
  const value = run.return !== null ? `return ${number(run.return)}` : run.loss !== null ? `loss ${number(run.loss)}` : null;
  const when = run.live ? "live" : ago(Date.now() / 1000 - run.changed);
  say(item.facts, run.trouble ? "cannot be read" : [count, value, when].filter(Boolean).join(" · "));
}

/** Mark the chosen one. */
export function markRun() {
  for (const [id, item] of items) item.button.setAttribute("aria-current", state.run === id ? "true" : "false");
}

/** The run before or after the chosen one. */
export function neighbour(step) {
  const ids = [...$("runs-list").children].map(element => [...items].find(([, item]) => item.element === element)?.[0]);
  const at = ids.indexOf(state.run);
  return ids[Math.min(Math.max(at + step, 0), ids.length - 1)] ?? null;
}

export function startRunsList() {
  $("runs-button").addEventListener("click", () => {
    const open = document.body.classList.toggle("runs-open");
    $("runs-button").setAttribute("aria-expanded", String(open));
  });
}
