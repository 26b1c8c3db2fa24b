// What the colours of the heat map stand for.

import {el} from "./elements.js";
import {sharp} from "./canvas.js";
import {LOWEST, PALETTE, css} from "./heat_colours.js";
import {number, percent} from "./numbers.js";

const WIDE = 180, HIGH = 10;

/** The elements of the legend: the ramp between its two ends, and the three colours beside it. */
export function legend({scale, low, high}) {
  const log = scale === "log", end = value => (log ? number(10 ** value) : percent(1 - value));
  return [
    el("span", {class: "ramp-line"}, el("span", {}, end(low)), ramp(), el("span", {}, end(high))),
    sample("dead", log ? "zero: dead" : "all zeros"),
    sample("absent", "no gradient"),
    sample("broken", "NaN or Inf"),
  ];
}

function ramp() {
  const bar = el("canvas", {class: "ramp", role: "img", "aria-label": "Colours from small to large"});
  const context = sharp(bar, WIDE, HIGH);
  for (let x = 0; x < WIDE; x++) {
    context.fillStyle = css(PALETTE[Math.round(LOWEST + x / (WIDE - 1) * (255 - LOWEST))]);
    context.fillRect(x, 0, 1.5, HIGH);
  }
  return bar;
}

const sample = (kind, word) => el("span", {class: "sample"}, el("span", {class: `chip ${kind}`}), word);
