// What is known of the chosen variable: its numbers at the chosen time, its histogram there, and both over time.

import {$, el, say} from "./elements.js";
import {ask} from "./asking.js";
import {whenSized} from "./canvas.js";
import {drawHistogram} from "./histogram.js";
import {LineChart} from "./line_chart.js";
import {number, percent, whole} from "./numbers.js";
import {drawTimeline, timelineUpdate} from "./spread_timeline.js";
import {on, set, state} from "./state.js";

let variable = null, moment = null, asked = 0;
const name = el("h2", {id: "variable-title"}), shape = el("p", {class: "quiet shape"}), numbers = el("dl", {class: "numbers"});
const histogram = el("canvas", {role: "img"}), timeline = el("canvas", {role: "img", class: "pickable"});
const histogramPlace = el("div", {class: "plot"}, histogram), timelinePlace = el("div", {class: "plot"}, timeline);
const histogramTitle = el("span", {class: "name"}, "Histogram"), histogramNote = el("span", {class: "value"});
let norms = null;

export function startVariablePanel() {
  norms = new LineChart({title: "Norm", log: true, tall: 168, pick: at => set({at})});
  $("variable-section").append(
    el("div", {class: "bar"}, name, shape), numbers,
    el("div", {class: "charts"},
      el("figure", {class: "chart"}, el("figcaption", {}, histogramTitle, histogramNote), histogramPlace),
      el("figure", {class: "chart"}, el("figcaption", {}, el("span", {class: "name"}, "Histograms over time")), timelinePlace),
      norms.element));
  whenSized(histogramPlace, draw);
  timelinePlace.addEventListener("click", event => {
    if (!variable?.timeline.columns) return;
    const box = timelinePlace.getBoundingClientRect();
    set({at: timelineUpdate(variable.timeline, box.width, event.clientX - box.left)});
  });
  on(["variable"], () => loadVariable());
  on(["at"], () => loadMoment());
}

/** Ask for the chosen variable; what came too late is thrown away. */
export async function loadVariable() {
  const {run, variable: chosen} = state;
  if (!run || !chosen) {
    $("variable-section").hidden = true;
    variable = null;
    return;
  }
  const mine = ++asked;
  const [found] = await Promise.all([ask(`runs/${run}/variable`, chosen).catch(() => null), loadMoment()]);
  if (mine !== asked || !found) return;
  variable = found;
  $("variable-section").hidden = false;
  say(name, found.name);
  say(shape, `${found.shape.join(" × ") || "a number"} · ${found.optimizer}`);
  draw();
}

async function loadMoment() {
  const {run, variable: chosen, at} = state;
  if (!run || !chosen) return;
  const found = await ask(`runs/${run}/moment`, {...chosen, at: at ?? 2 ** 50}).catch(() => null);
  if (!found || state.at !== at || state.variable !== chosen) return;
  moment = found;
  showNumbers();
  draw();
}

function showNumbers() {
  const seen = moment.seen;
  if (!seen) return numbers.replaceChildren();
  const absent = seen.present === 0;
  const rows = [
    ["update", reach(seen)],
    ["norm", absent ? "no gradient" : number(seen.norm), !absent && seen.norm === 0],
    ["after clipping", absent ? "–" : clipped(seen)],
    ["step / weights", number(seen.ratio)],
    ["zeros", percent(seen.zeros), seen.zeros === 1],
    ["largest", number(seen.largest)],
    ["NaN, Inf", `${whole(seen.nans ?? 0)}, ${whole(seen.infs ?? 0)}`, seen.nans > 0 || seen.infs > 0],
  ];
  const pair = ([word, text, bad]) => el("div", {}, el("dt", {}, word), el("dd", {class: bad ? "bad" : ""}, text));
  numbers.replaceChildren(...rows.map(pair));
}

function clipped(seen) {
  if (!(seen.norm > 0) || seen.applied === null) return number(seen.applied);
  const left = seen.applied / seen.norm;
  return left < 0.995 ? `${number(seen.applied)} (${percent(left)} left)` : number(seen.applied);
}

function draw() {
  if (!variable || $("variable-section").hidden) return;
  const found = moment?.histogram;
  drawHistogram(histogram, histogramPlace.clientWidth, found);
  say(histogramNote, found ? `update${found.first === found.last ? "" : "s"} ${reach(found)}` : "none was kept");
  histogram.setAttribute("aria-label", found ? spoken(found) : "No histogram");
  drawTimeline(timeline, timelinePlace.clientWidth, variable.timeline, state.at);
  timeline.setAttribute("aria-label", `Histograms of ${variable.name} over time`);
  const {x, norm, applied} = variable.lines;
  if (x.length) {
    norms.show([
      {name: "as it came", colour: ink => ink.accent, x, mean: norm},
      {name: "after clipping", colour: ink => ink.second, x, mean: applied, dashed: true},
    ], "update");
  }
}

const reach = ({first, last}) => (first === last ? whole(first) : `${whole(first)} – ${whole(last)}`);
const spoken = ({negative, zero, positive}) =>
  `Histogram of ${variable.name}: ${sum(negative)} numbers below zero, ${whole(zero)} zero, ${sum(positive)} above`;
const sum = values => whole(values.reduce((total, value) => total + value, 0));

/** Draw again in other colours. */
export const redrawVariable = draw;
