// One chart: a line with a band from its lowest to its highest, linear or logarithmic, with the crosshair of all charts.

import {el, say} from "./elements.js";
import {colours, faint, labelTimes, sharp, whenSized} from "./canvas.js";
import {number, power, tickText, ticks} from "./numbers.js";
import {on, set, state} from "./state.js";

const TALL = 148, LEFT = 46, RIGHT = 10, TOP = 8, BOTTOM = 20, LEGEND = 16;

export class LineChart {
  /** `lines`: [{name, colour, x, mean, low, high}] over one axis. `pick` is called with a place that was clicked. */
  constructor({title, log = false, tall = TALL, pick = null}) {
    this.lines = [];
    this.axis = "update";
    this.marks = [];
    this.tall = tall;
    this.log = log;
    this.value = el("span", {class: "value"});
    const pressed = {"aria-pressed": String(log), title: "Logarithmic scale", onclick: () => this.#turn()};
    this.toggle = el("button", {type: "button", class: "tiny", ...pressed}, "log");
    this.canvas = el("canvas", {role: "img"});
    this.legend = el("div", {class: "legend"});
    this.place = el("div", {class: "plot"}, this.canvas, this.legend);
    this.element = el("figure", {class: "chart"},
      el("figcaption", {}, el("span", {class: "name", title}, title), this.toggle, this.value), this.place);
    this.title = title;
    this.place.addEventListener("pointermove", event => set({hover: {axis: this.axis, x: this.#x(event)}}));
    this.place.addEventListener("pointerleave", () => set({hover: null}));
    this.place.tabIndex = 0;
    this.place.setAttribute("role", "group");
    this.place.setAttribute("aria-label", `${title}: left and right read its values`);
    this.place.addEventListener("keydown", event => this.#key(event, pick));
    this.place.addEventListener("focus", () => this.value.setAttribute("aria-live", "polite"));
    this.place.addEventListener("blur", () => {
      this.value.removeAttribute("aria-live"); // what a live run changes by itself is not read out
      set({hover: null});
    });
    if (pick) this.place.addEventListener("click", event => this.axis === "update" && pick(Math.round(this.#x(event))));
    whenSized(this.place, () => this.draw());
    on(["hover", "at", "range"], () => this.element.isConnected && this.draw());
  }

  show(lines, axis, marks = []) {
    this.lines = lines;
    this.axis = axis;
    this.marks = marks;
    this.legend.hidden = lines.length < 2;
    if (lines.length > 1) {
      this.legend.replaceChildren(...lines.map(line => {
        const key = el("span", {class: "key"});
        key.style.background = line.colour(colours());
        return el("span", {}, key, line.name);
      }));
    }
    this.draw();
  }

  #turn() {
    this.log = !this.log;
    this.toggle.setAttribute("aria-pressed", String(this.log));
    this.draw();
  }

  #key(event, pick) {
    const [low, high] = this.#reach(), step = (high - low) / (event.shiftKey ? 10 : 100);
    const now = state.hover?.axis === this.axis ? state.hover.x : high;
    const x = {ArrowLeft: now - step, ArrowRight: now + step, Home: low, End: high}[event.key];
    if (x !== undefined) set({hover: {axis: this.axis, x: Math.min(Math.max(x, low), high)}});
    else if (event.key === "Enter" && pick && this.axis === "update") pick(Math.round(now));
    else return;
    event.preventDefault();
  }

  #x(event) {
    const box = this.place.getBoundingClientRect(), [low, high] = this.#reach();
    const share = (event.clientX - box.left - LEFT) / Math.max(box.width - LEFT - RIGHT, 1);
    return low + Math.min(Math.max(share, 0), 1) * (high - low);
  }

  #reach() {
    if (state.range && this.axis === "update") return state.range;
    let low = Infinity, high = -Infinity;
    for (const {x} of this.lines) if (x.length) [low, high] = [Math.min(low, x[0]), Math.max(high, x.at(-1))];
    return low < high ? [low, high] : [low === Infinity ? 0 : low, (high === -Infinity ? 0 : high) + 1];
  }

  #limits([from, to]) {
    const found = [];
    for (const line of this.lines) {
      line.x.forEach((x, at) => {
        if (x < from || x > to) return;
        for (const value of [line.mean[at], line.low?.[at], line.high?.[at]]) {
          if (value !== null && value !== undefined && (!this.log || value > 0)) found.push(value);
        }
      });
    }
    if (!found.length) return this.log ? [0.1, 10] : [0, 1];
    found.sort((one, other) => one - other);
    // One wild value is not to flatten all others; it runs out of the picture instead.
    const far = found.length > 60 ? Math.floor(found.length * 0.004) : 0;
    let low = found[far], high = found[found.length - 1 - far];
    for (const {mean} of this.lines) { // but the newest is what one looks for
      const newest = mean.findLast(value => value !== null && (!this.log || value > 0)) ?? low;
      [low, high] = [Math.min(low, newest), Math.max(high, newest)];
    }
    if (this.log) return low === high ? [low / 3, high * 3] : [low / 1.15, high * 1.15];
    const pad = (high - low || Math.abs(high) || 1) * 0.06;
    return [low >= 0 && low - pad < 0 ? Math.min(0, low) : low - pad, high + pad];
  }

  draw() {
    const width = this.place.clientWidth, context = sharp(this.canvas, width, this.tall);
    if (!context) return;
    const ink = colours(), reach = this.#reach(), limits = this.#limits(reach);
    const top = TOP + (this.lines.length > 1 ? LEGEND : 0), wide = width - LEFT - RIGHT, high = this.tall - top - BOTTOM;
    this.top = top;
    const [from, to] = this.log ? limits.map(Math.log10) : limits;
    const px = x => LEFT + (x - reach[0]) / (reach[1] - reach[0]) * wide;
    const py = value => top + high - ((this.log ? Math.log10(value) : value) - from) / (to - from) * high;
    this.#grid(context, ink, reach, [from, to], px, wide, high);
    context.save();
    context.beginPath();
    context.rect(LEFT, top - 2, wide, high + 4);
    context.clip();
    for (const line of this.lines) this.#line(context, line, ink, px, py);
    context.restore();
    this.#marks(context, ink, reach, px, high);
    this.#cross(context, ink, reach, px, py, high);
  }

  #grid(context, ink, reach, [from, to], px, wide, high) {
    context.font = `11px ${ink.sans}`;
    context.lineWidth = 1;
    context.textBaseline = "middle";
    context.textAlign = "right";
    const marks = this.log ? powers(from, to) : ticks(from, to, 3);
    for (const mark of marks) {
      const y = Math.round(this.top + high - (mark - from) / (to - from) * high) + 0.5;
      context.strokeStyle = ink.line;
      context.beginPath();
      context.moveTo(LEFT, y);
      context.lineTo(LEFT + wide, y);
      context.stroke();
      context.fillStyle = ink.quiet;
      context.fillText(this.log ? powerText(mark) : tickText(mark, marks[1] - marks[0]), LEFT - 8, y, LEFT - 8);
    }
    context.textBaseline = "alphabetic";
    context.fillStyle = ink.quiet;
    labelTimes(context, reach[0], reach[1], wide / 80, px, LEFT, LEFT + wide, this.tall - 4);
  }

  #line(context, line, ink, px, py) {
    const colour = line.colour(ink), usable = value => value !== null && value !== undefined && (!this.log || value > 0);
    const spans = [];
    line.x.forEach((x, at) => {
      if (!usable(line.mean[at])) spans.push([]);
      else (spans.length ? spans : (spans.push([]), spans)).at(-1).push(at);
    });
    for (const span of spans) {
      if (line.low && line.high && span.length > 1) {
        context.beginPath();
        const edge = values => at => context.lineTo(px(line.x[at]), py(usable(values[at]) ? values[at] : line.mean[at]));
        span.forEach(edge(line.high));
        [...span].reverse().forEach(edge(line.low));
        context.fillStyle = faint(colour, 0.2);
        context.fill();
      }
      context.beginPath();
      span.forEach((at, n) => context[n ? "lineTo" : "moveTo"](px(line.x[at]), py(line.mean[at])));
      context.strokeStyle = colour;
      context.lineWidth = 1.6;
      context.lineJoin = "round";
      context.setLineDash(line.dashed ? [4, 3] : []);
      context.stroke();
      context.setLineDash([]);
      if (span.length === 1) {
        context.fillStyle = colour;
        context.fillRect(px(line.x[span[0]]) - 1.5, py(line.mean[span[0]]) - 1.5, 3, 3);
      }
    }
  }

  #marks(context, ink, reach, px, high) {
    for (const at of this.marks) {
      if (at < reach[0] || at > reach[1]) continue;
      const x = px(at);
      context.fillStyle = ink.error;
      context.beginPath();
      context.moveTo(x - 3.5, this.top + high + 6);
      context.lineTo(x + 3.5, this.top + high + 6);
      context.lineTo(x, this.top + high);
      context.fill();
    }
  }

  #cross(context, ink, reach, px, py, high) {
    const hover = state.hover?.axis === this.axis ? state.hover.x : null;
    const chosen = this.axis === "update" ? state.at : null;
    const line = (x, colour, dash) => {
      context.strokeStyle = colour;
      context.lineWidth = 1;
      context.setLineDash(dash);
      context.beginPath();
      context.moveTo(Math.round(px(x)) + 0.5, this.top);
      context.lineTo(Math.round(px(x)) + 0.5, this.top + high);
      context.stroke();
      context.setLineDash([]);
    };
    if (chosen !== null && chosen >= reach[0] && chosen <= reach[1]) line(chosen, faint(ink.text, 0.55), [2, 3]);
    if (hover !== null && hover >= reach[0] && hover <= reach[1]) line(hover, ink.quiet, []);
    const at = hover ?? reach[1], texts = [];
    for (const one of this.lines) {
      const near = nearest(one.x, at);
      const value = near < 0 ? null : one.mean[near];
      if (hover !== null && value !== null && value !== undefined && (!this.log || value > 0)) {
        context.fillStyle = one.colour(ink);
        context.beginPath();
        context.arc(px(one.x[near]), py(value), 3, 0, 7);
        context.fill();
      }
      texts.push(number(value));
    }
    say(this.value, [...new Set(texts)].join("  ·  "));
    this.canvas.setAttribute("aria-label", `${this.title}: now ${texts.join(", ")}`);
  }
}

const powerText = mark => (Number.isInteger(mark) && Math.abs(mark) > 2 ? `10${power(mark)}` : number(10 ** mark));

/** Powers of ten; where there are too few of them, also their doubles and fives. */
function powers(from, to) {
  const step = Math.max(1, Math.ceil((to - from) / 4)), found = [];
  for (let at = Math.ceil(from); at <= to; at += step) found.push(at);
  if (found.length > 1) return found;
  for (let at = Math.floor(from); at <= to; at++) for (const times of [2, 5]) found.push(at + Math.log10(times));
  return found.filter(at => at >= from && at <= to).sort((one, other) => one - other);
}

/** The position of the nearest place in an ordered list; -1 in an empty one. */
export function nearest(places, at) {
  let low = 0, high = places.length - 1;
  if (high < 0) return -1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (places[middle] < at) low = middle + 1;
    else high = middle;
  }
  return low > 0 && at - places[low - 1] < places[low] - at ? low - 1 : low;
}
