// The WebSocket: opens it again when it is lost, and matches replies to requests.

import { VERSION, readMap } from "./protocol.js";

const FIRST_WAIT = 500;
const LONGEST_WAIT = 8000;

/// `handlers`: map(m), hello(m), status(m), health(m), spectrum(m), state(name). Returns send(command), a promise
/// of the error's text, or of null.
export function connect(handlers) {
  const waiting = new Map();
  let socket = null, next = 1, wait = FIRST_WAIT;

  function open() {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    socket = new WebSocket(`${scheme}//${location.host}/ws`);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => { wait = FIRST_WAIT; handlers.state("live"); };
    socket.onmessage = ({ data }) => receive(data);
    socket.onclose = () => {
      handlers.state("lost");
      for (const done of waiting.values()) done("the connection was lost");
      waiting.clear();
      setTimeout(open, wait);
      wait = Math.min(2 * wait, LONGEST_WAIT);
    };
  }

  function receive(data) {
    if (data instanceof ArrayBuffer) {
      const map = readMap(data);
      if (map) handlers.map(map);
      return;
    }
    const message = JSON.parse(data);
    if (message.v !== VERSION) return handlers.state("old");
    if (message.type === "reply") {
      waiting.get(message.id)?.(message.error);
      waiting.delete(message.id);
    } else {
      handlers[message.type]?.(message);
    }
  }

  open();
  return (command) => new Promise((done) => {
    if (socket.readyState !== WebSocket.OPEN) return done("not connected");
    const id = next++;
    waiting.set(id, done);
    socket.send(JSON.stringify({ v: VERSION, id, command }));
  });
}
