import { setTimeout as sleep } from "node:timers/promises";
import type { LogEntry, LogKind } from "@lodge/contract/runners";
import { deferred } from "./deferred.ts";
import { createRedactor, redact } from "./redact.ts";

/** The length up to which the log is sent as it comes; of the rest only the end is kept. */
const headBytesMax = 1_048_576;
const headEntriesMax = 4_000;
const tailBytesMax = 262_144;
const tailEntriesMax = 1_000;
/** Of UTF-16 code units, so at most as many code points as an entry may have. */
const entryLengthMax = 8_000;
const batchMax = 100;
const flushMs = 250;
/** The time that an unfinished line waits for its end. */
const lineMs = 1_000;

/** The log of a run: in order, without secrets, and bounded however much is written. */
export type RunLog = {
  add: (kind: LogKind, text: string) => void;
  /** A piece of what the command writes out, wherever it is cut. */
  write: (piece: Buffer) => void;
  /** Takes nothing more, and says what has not arrived yet. */
  seal: () => Unsent;
  /** Seals it and sends what is left; resolves when all of it has arrived. */
  close: () => Promise<void>;
  /** The last note, in one line; empty before the first. */
  lastNote: () => string;
};

/** Entries of a log that have not arrived, with the offset of the first of them. */
export type Unsent = { offset: number; entries: LogEntry[] };

/**
 * Opens the log of a run. `send` appends entries at an offset, as often as it takes, and throws only where nothing can be
 * sent any more, which ends the log in silence: whoever works on the run is told by its heartbeat.
 */
export function openRunLog(
  send: (offset: number, entries: LogEntry[]) => Promise<unknown>,
  { offset, secrets }: { offset: number; secrets: readonly string[] },
): RunLog {
  const decoder = new TextDecoder();
  const output = createRedactor(secrets);
  const waiting: LogEntry[] = [];
  let noted = "";
  let line = "";
  let lineTimer: NodeJS.Timeout | undefined;
  let headBytes = 0;
  let headEntries = 0;
  const tail: LogEntry[] = [];
  let tailBytes = 0;
  let leftOut = 0;
  let closing = false;
  let isOver = false;
  let sent = offset;
  let woken = deferred<void>();

  function push(kind: LogKind, text: string) {
    for (const piece of pieces(text)) {
      const entry = { kind, text: piece, at: new Date().toISOString() };
      const bytes = Buffer.byteLength(piece);
      if (headBytes + bytes <= headBytesMax && headEntries < headEntriesMax) {
        headBytes += bytes;
        headEntries++;
        waiting.push(entry);
        woken.resolve();
        continue;
      }
      headBytes = headBytesMax; // what comes later never stands before what was left out
      tail.push(entry);
      tailBytes += bytes;
      while (tailBytes > tailBytesMax || tail.length > tailEntriesMax) {
        const dropped = Buffer.byteLength(tail.shift()?.text ?? "");
        tailBytes -= dropped;
        leftOut += dropped;
      }
    }
  }

  /** Output is written in whole lines, unless the rest of one is long in coming. */
  function show(text: string) {
    clearTimeout(lineTimer);
    line += text;
    const end = line.length > entryLengthMax ? line.length : line.lastIndexOf("\n") + 1;
    if (end > 0) push("output", line.slice(0, end));
    line = line.slice(end);
    if (line !== "") lineTimer = setTimeout(endLine, lineMs);
  }

  function endLine() {
    clearTimeout(lineTimer);
    push("output", line);
    line = "";
  }

  async function run() {
    while (waiting.length > 0 || !closing) {
      if (waiting.length === 0) {
        await woken.promise;
        woken = deferred();
        continue;
      }
      const batch = waiting.slice(0, batchMax);
      await send(sent, batch);
      sent += batch.length;
      waiting.splice(0, batch.length);
      if (!closing) await sleep(flushMs);
    }
  }
  const running = run().catch(() => {
    isOver = true;
  });

  function seal(): Unsent {
    if (!closing) {
      show(output.write(decoder.decode()) + output.end());
      endLine();
      if (leftOut > 0) waiting.push(note(`… ${leftOut.toLocaleString("en")} bytes were left out here …`));
      waiting.push(...tail);
      closing = true;
      woken.resolve();
    }
    return { offset: sent, entries: [...waiting] };
  }

  return {
    add: (kind, text) => {
      const shown = redact(text, secrets);
      if (kind === "note") noted = shown;
      if (isOver || closing) return;
      endLine();
      push(kind, shown);
    },
    write: (piece) => {
      if (!isOver && !closing) show(output.write(decoder.decode(piece, { stream: true })));
    },
    seal,
    close: async () => {
      seal();
      await running;
    },
    lastNote: () => noted.replace(/\s+/g, " "),
  };
}

const note = (text: string): LogEntry => ({ kind: "note", text, at: new Date().toISOString() });

/** A text as a database can keep it, in pieces of at most 8,000 code units that cut no character. */
function* pieces(text: string): Generator<string> {
  const storable = text.replaceAll("\0", "\u2400").toWellFormed();
  for (let from = 0; from < storable.length; ) {
    const isCut = (storable.codePointAt(from + entryLengthMax - 1) ?? 0) > 0xffff;
    const to = from + entryLengthMax - (isCut ? 1 : 0);
    yield storable.slice(from, to);
    from = to;
  }
}
