// What is chosen on the page, and who wants to know of it. Kept in the address, so that a reload shows the same.

const listeners = [];
export const state = {
  run: null, // id
  field: "norm",
  variable: null, // {group, place}
  at: null, // update
  hover: null, // {axis, x}
  range: null, // [from, to] updates
};

/** Call with the new state whenever one of these keys changes. */
export function on(keys, listener) {
  listeners.push({keys, listener});
}

/** Change some of it. */
export function set(changes) {
  const changed = Object.keys(changes).filter(key => !same(state[key], changes[key]));
  if (!changed.length) return;
  Object.assign(state, changes);
  if (changed.some(key => key !== "hover")) remember();
  for (const {keys, listener} of listeners) if (keys.some(key => changed.includes(key))) listener(state);
}

const same = (one, other) => one === other || JSON.stringify(one) === JSON.stringify(other);

function remember() {
  const kept = new URLSearchParams();
  if (state.run) kept.set("run", state.run);
  if (state.field !== "norm") kept.set("field", state.field);
  if (state.variable) kept.set("variable", `${state.variable.group}.${state.variable.place}`);
  if (state.at !== null) kept.set("at", state.at);
  if (state.range) kept.set("range", state.range.join("-"));
  history.replaceState(null, "", `#${kept}`);
}

/** What the address says. */
export function remembered() {
  const kept = new URLSearchParams(location.hash.slice(1)), found = {};
  if (kept.get("run")) found.run = kept.get("run");
  if (kept.get("field")) found.field = kept.get("field");
  const variable = (kept.get("variable") ?? "").match(/^(\d+)\.(\d+)$/);
  if (variable) found.variable = {group: Number(variable[1]), place: Number(variable[2])};
  if (/^\d+$/.test(kept.get("at") ?? "")) found.at = Number(kept.get("at"));
  const range = (kept.get("range") ?? "").match(/^(\d+)-(\d+)$/);
  if (range && Number(range[1]) < Number(range[2])) found.range = [Number(range[1]), Number(range[2])];
  return found;
}
