// The charts at the top: returns, losses, norms, and the rest on request.

import {$, hold, say} from "./elements.js";
import {LineChart} from "./line_chart.js";
import {set} from "./state.js";

const FIRST = 3, ALONE = 6; // more where there is no heat map below
const known = new Map();
let all = false, shownRun = null, held = null;

/** Show the series of a run, each in a chart of its own; charts that are there are drawn anew, not made anew. */
export function showCharts(run, series, events, watched) {
  held = [run, series, events, watched];
  if (run !== shownRun) {
    known.clear();
    $("charts").replaceChildren();
    shownRun = run;
    all = false;
  }
  const first = leading(series, watched ? FIRST : ALONE), some = all ? series : first;
  const marks = events.map(event => event.at);
  const wanted = some.map(one => {
    let chart = known.get(one.name);
    if (!chart) {
      const positive = Boolean(one.applied) || one.mean.every(value => value === null || value > 0);
      chart = new LineChart({title: one.name, log: one.kind === "norm" && positive, pick: at => set({at})});
      known.set(one.name, chart);
    }
    return {chart, one};
  });
  const elements = wanted.map(({chart}) => chart.element);
  hold($("charts"), elements);
  for (const {chart, one} of wanted) {
    chart.show(lines(one), one.axis, one.axis === "update" ? marks : []);
  }
  const more = $("more-charts"), left = series.length - first.length;
  more.hidden = left === 0;
  more.setAttribute("aria-expanded", String(all));
  say(more, all ? "Show fewer charts" : `Show ${left} more chart${left === 1 ? "" : "s"}`);
  $("charts-section").hidden = series.length === 0;
}

function lines(one) {
  const {x, mean, low, high} = one;
  const main = {name: one.name, colour: ink => ink.accent, x, mean, low: one.merged ? low : null, high: one.merged ? high : null};
  if (!one.applied || !one.applied.some((value, at) => value !== null && value < 0.995 * mean[at])) return [main];
  return [{...main, name: "as it came"}, {name: "after clipping", colour: ink => ink.second, x, mean: one.applied, dashed: true}];
}

/** The first of each kind first, then the others. */
function leading(series, count) {
  const kinds = ["return", "loss", "norm"], found = [];
  for (const kind of kinds) {
    const one = series.find(some => some.kind === kind && some.applied) ?? series.find(some => some.kind === kind);
    if (one) found.push(one);
  }
  for (const one of series) if (found.length < count && !found.includes(one)) found.push(one);
  return found;
}

export function startCharts() {
  $("more-charts").addEventListener("click", () => {
    all = !all;
    showCharts(...held);
  });
}
