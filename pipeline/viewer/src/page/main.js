// The page: brings connection, map, charts and controls together.

import { drawSpectrum, duration } from "./charts.js";
import { connect } from "./connection.js";
import { Controls } from "./controls.js";
import { MapView, STATES } from "./map.js";
import { Speech } from "./speech.js";
import { showMessages, showStatus } from "./status.js";

const at = (id) => document.getElementById(id);
const STALE_AFTER = 1500;
const calm = matchMedia("(prefers-reduced-motion: reduce)");
/// Milliseconds between redrawn maps for those who asked for less motion.
const CALM_EVERY = 1000;
/// Milliseconds between words about the chosen point.
const WORDS_EVERY = 250;
/// Milliseconds between commands that move the chosen point.
const POINT_EVERY = 100;

const view = new MapView({ stack: at("map"), field: at("field"), overlay: at("overlay"), scale: at("scale") });
const speech = new Speech(at("loudest"), at("summary"));
let pointTimer = null;
let methods = [], spectrum = null, frequencyAt = null;
let newest = null, drawnAt = -Infinity, wordsAt = -Infinity, arrivedAt = null;

const send = connect({
  state(name) {
    const words = { live: "live", lost: "connection lost, trying again", old: "reload: the program is of another version" };
    at("connection").textContent = words[name];
    at("connection").dataset.state = name;
    if (name === "lost") controls.offline();
    // A program that was started again does not know the point.
    if (name === "live" && view.point) sendPoint();
  },
  hello(hello) {
    methods = hello.methods;
    document.title = `${hello.title} · Nearfield`;
    at("title").textContent = hello.title;
    view.microphones = hello.microphones_m;
    controls.hello(hello);
    view.drawAll();
  },
  map(map) { newest = map; arrivedAt = performance.now(); },
  status(status) {
    showStatus(status);
    showMessages(status.messages, (message) => controls.ask({ do: "acknowledge", message }));
    controls.inForce(status);
  },
  health({ letters }) {
    view.health = letters;
    view.drawOverlay();
    showLegend(letters);
  },
  spectrum(message) {
    spectrum = message;
    // Chosen on another page, or before this one was opened.
    if (!view.point) mark(message.point);
    showSpectrum();
  },
});
const controls = new Controls(send, view, choose);

function mark(point) {
  view.point = point;
  view.drawOverlay();
  controls.pointed(point);
  showPoint();
}

function choose(point) {
  mark(point);
  sendPoint();
}

/// A held key moves the point more often than the server takes commands: only the latest place is sent.
function sendPoint() {
  pointTimer ??= setTimeout(() => {
    pointTimer = null;
    controls.ask({ do: "point", ...view.point });
    if (document.activeElement === at("map")) speech.say(at("point-text").textContent, performance.now());
  }, POINT_EVERY);
}

function showLegend(letters) {
  const items = Object.entries(STATES).map(([letter, { name, mark }]) => {
    const n = letters.split(letter).length - 1;
    return { text: `${mark} ${n} ${name}`, shown: n > 0 };
  });
  const nodes = items.filter(({ shown }) => shown).map(({ text }) => Object.assign(document.createElement("li"), { textContent: text }));
  at("legend").replaceChildren(...nodes);
}

function showSpectrum() {
  if (!spectrum) return;
  frequencyAt = drawSpectrum(at("spectrum"), spectrum, view.map?.frequency);
  const { row, col } = spectrum.point;
  at("spectrum-caption").textContent = `dB at column ${col}, row ${row}`;
  at("strongest").disabled = false;
}

function showCaption() {
  const { map } = view;
  const { x, y, level } = view.at(view.loudestPoint());
  at("map-caption").textContent =
    `${map.frequency.toFixed(1)} Hz · ${methods[map.method] ?? "?"} · loudest ${level.toFixed(1)} dB at x ${x.toFixed(3)}, y ${y.toFixed(3)} m`
    + (map.latency > 0 ? ` · after ${duration(map.latency)}` : "");
  const flags = map.flags.map((text) => Object.assign(document.createElement("li"), { textContent: text }));
  at("flags").replaceChildren(...flags);
}

function showPoint() {
  if (!view.point || !view.map) return;
  const { x, y, level, p } = view.at(view.point);
  at("point-text").textContent =
    `Chosen: x ${x.toFixed(3)}, y ${y.toFixed(3)} m, ${level.toFixed(1)} dB, ${p.toPrecision(3)} Pa.`;
}

/// Once a screen refresh, if there is something new.
function refresh(now) {
  if (newest && (!calm.matches || now - drawnAt >= CALM_EVERY)) {
    view.show(newest);
    newest = null;
    drawnAt = now;
    if (now - wordsAt >= WORDS_EVERY) {
      wordsAt = now;
      showCaption();
      showPoint();
      speech.tell(view, now);
    }
  }
  const stale = arrivedAt !== null && now - arrivedAt > STALE_AFTER;
  if (at("map").dataset.stale !== String(stale)) at("map").dataset.stale = String(stale);
  if (stale) at("map-caption").textContent = `no new map for ${Math.floor((now - arrivedAt) / 1000)} s`;
  requestAnimationFrame(refresh);
}

at("map").addEventListener("click", (event) => {
  const point = view.pick(event.clientX, event.clientY);
  if (point) choose(point);
});

at("map").addEventListener("keydown", (event) => {
  const moves = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
  const move = moves[event.key];
  if (!view.map || event.ctrlKey || event.altKey || event.metaKey || !(move || event.key === "Home")) return;
  event.preventDefault();
  const loudest = view.loudestPoint();
  if (!move) return choose(loudest);
  const { row, col } = view.point ?? loudest;
  const step = event.shiftKey ? 10 : 1;
  const limit = (n, count) => Math.min(count - 1, Math.max(0, n));
  choose({ row: limit(row + step * move[0], view.map.rows), col: limit(col + step * move[1], view.map.cols) });
});

at("spectrum").addEventListener("click", (event) => {
  if (frequencyAt) controls.setFrequency(frequencyAt(event.clientX).toFixed(1));
});

at("strongest").addEventListener("click", () => {
  const p = spectrum.pressure_pa;
  const best = p.reduce((best, value, i) => (i > 0 && value > (p[best] ?? 0) ? i : best), 1);
  controls.setFrequency((spectrum.first_hz + best * spectrum.step_hz).toFixed(2));
});

const redraw = () => { view.drawAll(); showSpectrum(); };
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
// The sharpness of the screen changes without the size of anything on it.
addEventListener("resize", redraw);
new ResizeObserver(showSpectrum).observe(at("spectrum"));
requestAnimationFrame(refresh);
