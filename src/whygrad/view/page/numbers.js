// Numbers as people read them.

const SUPER = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** 1,234,567 */
export const whole = value => Math.round(value).toLocaleString("en-US");

/** 12.4k, 1.2M: where there is little room. */
export function brief(value) {
  const size = Math.abs(value);
  if (size >= 1e9) return trim(value / 1e9) + "G";
  if (size >= 1e6) return trim(value / 1e6) + "M";
  if (size >= 1e4) return trim(value / 1e3) + "k";
  return whole(value);
}

const trim = value => String(Number(value.toPrecision(3)));

/** A measured number, with three digits that count. */
export function number(value) {
  if (value === null || value === undefined) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-3) {
    const [digits, exponent] = value.toExponential(2).split("e");
    return `${Number(digits)}·10${power(Number(exponent))}`;
  }
  const text = Number(value.toPrecision(size >= 1000 ? 4 : 3));
  return text.toLocaleString("en-US", {maximumFractionDigits: 6}).replace("-", "−");
}

/** An exponent, raised. */
export function power(exponent) {
  return (exponent < 0 ? "⁻" : "") + [...String(Math.abs(exponent))].map(digit => SUPER[digit]).join("");
}

/** 12 % */
export const percent = value => (value === null || value === undefined ? "–" : `${number(100 * value)} %`);

/** How long ago. */
export function ago(seconds) {
  if (seconds < 60) return "just now";
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ago`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)}h ago`;
  return `${Math.floor(seconds / 86400)}d ago`;
}

/** The label of a tick among others so far apart: as many digits as tell them apart. */
export function tickText(value, step) {
  if (Math.abs(value) >= 1e4 && step >= 100) return brief(value);
  if (step < 1e-4 || step >= 1e6) return number(value);
  const digits = [0, 1, 2, 3, 4, 5].find(count => Math.abs(step - Number(step.toFixed(count))) < step * 1e-6) ?? 6;
  return value.toLocaleString("en-US", {maximumFractionDigits: digits}).replace("-", "−");
}

/** Round places for ticks between two numbers, about so many. */
export function ticks(low, high, about) {
  const span = high - low;
  if (!(span > 0)) return [low];
  const rough = span / Math.max(about, 1), unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map(times => times * unit).find(size => size >= rough * 0.75);
  const first = Math.ceil(low / step - 1e-9), last = Math.floor(high / step + 1e-9);
  return Array.from({length: Math.max(last - first + 1, 0)}, (_, at) => (first + at) * step);
}
