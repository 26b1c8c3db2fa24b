// The page: asks what there is, shows it, and asks again while a run is live and somebody looks.

import {$, el, say} from "./elements.js";
import {ask} from "./asking.js";
import {showCharts, startCharts} from "./charts.js";
import {showEvents} from "./events_list.js";
import {FIELDS, showHeatMap, startHeatMap} from "./heat_map.js";
import {startKeys} from "./keys.js";
import {whole} from "./numbers.js";
import {showReport} from "./report_parts.js";
import {startRuleDrawer} from "./rule_drawer.js";
import {markRun, showRuns, startRunsList} from "./runs_list.js";
import {showSnake, startSnake, redrawSnake} from "./snake_player.js";
import {on, remembered, set, state} from "./state.js";
import {startTheme, turnTheme} from "./theme.js";
import {loadVariable, redrawVariable, startVariablePanel} from "./variable_panel.js";

const LIVE = 1000, QUIET = 3000; // milliseconds between two looks
const NOTHING = {variable: null, at: null, range: null}; // chosen
let shown = {run: null, version: null}, overview = null, heat = null, timer = null, busy = false, again = false;

async function look() {
  clearTimeout(timer);
  if (document.hidden) return;
  if (busy) {
    again = true; // something was chosen meanwhile: look as soon as this is shown
    return;
  }
  busy = true;
  let pause = QUIET;
  try {
    const found = await ask("runs");
    showRuns(found);
    $("waiting").hidden = true;
    $("empty").hidden = found.runs.length > 0;
    if (!found.runs.length) showEmpty(found.folder);
    if (found.runs.length && !found.runs.some(one => one.id === state.run)) set({run: found.runs[0].id, ...NOTHING});
    const run = found.runs.find(one => one.id === state.run);
    if (run) {
      showLive(run);
      if (run.id !== shown.run || run.version !== shown.version) await showRun(run.id).catch(error => showBroken(run, error));
    }
    $("run").hidden = !run;
    if (found.runs.some(one => one.live)) pause = LIVE;
  } catch (error) {
    lost(error);
  } finally {
    busy = false;
  }
  timer = setTimeout(look, again ? 0 : pause);
  again = false;
}

async function showRun(id) {
  const [found, map] = await Promise.all([ask(`runs/${id}/overview`), askHeat(id)]);
  if (id !== state.run) return;
  overview = found;
  heat = map;
  shown = {run: id, version: found.version};
  document.title = `${found.name} · whygrad`;
  say($("run-name"), found.name);
  showFacts(found);
  $("trouble").hidden = !found.trouble;
  say($("trouble"), found.trouble ?? "");
  $("run").hidden = false;
  showCharts(id, found.series, found.events, found.watched);
  $("unwatched").hidden = found.watched;
  showHeatMap(map, found.events);
  performance.mark("heat-shown");
  showEvents(id, found.events, map.rows, found.watched);
  const {group, place} = state.variable ?? {};
  if (!map.rows.some(row => row.group === group && row.place === place)) set({variable: null, at: null});
  if (!state.variable && map.rows.length) chooseFirst(found, map);
  else await loadVariable();
  showSnake(id, found.snake);
  showReport(id, found.report).catch(lost);
}

/** A run that cannot be read: why, in place of what it would show. Asked for again when it has changed. */
function showBroken(run, error) {
  if (error instanceof TypeError) throw error; // the server is gone, which is another matter
  shown = {run: run.id, version: run.version};
  overview = heat = null;
  document.title = `${run.name} · whygrad`;
  say($("run-name"), run.name);
  $("facts").replaceChildren();
  delete $("facts").dataset.shown;
  for (const section of document.querySelectorAll("#run section:not(#events-section)")) section.hidden = true;
  showEvents(run.id, [], [], true);
  say($("no-events"), "");
  $("trouble").hidden = false;
  say($("trouble"), error.message);
}

const askHeat = id => ask(`runs/${id}/heat`, {field: state.field, from: state.range?.[0], to: state.range?.[1]});

/** What a person would look at first: the variable of the first event, else the first one, at its time. */
function chooseFirst(found, map) {
  for (const event of found.events) {
    const row = map.rows.find(one => one.name === event.variable && one.group === event.group);
    if (row && /^W4/.test(event.code)) return set({variable: {group: row.group, place: row.place}, at: event.at});
  }
  set({variable: {group: map.rows[0].group, place: map.rows[0].place}, at: null});
}

function showFacts(found) {
  const every = found.groups.map(group => group.every).sort((one, other) => one - other), most = every.at(-1);
  const facts = [
    ...found.facts,
    ...(found.updates ? [["updates", whole(found.updates)]] : []),
    ...(found.variables ? [["variables", whole(found.variables)]] : []),
    ...(most > 1 ? [["looked at", `every ${every[0] === most ? most : `${every[0]} – ${most}`} updates`]] : []),
  ];
  const text = JSON.stringify(facts);
  if ($("facts").dataset.shown === text) return;
  $("facts").dataset.shown = text;
  $("facts").replaceChildren(...facts.map(([word, value]) => el("div", {}, el("dt", {}, word), el("dd", {}, value))));
}

function showLive(run) {
  const pill = $("run-live");
  pill.classList.toggle("live", run.live);
  pill.classList.remove("lost");
  say(pill, run.live ? "live" : "");
}

function lost(error) {
  const pill = $("run-live"), gone = error instanceof TypeError; // that is what `fetch` raises
  pill.classList.remove("live");
  pill.classList.add("lost");
  say(pill, gone ? "server gone" : "");
  $("trouble").hidden = gone;
  say($("trouble"), gone ? "" : error.message);
  say($("waiting"), gone ? "The server does not answer any more: start it again, and open its new address." : error.message);
}

function showEmpty(folder) {
  const empty = $("empty");
  if (empty.children.length) return;
  document.title = "whygrad";
  empty.append(
    el("h1", {}, "No runs yet"),
    el("p", {}, "There is nothing in ", el("code", {}, folder), ". This page shows a run as soon as there is one."),
    el("h2", {}, "Watch a training of your own"),
    el("pre", {}, "import whygrad\n\nwhygrad.watch(model, optimizer)   # before the loop, that is all"),
    el("h2", {}, "Or train an agent"),
    el("pre", {}, "whygrad train dqn --env CartPole-v1"));
}

async function heatAgain() {
  if (!state.run || !overview) return;
  const id = state.run, wanted = JSON.stringify([state.field, state.range]);
  try {
    const map = await askHeat(id);
    if (id !== state.run || wanted !== JSON.stringify([state.field, state.range])) return;
    heat = map;
    showHeatMap(map, overview.events);
  } catch (error) {
    lost(error);
  }
}

function drawAgain() {
  if (!overview) return;
  showCharts(state.run, overview.series, overview.events, overview.watched);
  if (heat) showHeatMap(heat, overview.events);
  redrawVariable();
  redrawSnake();
}

const kept = remembered();
if (!FIELDS.some(([name]) => name === kept.field)) delete kept.field;
set(kept);
startRunsList();
startCharts();
startHeatMap();
startVariablePanel();
startRuleDrawer();
startSnake();
startTheme(drawAgain);
startKeys(() => turnTheme(drawAgain));
on(["run"], () => {
  markRun();
  if (shown.run !== null && shown.run !== state.run) {
    set({...NOTHING, hover: null});
    shown = {run: null, version: null};
    window.scrollTo(0, 0);
  }
  look();
});
on(["field", "range"], heatAgain);
document.addEventListener("visibilitychange", look);
look();
