// The source plane: field, microphones, chosen point, colour scale.

import { CYCLIC, LEVEL, css } from "./colour.js";
import { fit, ink, ticks } from "./charts.js";
import { amplitudes, decibel, pascal, position } from "./protocol.js";

const MARGIN = { left: 46, right: 6, top: 6, bottom: 34 };

/// Letter of a state: its name, and its mark on the map (marks differ in shape, not in colour alone).
export const STATES = {
  o: { name: "ok", mark: "·" },
  d: { name: "dead", mark: "✕" },
  s: { name: "stuck", mark: "■" },
  n: { name: "noisy", mark: "▲" },
  c: { name: "saturated", mark: "◆" },
  m: { name: "masked", mark: "○" },
};

export class MapView {
  constructor({ stack, field, overlay, scale }) {
    Object.assign(this, { stack, field, overlay, scale });
    this.image = document.createElement("canvas");
    this.map = null;
    this.point = null;
    this.microphones = [];
    this.health = "";
    this.options = { view: "level", top: 80, span: 40, automatic: true, microphones: true };
    new ResizeObserver(() => this.drawAll()).observe(stack);
  }

  show(map) {
    const moved = !this.map || this.map.rows !== map.rows || this.map.cols !== map.cols;
    this.map = map;
    this.pressure = amplitudes(map);
    this.peak = this.pressure.reduce((best, p, i) => (p > this.pressure[best] || Number.isNaN(this.pressure[best]) ? i : best), 0);
    this.follow(decibel(this.pressure[this.peak]));
    if (moved) this.drawAll(); else this.drawField();
  }

  /// Moves the top of the scale when the peak leaves the 10 dB below it.
  follow(level) {
    const { automatic, top } = this.options;
    if (!automatic || !Number.isFinite(level) || (level <= top && level > top - 10)) return;
    this.options.top = 5 * Math.ceil(level / 5);
    this.drawScale();
    this.stack.dispatchEvent(new CustomEvent("top", { detail: this.options.top }));
  }

  /// Where the plane lies on the canvas, in CSS pixels.
  frame() {
    const { width, height } = this.stack.getBoundingClientRect();
    const { rows, cols, pitch } = this.map ?? { rows: 1, cols: 1, pitch: [1, 1] };
    const metres = [cols * pitch[0], rows * pitch[1]];
    const free = [width - MARGIN.left - MARGIN.right, height - MARGIN.top - MARGIN.bottom];
    const zoom = Math.max(0.001, Math.min(free[0] / metres[0], free[1] / metres[1]));
    const [w, h] = metres.map((m) => m * zoom);
    return { x: MARGIN.left + (free[0] - w) / 2, y: MARGIN.top + (free[1] - h) / 2, w, h, zoom };
  }

  drawAll() {
    this.drawField();
    this.drawOverlay();
    this.drawScale();
  }

  drawField() {
    const g = fit(this.field);
    if (!this.map) return;
    const { rows, cols } = this.map;
    this.image.width = cols;
    this.image.height = rows;
    const brush = this.image.getContext("2d");
    const pixels = brush.createImageData(cols, rows);
    this.paint(pixels.data);
    brush.putImageData(pixels, 0, 0);
    const { x, y, w, h } = this.frame();
    g.imageSmoothingEnabled = true;
    g.imageSmoothingQuality = "high";
    g.drawImage(this.image, x, y, w, h);
  }

  paint(out) {
    const { view, top, span } = this.options;
    const { complex, values } = this.map;
    const phase = view === "phase" && complex;
    const colours = phase ? CYCLIC : LEVEL;
    for (let i = 0; i < this.pressure.length; i++) {
      const t = Math.min(1, Math.max(0, 1 + (decibel(this.pressure[i]) - top) / span));
      const turn = phase ? Math.atan2(values[2 * i + 1], values[2 * i]) / (2 * Math.PI) : 0;
      const c = 3 * (phase ? Math.floor(256 * (turn + 1)) % 256 : Math.round(255 * t));
      out[4 * i] = colours[c];
      out[4 * i + 1] = colours[c + 1];
      out[4 * i + 2] = colours[c + 2];
      // What is no number stays empty; phases fade where there is no sound.
      out[4 * i + 3] = Number.isNaN(t) ? 0 : phase ? 255 * t : 255;
    }
  }

  drawOverlay() {
    const g = fit(this.overlay);
    if (!this.map) return;
    const frame = this.frame();
    this.drawAxes(g, frame);
    if (this.options.microphones) this.drawMicrophones(g, frame);
    if (this.point) this.drawPoint(g, frame);
  }

  drawAxes(g, { x, y, w, h, zoom }) {
    g.strokeStyle = g.fillStyle = ink("--quiet");
    g.strokeRect(x, y, w, h);
    for (const metre of ticks(-w / zoom / 2, w / zoom / 2, w / 40)) {
      const at = x + w / 2 + metre * zoom;
      g.fillRect(at, y + h, 1, 4);
      g.textAlign = "center";
      g.fillText(String(metre), at, y + h + 15);
    }
    for (const metre of ticks(-h / zoom / 2, h / zoom / 2, h / 40)) {
      const at = y + h / 2 + metre * zoom;
      g.fillRect(x - 4, at, 4, 1);
      g.textAlign = "right";
      g.fillText(String(metre), x - 7, at + 4);
    }
    g.textAlign = "center";
    g.fillText("x, m", x + w / 2, y + h + 29);
    g.save();
    g.translate(x - 36, y + h / 2);
    g.rotate(-Math.PI / 2);
    g.fillText("y, m", 0, 0);
    g.restore();
  }

  drawMicrophones(g, { x, y, w, h, zoom }) {
    g.textAlign = "center";
    g.textBaseline = "middle";
    this.microphones.forEach(([mx, my], i) => {
      const [px, py] = [x + w / 2 + mx * zoom, y + h / 2 + my * zoom];
      const state = this.health[i] ?? "o";
      if (state === "o") {
        g.fillStyle = "rgb(255 255 255 / 45%)";
        g.fillRect(px - 1, py - 1, 2, 2);
        return;
      }
      g.font = "bold 13px sans-serif";
      g.lineWidth = 3;
      g.strokeStyle = "#000";
      g.fillStyle = "#ff6b5e";
      g.strokeText(STATES[state].mark, px, py);
      g.fillText(STATES[state].mark, px, py);
    });
    g.textBaseline = "alphabetic";
    g.lineWidth = 1;
  }

  drawPoint(g, frame) {
    const [px, py] = this.toPixels(this.point, frame);
    for (const [colour, width] of [["#000", 4], ["#fff", 2]]) {
      g.strokeStyle = colour;
      g.lineWidth = width;
      g.beginPath();
      g.arc(px, py, 9, 0, 2 * Math.PI);
      for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
        g.moveTo(px + 5 * dx, py + 5 * dy);
        g.lineTo(px + 14 * dx, py + 14 * dy);
      }
      g.stroke();
    }
    g.lineWidth = 1;
  }

  drawScale() {
    const g = fit(this.scale);
    const { width, height } = this.scale.getBoundingClientRect();
    const bar = { x: 30, w: 14, y: 22, h: height - 46 };
    const phase = this.options.view === "phase" && this.map?.complex;
    for (let i = 0; i < bar.h; i++) {
      const t = 1 - i / bar.h;
      g.fillStyle = phase ? css(CYCLIC, Math.floor(256 * (t + 0.5)) % 256) : css(LEVEL, Math.round(255 * t));
      g.fillRect(bar.x, bar.y + i, bar.w, 1.5);
    }
    g.fillStyle = ink("--quiet");
    const put = (text, at, right) => {
      g.textAlign = right ? "left" : "right";
      g.fillText(text, right ? bar.x + bar.w + 5 : bar.x - 4, at + 4);
    };
    if (phase) {
      for (const [text, t] of [["180°", 1], ["90°", 0.75], ["0°", 0.5], ["−90°", 0.25], ["−180°", 0]]) {
        put(text, bar.y + (1 - t) * bar.h, true);
      }
      return;
    }
    const { top, span } = this.options;
    g.textAlign = "center";
    g.fillText("dB", bar.x - 12, 12);
    g.fillText("Pa peak", width - 26, 12);
    for (const level of ticks(top - span, top, bar.h / 44)) {
      const at = bar.y + (top - level) / span * bar.h;
      put(String(level), at, false);
      put(pascal(level).toPrecision(2).replace(/e([+-])0?/, "e$1"), at, true);
    }
    g.textAlign = "center";
    g.fillText("dB re 20 µPa", width / 2, height - 6);
  }

  toPixels({ row, col }, { x, y, zoom }) {
    return [x + (col + 0.5) * this.map.pitch[0] * zoom, y + (row + 0.5) * this.map.pitch[1] * zoom];
  }

  /// The point of the map under a place on the page, or null.
  pick(clientX, clientY) {
    if (!this.map) return null;
    const box = this.stack.getBoundingClientRect();
    const { x, y, zoom } = this.frame();
    const col = Math.floor((clientX - box.left - x) / (this.map.pitch[0] * zoom));
    const row = Math.floor((clientY - box.top - y) / (this.map.pitch[1] * zoom));
    const inside = row >= 0 && col >= 0 && row < this.map.rows && col < this.map.cols;
    return inside ? { row, col } : null;
  }

  loudestPoint() {
    return { row: Math.floor(this.peak / this.map.cols), col: this.peak % this.map.cols };
  }

  /// What there is at a point: metres, level, pascal.
  at({ row, col }) {
    const [x, y] = position(this.map, row, col);
    const p = this.pressure[row * this.map.cols + col];
    return { x, y, p, level: decibel(p) };
  }
}
