// What `whygrad run` found, and the training step as a drawing. The server made both with the code of the report page,
// which escapes all text. They are parsed in a document without scripts and stand in a shadow of their own, with the
// report's style; the page's policy lets no script run whatever they hold.

import {$, el} from "./elements.js";
import {ask} from "./asking.js";
import {openRule} from "./rule_drawer.js";

const AGAIN = 10_000, SHOWN = ["findings", "worth-knowing", "what-could-not-be-seen"];
const SIZED = "Lines are as wide as the newest gradient is large, one step for each power of ten.";
const PLAIN = "From networks to losses, and the optimizers that apply their gradients.";
let style = null, shown = "", when = 0, texts = {};

/** Show the report of a run, where it has one; `stamp` changes with the report. What has not changed stays untouched. */
export async function showReport(run, stamp) {
  const steps = $("step-section"), findings = $("findings-section"), wantedNow = `${run} ${stamp}`;
  if (!stamp) {
    shown = "";
    steps.hidden = findings.hidden = true;
    return;
  }
  if (shown === wantedNow && performance.now() - when < AGAIN) return; // widths follow the gradients now and then
  if (shown !== wantedNow) texts = {};
  shown = wantedNow;
  when = performance.now();
  const [found, sheet] = await Promise.all([ask(`runs/${run}/report`), reportStyle()]);
  if (shown !== wantedNow) return;
  if (texts.main !== found.main) showFindings(found, sheet);
  if (texts.drawings !== JSON.stringify(found.drawings)) showStep(found, sheet);
  texts = {main: found.main, drawings: JSON.stringify(found.drawings)};
}

function showFindings(found, sheet) {
  const findings = $("findings-section");
  const sections = [...parsed(found.main).body.children];
  const wanted = sections.filter(section => SHOWN.includes(section.getAttribute("aria-labelledby")));
  findings.hidden = false;
  findings.replaceChildren(
    el("h2", {id: "findings-title"}, "Findings"),
    el("p", {class: "quiet"}, found.trouble || found.head),
    shadow(sheet, wanted, "findings"));
}

function showStep(found, sheet) {
  const steps = $("step-section");
  steps.hidden = !found.drawings.length;
  steps.replaceChildren(
    el("h2", {id: "step-title"}, "The training step"),
    el("p", {class: "quiet"}, found.norms?.length ? SIZED : PLAIN),
    shadow(sheet, found.drawings.flatMap(one => [...parsed(one.html).body.children]), "step"));
}

const parsed = text => new DOMParser().parseFromString(text, "text/html");

async function reportStyle() {
  if (!style) {
    style = new CSSStyleSheet();
    style.replaceSync(await (await fetch("/page/report.css")).text());
  }
  return style;
}

function shadow(sheet, nodes, kind) {
  const host = el("div", {class: `report ${kind}`}), root = host.attachShadow({mode: "open"}), own = new CSSStyleSheet();
  own.replaceSync(`
    :host { display: block; }
    section > h2 { display: none; }
    section { margin: 0; }
    section + section { margin-top: 2rem; }
    section + section > h2 { display: block; margin: 0 0 .75rem; padding: 0; border: 0; font-size: .9375rem; }
    h3 { font-size: .9375rem; }
    .flow { fill: none; stroke: var(--accent); opacity: .3; stroke-linecap: butt; }
    .step svg.fits { max-width: 100%; }
    article { margin-bottom: 2.25rem; }
  `);
  root.adoptedStyleSheets = [sheet, own];
  root.append(...nodes.map(node => document.importNode(node, true)));
  root.addEventListener("click", event => {
    const link = event.target.closest("a[href^='#']");
    if (!link) return;
    event.preventDefault();
    const name = link.getAttribute("href").slice(1);
    if (/^W\d+$/.test(name)) openRule(name);
    else for (const {shadowRoot} of document.querySelectorAll(".report")) shadowRoot.getElementById(name)?.scrollIntoView();
  });
  return host;
}
