import { setTimeout as sleep } from "node:timers/promises";
import type { LogEntry, LogKind } from "@lodge/contract/runners";
import { deferred } from "./deferred.ts";
import { createRedactor, redact } from "./redact.ts";

/** The length up to which the log is sent immediately. Of the rest, only the end is kept. */
const headBytesMax = 1_048_576;
const headEntriesMax = 4_000;
const tailBytesMax = 262_144;
const tailEntriesMax = 1_000;
/** In UTF-16 code units, so at most the code points that an entry may have. */
const entryLengthMax = 8_000;
const batchMax = 100;
const flushMs = 250;
/** The time after which an incomplete line is logged. */
const lineMs = 1_000;

/** The log of a run: in order, without secrets, and of bounded size. */
export type RunLog = {
  add: (kind: LogKind, text: string) => void;
  /** Takes a chunk of the command's output, which may end anywhere. */
  write: (piece: Buffer) => void;
  /** Closes the log for new entries, and returns the unsent ones. */
  seal: () => Unsent;
  /** Seals the log and sends the rest; resolves when all of it has arrived. */
  close: () => Promise<void>;
  /** The last note on one line; empty if there is none. */
  lastNote: () => string;
};

/** Unsent entries of a log, with the offset of the first. */
export type Unsent = { offset: number; entries: LogEntry[] };

/**
 * Opens the log of a run. `send` appends entries at an offset and retries by itself. If it throws, the log ends
 * silently: the heartbeat reports the lost lease.
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
      headBytes = headBytesMax; // later entries must not go to the head, before the omitted ones
      tail.push(entry);
      tailBytes += bytes;
      while (tailBytes > tailBytesMax || tail.length > tailEntriesMax) {
        const dropped = Buffer.byteLength(tail.shift()?.text ?? "");
        tailBytes -= dropped;
        leftOut += dropped;
      }
    }
  }

  /** Logs output in whole lines, or an incomplete line after a while. */
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

/** A text that the database can store, in pieces of at most 8,000 code units that do not split characters. */
function* pieces(text: string): Generator<string> {
  const storable = text.replaceAll("\0", "\u2400").toWellFormed();
  for (let from = 0; from < storable.length; ) {
    const isCut = (storable.codePointAt(from + entryLengthMax - 1) ?? 0) > 0xffff;
    const to = from + entryLengthMax - (isCut ? 1 : 0);
    yield storable.slice(from, to);
    from = to;
  }
}
