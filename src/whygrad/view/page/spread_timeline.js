// All histograms of one variable side by side: time to the right, large positive numbers on top, zero in the middle.

import {bytes} from "./asking.js";
import {colours, faint, sharp} from "./canvas.js";
import {power} from "./numbers.js";

const TALL = 168, BOTTOM = 22, LEFT = 42, TOP = 8;

export function drawTimeline(canvas, width, found, at) {
  const context = sharp(canvas, width, TALL);
  if (!context || !found?.columns) return;
  const ink = colours(), cells = bytes(found.cells), {columns, height, low} = found, half = (height - 1) / 2;
  const picture = new OffscreenCanvas(columns, height), image = new ImageData(columns, height);
  const probe = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
  const rgb = colour => {
    probe.fillStyle = colour;
    probe.fillRect(0, 0, 1, 1);
    return probe.getImageData(0, 0, 1, 1).data;
  };
  const above = rgb(ink.accent), below = rgb(ink.second), zero = rgb(ink.text);
  for (let place = 0; place < cells.length; place++) {
    const row = Math.floor(place / columns), colour = row < half ? above : row > half ? below : zero;
    image.data.set([colour[0], colour[1], colour[2], cells[place]], place * 4);
  }
  picture.getContext("2d").putImageData(image, 0, 0);
  const high = TALL - TOP - BOTTOM, wide = width - LEFT;
  context.fillStyle = ink.panel;
  context.fillRect(LEFT, TOP, wide, high);
  context.imageSmoothingEnabled = false;
  context.drawImage(picture, LEFT, TOP, wide, high);
  context.font = `11px ${ink.sans}`;
  context.textAlign = "right";
  context.textBaseline = "middle";
  context.fillStyle = ink.quiet;
  const row = high / height, mark = (text, place) => context.fillText(text, LEFT - 7, TOP + (place + 0.5) * row);
  mark(`2${power(low + half - 1)}`, 0);
  mark("0", half);
  mark(`−2${power(low + half - 1)}`, height - 1);
  const place = found.edges.findLastIndex(([first]) => first <= (at ?? Infinity));
  if (place >= 0) {
    const x = LEFT + (place + 0.5) / columns * wide;
    context.strokeStyle = ink.paper;
    context.lineWidth = 3;
    context.strokeRect(x, TOP, 0.01, high);
    context.strokeStyle = ink.text;
    context.lineWidth = 1;
    context.strokeRect(x, TOP, 0.01, high);
  }
  context.fillStyle = faint(ink.quiet, 1);
  context.textBaseline = "alphabetic";
  context.textAlign = "left";
  context.fillText("large and positive above, zero in the middle", LEFT, TALL - 6);
}

/** The update that a place in the picture stands for. */
export function timelineUpdate(found, width, x) {
  const at = Math.min(Math.max(Math.floor((x - LEFT) / Math.max(width - LEFT, 1) * found.columns), 0), found.columns - 1);
  const [first, last] = found.edges[at];
  return Math.round((first + last) / 2);
}
