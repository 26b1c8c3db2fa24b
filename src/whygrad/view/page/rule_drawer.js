// The manual page of a rule, at the side.

import {$, el, prose} from "./elements.js";
import {ask} from "./asking.js";

const CODE = /example|instead/i;

/** Fetch a page and show it. */
export async function openRule(code) {
  const drawer = $("rule");
  let rule;
  try {
    rule = await ask(`rules/${encodeURIComponent(code)}`);
  } catch (error) {
    rule = {code, name: "", summary: error.message, manual: ""};
  }
  const body = rule.manual.split("\n").slice(1).join("\n").trim();
  drawer.replaceChildren(
    el("div", {class: "drawer-head"},
      el("p", {class: "kicker"}, rule.code, " ", el("span", {}, rule.name)),
      closing(drawer)),
    el("h2", {id: "rule-title"}, ...prose(rule.summary)),
    ...sections(body));
  if (!drawer.open) drawer.showModal();
  drawer.scrollTop = 0;
}

/** The button that closes a dialog. */
export function closing(dialog) {
  return el("button", {type: "button", class: "tool", "aria-label": "Close", onclick: () => dialog.close()}, "×");
}

const paragraph = text => el("p", {class: "prose"}, ...prose(text.replace(/\s*\n\s*/g, " ")));

/** A manual page has headings at the margin, and indented text below them; below some of them it is code. */
function sections(body) {
  const made = [];
  let lines = [], code = false;
  const flush = () => {
    const text = lines.join("\n").replace(/^\n+|\s+$/g, "");
    if (text && code) made.push(el("pre", {class: "manual", tabIndex: 0}, text));
    else if (text) made.push(...text.split(/\n\s*\n/).map(paragraph));
    lines = [];
  };
  for (const line of body.split("\n")) {
    if (/^\S/.test(line) && line.length < 50 && !/[.:;,)]$/.test(line)) {
      flush();
      code = CODE.test(line);
      made.push(el("h3", {}, line));
    } else lines.push(line.replace(/^ {4}/, ""));
  }
  flush();
  return made;
}

export function startRuleDrawer() {
  $("rule").addEventListener("click", event => event.target === $("rule") && $("rule").close());
}
