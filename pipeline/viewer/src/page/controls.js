// The form: sends what the user changes and shows what is in force.

/// `send` takes commands, `view` is the map, `choose(point)` moves the chosen point.
export class Controls {
  constructor(send, view, choose) {
    Object.assign(this, { send, view, choose });
    const ids = ["frequency", "method", "filter", "view", "top", "span", "col", "row", "automatic", "microphones", "record", "answer"];
    this.at = Object.fromEntries(ids.map((id) => [id, document.getElementById(id)]));
    document.getElementById("controls").addEventListener("submit", (event) => event.preventDefault());
    this.listen();
  }

  listen() {
    const { at } = this;
    const on = (id, act) => at[id].addEventListener("change", act);
    on("frequency", () => this.setFrequency(at.frequency.value));
    on("method", () => this.ask({ do: "method", name: at.method.value }, "method"));
    on("filter", () => this.ask({ do: "filter", rule: at.filter.value.trim() }, "filter"));
    on("col", () => this.typedPoint());
    on("row", () => this.typedPoint());
    for (const id of ["view", "top", "span", "automatic", "microphones"]) on(id, () => this.applyView(id));
    at.frequency.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.setFrequency(at.frequency.value);
    });
    at.record.addEventListener("click", () => {
      this.ask({ do: "record", on: at.record.getAttribute("aria-pressed") !== "true" });
    });
    this.view.stack.addEventListener("top", ({ detail }) => { at.top.value = detail; });
    at.top.value = this.view.options.top;
  }

  applyView(changed) {
    const { at, view } = this;
    if (changed === "top") at.automatic.checked = false;
    const number = (input, fallback) => (input.checkValidity() && input.value !== "" ? Number(input.value) : fallback);
    Object.assign(view.options, {
      view: at.view.value,
      top: number(at.top, view.options.top),
      span: number(at.span, view.options.span),
      automatic: at.automatic.checked,
      microphones: at.microphones.checked,
    });
    view.drawAll();
  }

  setFrequency(text) {
    const hz = String(text).split(/[\s,;]+/).filter(Boolean).map(Number);
    if (!hz.length || hz.some((f) => !Number.isFinite(f))) return this.say("frequency: numbers with commas, such as 440, 880", "frequency");
    return this.ask({ do: "frequencies", hz }, "frequency");
  }

  typedPoint() {
    const { row, col } = this.at;
    if (row.value === "" || col.value === "" || !row.checkValidity() || !col.checkValidity()) return;
    this.choose({ row: Number(row.value), col: Number(col.value) });
  }

  async ask(command, field) {
    this.say(await this.send(command), field);
  }

  say(error, field) {
    const { answer } = this.at;
    answer.textContent = error ?? "";
    answer.dataset.bad = String(error !== null);
    if (field) this.at[field].setAttribute("aria-invalid", String(error !== null));
  }

  hello({ methods, limits }) {
    const options = methods.map((name) => Object.assign(document.createElement("option"), { value: name, textContent: name }));
    this.at.method.replaceChildren(...options);
    this.at.row.max = limits.rows - 1;
    this.at.col.max = limits.cols - 1;
    this.at.record.disabled = false;
  }

  /// What is in force, except in a field that the user is in.
  inForce({ frequencies_hz: hz, method, filter, recording }) {
    const put = (id, value) => {
      const input = this.at[id];
      if (document.activeElement !== input && input.value !== value) input.value = value;
    };
    put("frequency", hz.map((f) => Number(f.toFixed(2))).join(", "));
    put("method", method);
    put("filter", filter);
    this.at.record.setAttribute("aria-pressed", String(recording.state === "on"));
  }

  pointed({ row, col }) {
    Object.assign(this.at.row, { value: row });
    Object.assign(this.at.col, { value: col });
  }

  offline() {
    this.at.record.disabled = true;
  }
}
