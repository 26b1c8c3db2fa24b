// The colours of the heat map. Lightness grows evenly with the number (OKLCH), from deep blue to pale yellow; the
// lowest is still far from black, because black is kept for a gradient that is zero.

export const ABSENT = 0, ZERO = 1, BROKEN = 2, UNKNOWN = 3, LOWEST = 4;
const STOPS = [
  // lightness, chroma, hue
  [0.36, 0.115, 282],
  [0.47, 0.118, 252],
  [0.58, 0.105, 215],
  [0.69, 0.112, 182],
  [0.80, 0.140, 150],
  [0.885, 0.150, 118],
  [0.955, 0.115, 102],
];

function linear(lightness, chroma, hue) {
  const a = chroma * Math.cos(hue * Math.PI / 180), b = chroma * Math.sin(hue * Math.PI / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s,
  ];
}

const byte = value => {
  const held = Math.min(Math.max(value, 0), 1);
  return Math.round(255 * (held <= 0.0031308 ? 12.92 * held : 1.055 * held ** (1 / 2.4) - 0.055));
};

function colour(share) {
  const at = Math.min(share * (STOPS.length - 1), STOPS.length - 1.0001), low = Math.floor(at), part = at - low;
  return linear(...STOPS[low].map((value, index) => value + part * (STOPS[low + 1][index] - value))).map(byte);
}

/** For each byte of a cell its red, green and blue. */
export const PALETTE = Array.from({length: 256}, (_, cell) => (cell < LOWEST ? null : colour((cell - LOWEST) / (255 - LOWEST))));

export const css = ([red, green, blue]) => `rgb(${red} ${green} ${blue})`;
