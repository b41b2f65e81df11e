// Figures of the instrument: stream, losses, latency, recorder, messages.

import { drawHistogram, duration } from "./charts.js";

const at = (id) => document.getElementById(id);
const count = (n) => n.toLocaleString("en");

function size(bytes) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const i = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(bytes || 1) / 3)));
  return `${(bytes / 1000 ** i).toPrecision(3)} ${units[i]}`;
}

function clock(seconds) {
  const [h, m, s] = [seconds / 3600, seconds / 60 % 60, seconds % 60].map((n) => String(Math.floor(n)).padStart(2, "0"));
  return `${h}:${m}:${s}`;
}

/// Name, text and whether it is bad, of every figure.
function figures({ bits_per_s, holograms_per_s, ingest, dropped, latency }) {
  const loss = (name, n) => [name, count(n), n > 0];
  return [
    ["bits", `${(bits_per_s / 1e9).toFixed(3)} Gbit/s`, false],
    ["holograms", `${count(Math.round(holograms_per_s))} /s`, false],
    ["frames", count(ingest.frames), false],
    loss("frames lost", ingest.lost_frames),
    loss("samples lost", ingest.lost_samples),
    loss("frames damaged", ingest.bad_frames),
    loss("frames late", ingest.late_frames),
    loss("restarts", ingest.restarts),
    ...dropped.map(({ ring, count: n }) => loss(`dropped, ${ring}`, n)),
    loss(latency.deadline_s === null ? "no deadline" : `later than ${duration(latency.deadline_s)}`, latency.misses),
  ];
}

function node(tag, text, data = {}) {
  const element = Object.assign(document.createElement(tag), { textContent: text });
  Object.assign(element.dataset, data);
  return element;
}

export function showStatus(status) {
  const list = figures(status).flatMap(([name, text, bad]) => [node("dt", name), node("dd", text, { bad })]);
  at("stream").replaceChildren(...list);
  at("device").textContent = status.device;
  at("running").textContent = `running ${clock(status.running_s)}`;
  showRecording(status.recording);
  showLatency(status.latency);
}

function showRecording({ state, name, bytes, reason }) {
  const words = { off: "", on: `recording ${name}, ${size(bytes ?? 0)}`, failed: `recording failed: ${reason}` };
  at("recording").textContent = words[state];
}

function showLatency(latency) {
  const { p50_s, p99_s, p999_s, max_s } = latency;
  const parts = [`p50 ${duration(p50_s)}`, `p99 ${duration(p99_s)}`, `p99.9 ${duration(p999_s)}`, `max ${duration(max_s)}`];
  at("latency-caption").textContent = parts.join(" · ");
  drawHistogram(at("latency"), latency);
}

/// The list is made anew only when it changes, so that a button keeps the focus.
export function showMessages(messages, acknowledge) {
  const list = at("messages");
  const key = JSON.stringify(messages);
  if (list.dataset.key === key) return;
  list.dataset.key = key;
  const items = messages.map(({ id, severity, text }) => {
    const button = node("button", "OK");
    button.type = "button";
    button.setAttribute("aria-label", `Acknowledge: ${text}`);
    button.addEventListener("click", () => acknowledge(id));
    const item = node("li", "", { severity });
    item.append(node("span", `${severity}: ${text}`), button);
    return item;
  });
  list.replaceChildren(...(items.length ? items : [node("li", "none")]));
}
