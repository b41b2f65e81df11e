// Colour maps as tables of 256 RGB triples. Twin of plot/colour_map.rs, which has the formulas.

function rgb([lightness, a, b]) {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3;
  const linear = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s,
  ];
  return linear.map((c) => Math.round(255 * (c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055)));
}

function oklab(t) {
  const hue = (310 - 210 * t) * Math.PI / 180;
  const chroma = 0.10 * (1 - t) * (1 - 2 * t) + 0.09 * 4 * t * (1 - t) + 0.14 * t * (2 * t - 1);
  return [0.20 + 0.72 * t, chroma * Math.cos(hue), chroma * Math.sin(hue)];
}

function circle(t) {
  const [hue, turn, radius, tilt] = [165 * Math.PI / 180, 2 * Math.PI * t, 0.14, 0.08];
  const tilted = Math.sqrt(radius ** 2 - tilt ** 2) * Math.cos(turn), level = radius * Math.sin(turn);
  return [
    0.72 + tilt * Math.cos(turn),
    tilted * Math.cos(hue) - level * Math.sin(hue),
    tilted * Math.sin(hue) + level * Math.cos(hue),
  ];
}

const table = (map, last) => Uint8ClampedArray.from(
  Array.from({ length: 256 }, (_, i) => rgb(map(i / last))).flat());

/// For levels, 0 to 255.
export const LEVEL = table(oklab, 255);
/// For angles, one turn.
export const CYCLIC = table(circle, 256);

/// The CSS colour of an entry.
export function css(colours, i) {
  return `rgb(${colours[3 * i]} ${colours[3 * i + 1]} ${colours[3 * i + 2]})`;
}
