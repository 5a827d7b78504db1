import { Worker } from "node:worker_threads";
import type { Envelope } from "./types.ts";

const timeoutMs = 2000;
const received = 1;
const failed = 2;

/** A string, so that the app's bundler does not rewrite it. */
const script = `
const { url, key, envelope, result } = require("node:worker_threads").workerData;
const end = (what) => { Atomics.store(result, 0, what); Atomics.notify(result, 0); };
const body = new FormData();
body.append("envelope", new Blob([envelope], { type: "application/json" }));
fetch(url, { method: "POST", body, headers: { authorization: "Bearer " + key } })
  .then(async (answer) => answer.status === 200 && (await answer.json()).status === "received")
  .catch(() => false)
  .then((isReceived) => end(isReceived ? ${received} : ${failed}));
`;

/**
 * Sends a report while the process is ending, and blocks for at most 2 seconds. Returns whether the server received it.
 * Sends in a worker thread, since the event loop of this thread does not run any more.
 */
export function sendNow(url: string, key: string, envelope: Envelope): boolean {
  const result = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(script, {
    eval: true,
    workerData: { url: `${url}/api/ingest`, key, envelope: JSON.stringify(envelope), result },
    execArgv: [],
    env: { ...process.env, NODE_OPTIONS: "" }, // what the app loads before its start must not start again
  });
  worker.on("error", () => {});
  worker.unref();
  Atomics.wait(result, 0, 0, timeoutMs);
  return Atomics.load(result, 0) === received;
}
