// Reads what the server sends; the other end is protocol.rs, the page of the format is the viewer's module documentation.

export const VERSION = 1;

const FLAGS = [
  "window has holes",
  "microphones left out",
  "device failed, computed by the CPU",
  "stream began anew",
  "filter not chosen yet",
];

/// A map from its binary message, or null if it is of another version.
export function readMap(buffer) {
  const view = new DataView(buffer);
  const magic = String.fromCharCode(...new Uint8Array(buffer, 0, 4));
  if (magic !== "NFMP" || view.getUint16(4, true) !== VERSION) return null;
  const [rows, cols] = [view.getUint16(8, true), view.getUint16(10, true)];
  const complex = view.getUint8(12) === 1;
  const bits = view.getUint16(14, true);
  const values = new Float32Array(buffer, view.getUint16(6, true), rows * cols * (complex ? 2 : 1));
  return {
    rows, cols, complex, values,
    method: view.getUint8(13),
    flags: FLAGS.filter((_, i) => bits >> i & 1),
    sequence: view.getBigUint64(16, true),
    frequency: view.getFloat64(24, true),
    latency: view.getFloat64(64, true) - view.getFloat64(40, true),
    pitch: [view.getFloat32(72, true), view.getFloat32(76, true)],
  };
}

/// Peak pressure of every point, Pa.
export function amplitudes(map) {
  if (!map.complex) return map.values;
  const out = new Float32Array(map.rows * map.cols);
  for (let i = 0; i < out.length; i++) out[i] = Math.hypot(map.values[2 * i], map.values[2 * i + 1]);
  return out;
}

/// Metres from the centre of the aperture to a point of the map, x to the right and y down.
export function position(map, row, col) {
  return [(col - (map.cols - 1) / 2) * map.pitch[0], (row - (map.rows - 1) / 2) * map.pitch[1]];
}

/// Level of a peak pressure in pascal: dB re 20 micropascal, of the effective value.
export function decibel(pascal) {
  return 20 * Math.log10(pascal / (Math.SQRT2 * 20e-6));
}

/// The peak pressure of a level.
export function pascal(level) {
  return Math.SQRT2 * 20e-6 * 10 ** (level / 20);
}
