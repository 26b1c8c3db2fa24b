// A canvas that is as sharp as the screen, and colours from the page's style.

import {tickText, ticks} from "./numbers.js";

/** Fit a canvas to its place; the context draws in CSS pixels. Null while it has none. */
export function sharp(canvas, width, height) {
  if (!(width > 0 && height > 0)) return null;
  const ratio = Math.min(window.devicePixelRatio || 1, 3);
  const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.width = wide;
    canvas.height = high;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext("2d");
  context.setTransform(wide / width, 0, 0, high / height, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

/** The page's colours as they are now. */
export function colours() {
  const style = getComputedStyle(document.documentElement);
  const of = name => style.getPropertyValue(`--${name}`).trim();
  const names = ["paper", "panel", "line", "text", "quiet", "accent", "second", "error", "absent", "broken", "sans"];
  return Object.fromEntries(names.map(name => [name, of(name)]));
}

export function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

/** Write steps or updates below a picture, about so many, between two edges; none runs into its neighbour. */
export function labelTimes(context, first, last, about, place, left, right, y) {
  const places = ticks(first, last, Math.max(3, about)).filter(Number.isInteger);
  let free = -Infinity;
  context.textAlign = "left";
  for (const at of places) {
    const text = tickText(at, places[1] - places[0]), wide = context.measureText(text).width;
    const x = Math.min(Math.max(place(at) - wide / 2, left), right - wide);
    if (x < free) continue;
    context.fillText(text, x, y);
    free = x + wide + 10;
  }
}

/** A colour with another opacity. */
export function faint(colour, share) {
  return `color-mix(in srgb, ${colour} ${Math.round(share * 100)}%, transparent)`;
}

/** Draw again when the place's size changes. */
export function whenSized(element, draw) {
  let last = 0;
  new ResizeObserver(() => {
    const width = element.clientWidth;
    if (width !== last) {
      last = width;
      draw();
    }
  }).observe(element);
}
