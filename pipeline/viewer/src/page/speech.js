// For those who do not see the map: a table of the loudest points, and now and then a sentence.

const TABLE_EVERY = 500;
const SENTENCE_EVERY = 5000;
const MOST = 4;

/// Indices of points that no neighbour exceeds, loudest first.
export function maxima({ rows, cols }, pressure) {
  const out = [];
  for (let row = 0; row < rows; row++) {
    for (let col = 0; col < cols; col++) {
      const p = pressure[row * cols + col];
      let peak = p > 0;
      for (let r = Math.max(0, row - 1); peak && r <= Math.min(rows - 1, row + 1); r++) {
        for (let c = Math.max(0, col - 1); peak && c <= Math.min(cols - 1, col + 1); c++) peak = !(pressure[r * cols + c] > p);
      }
      if (peak) out.push({ row, col, p });
    }
  }
  return out.sort((a, b) => b.p - a.p).slice(0, MOST);
}

export class Speech {
  constructor(table, summary) {
    Object.assign(this, { table, summary, tableAt: -Infinity, sentenceAt: -Infinity, sentence: "" });
  }

  /// Tells about the map of `view`, if it is time.
  tell(view, now) {
    if (now - this.tableAt < TABLE_EVERY) return;
    this.tableAt = now;
    const points = maxima(view.map, view.pressure).map((point) => view.at(point));
    this.table.replaceChildren(...points.map(({ x, y, level, p }) => {
      const row = document.createElement("tr");
      const texts = [x.toFixed(3), y.toFixed(3), level.toFixed(1), p.toPrecision(3)];
      row.append(...texts.map((text) => Object.assign(document.createElement("td"), { textContent: text })));
      return row;
    }));
    if (now - this.sentenceAt < SENTENCE_EVERY || !points.length) return;
    const [{ x, y, level }] = points;
    const warnings = view.map.flags.map((flag) => `, ${flag}`).join("");
    const sentence = `${view.map.frequency.toFixed(0)} hertz: loudest ${level.toFixed(0)} decibel at x ${x.toFixed(2)}, y ${y.toFixed(2)} metres${warnings}`;
    if (sentence !== this.sentence) this.say(sentence, now);
  }

  /// Says something at once, and nothing by itself for a while after.
  say(sentence, now) {
    Object.assign(this, { sentence, sentenceAt: now });
    this.summary.textContent = sentence;
  }
}
