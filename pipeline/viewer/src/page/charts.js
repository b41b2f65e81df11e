// Drawing on canvases: sizes, ticks, the spectrum and the histogram.

import { decibel } from "./protocol.js";

/// A cleared context in CSS pixels, as sharp as the screen.
export function fit(canvas) {
  const { width, height } = canvas.getBoundingClientRect();
  const ratio = window.devicePixelRatio || 1;
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== w || canvas.height !== h) Object.assign(canvas, { width: w, height: h });
  const g = canvas.getContext("2d");
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, width, height);
  g.font = "11px system-ui, 'DejaVu Sans', sans-serif";
  return g;
}

/// A colour of the style sheet.
export function ink(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name);
}

/// Round numbers between two, about `count` of them.
export function ticks(from, to, count) {
  const raw = (to - from) / Math.max(2, count);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw * 0.999);
  const out = [];
  for (let k = Math.ceil(from / step - 1e-9); k * step <= to + step * 1e-9; k++) out.push(Number((k * step).toPrecision(12)));
  return out;
}

/// A length of time in its best unit.
export function duration(seconds) {
  if (!Number.isFinite(seconds)) return "–";
  if (seconds < 1e-3) return `${(seconds * 1e6).toPrecision(3)} µs`;
  if (seconds < 1) return `${(seconds * 1e3).toPrecision(3)} ms`;
  return `${seconds.toPrecision(3)} s`;
}

const AREA = { left: 34, right: 8, top: 8, bottom: 20 };

function area(canvas) {
  const { width, height } = canvas.getBoundingClientRect();
  return { x: AREA.left, y: AREA.top, w: width - AREA.left - AREA.right, h: height - AREA.top - AREA.bottom };
}

/// Levels over frequency; marks `frequency`. Returns the frequency of a place on the page.
export function drawSpectrum(canvas, spectrum, frequency) {
  const g = fit(canvas);
  const { x, y, w, h } = area(canvas);
  const levels = spectrum.pressure_pa.map((p) => decibel(p ?? NaN));
  const highest = levels.reduce((a, b) => (b > a ? b : a), -Infinity);
  const top = 10 * Math.ceil((Number.isFinite(highest) ? highest : 0) / 10), span = 80;
  const last = spectrum.first_hz + spectrum.step_hz * Math.max(1, levels.length - 1);
  const across = (hz) => x + (hz - spectrum.first_hz) / (last - spectrum.first_hz) * w;
  const down = (level) => y + Math.min(1, Math.max(0, (top - level) / span)) * h;
  g.strokeStyle = ink("--line");
  g.fillStyle = ink("--quiet");
  for (const level of ticks(top - span, top, h / 18)) {
    g.strokeRect(x, down(level), w, 0);
    g.textAlign = "right";
    g.fillText(String(level), x - 4, down(level) + 4);
  }
  for (const hz of ticks(spectrum.first_hz, last, w / 70)) {
    g.textAlign = "center";
    g.fillText(hz >= 1000 ? `${hz / 1000} kHz` : `${hz}`, Math.min(across(hz), x + w - 14), y + h + 14);
  }
  if (frequency) {
    g.fillStyle = ink("--warn");
    g.fillRect(across(frequency) - 1, y, 2, h);
  }
  g.strokeStyle = ink("--plot");
  g.lineWidth = 1.5;
  g.beginPath();
  levels.forEach((level, i) => g.lineTo(across(spectrum.first_hz + i * spectrum.step_hz), down(Number.isNaN(level) ? -Infinity : level)));
  g.stroke();
  g.lineWidth = 1;
  return (clientX) => {
    const t = (clientX - canvas.getBoundingClientRect().left - x) / w;
    return spectrum.first_hz + Math.min(1, Math.max(0, t)) * (last - spectrum.first_hz);
  };
}

/// Counts over time, both in logarithms; marks the deadline.
export function drawHistogram(canvas, { bins, deadline_s: deadline }) {
  const g = fit(canvas);
  const { x, y, w, h } = area(canvas);
  const used = bins.map(([, count]) => count > 0);
  const [first, end] = [used.indexOf(true), used.lastIndexOf(true)];
  if (first < 0) return;
  const shown = bins.slice(Math.max(0, first - 1), end + 2);
  const most = Math.log10(1 + Math.max(...shown.map(([, count]) => count)));
  const step = w / shown.length;
  shown.forEach(([edge, count], i) => {
    const late = deadline !== null && edge > deadline;
    g.fillStyle = ink(late ? "--bad" : "--plot");
    const tall = Math.log10(1 + count) / most * h;
    g.fillRect(x + i * step + 1, y + h - tall, Math.max(1, step - 2), tall);
  });
  g.fillStyle = ink("--quiet");
  g.fillRect(x, y + h, w, 1);
  const every = Math.ceil(shown.length / (w / 58));
  shown.forEach(([edge], i) => {
    if (i % every !== 0) return;
    g.textAlign = i === shown.length - 1 ? "right" : "center";
    g.fillText(duration(edge), x + (i + 1) * step, y + h + 14);
  });
  for (let decade = 0; decade <= most; decade += Math.max(1, Math.ceil(most / 4))) {
    g.textAlign = "right";
    g.fillText(decade < 4 ? String(10 ** decade) : `1e${decade}`, x - 4, y + h - decade / most * h + 4);
  }
}
