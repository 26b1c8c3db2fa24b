// The histogram of one variable at one time: powers of two to either side of zero.

import {colours, faint, sharp} from "./canvas.js";
import {power} from "./numbers.js";

const TALL = 168, BOTTOM = 22, TOP = 8;

/** Draw it into a canvas; without one, say so. */
export function drawHistogram(canvas, width, found) {
  const context = sharp(canvas, width, TALL);
  if (!context) return;
  const ink = colours();
  if (!found) return;
  const {negative, positive, zero, low} = found, count = positive.length;
  const bar = side => (value, at) => ({value, side, exponent: low + at});
  const bars = [...negative.map(bar(-1)).reverse(), {value: zero, side: 0}, ...positive.map(bar(1))];
  const top = Math.max(...bars.map(one => one.value), 1), step = width / bars.length, high = TALL - TOP - BOTTOM;
  context.font = `11px ${ink.sans}`;
  context.textAlign = "center";
  bars.forEach(({value, side}, at) => {
    const tall = value / top * high, x = at * step;
    context.fillStyle = side === 0 ? ink.quiet : side < 0 ? ink.second : ink.accent;
    if (value) context.fillRect(x + step * 0.08, TOP + high - Math.max(tall, 1), step * 0.84, Math.max(tall, 1));
  });
  context.strokeStyle = ink.line;
  context.beginPath();
  context.moveTo(0, TOP + high + 0.5);
  context.lineTo(width, TOP + high + 0.5);
  context.stroke();
  context.fillStyle = ink.quiet;
  const every = Math.max(1, Math.ceil(count / Math.max(width / 2 / 46, 1)));
  bars.forEach(({side, exponent}, at) => {
    const due = (exponent - low) % every === Math.floor(every / 2) && Math.abs(at - count) > 1;
    const label = side === 0 ? "0" : due ? `${side < 0 ? "−" : ""}2${power(exponent)}` : "";
    if (label) context.fillText(label, Math.min(Math.max((at + 0.5) * step, 14), width - 14), TALL - 6);
  });
  if (!bars.some(one => one.value)) {
    context.fillStyle = faint(ink.text, 0.6);
    context.fillText("no number here is finite", width / 2, TALL / 2);
  }
}
