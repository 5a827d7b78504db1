import { randomUUID } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { open, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import {
  type Kept,
  lossOf,
  type Part,
  pickVictims,
  type QueuedReport,
  type Row,
  type Store,
  sizeOf,
  tellLost,
} from "./store.ts";

/** A `Store` that can also write while the process is ending. */
export type DirectoryStore = Store & {
  putNow: (report: QueuedReport, bytesMax: number) => void;
  removeNow: (id: string) => void;
};

/** The time without a heartbeat after which a process counts as dead, and another process takes over its reports. */
const silenceMsMax = 5000;
const heartbeatMs = 1000;

/**
 * A queue in a directory: one file for each report, on the disk before `put` resolves. Processes share the directory.
 * Each process sends its own reports, and takes over those of dead processes by renaming them. Throws if the directory
 * cannot be written to.
 */
export function directoryStore(directory: string): DirectoryStore {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const owner = randomUUID().slice(0, 8);
  const life = join(directory, `${owner}.process`);
  const sign = JSON.stringify({ pid: process.pid, host: hostname() });
  writeFileSync(life, sign, { mode: 0o600 });
  const signs = setInterval(() => {
    const now = new Date();
    // Another process considered this one dead and deleted it.
    utimes(life, now, now).catch(() => writeFile(life, sign, { mode: 0o600 }).catch(() => {}));
  }, heartbeatMs).unref();

  /** Deletes the heartbeat files of processes that died with an empty queue: `adopt` does not look at them. */
  async function sweep() {
    for (const file of (await readdir(directory)).filter((file) => file.endsWith(".process"))) {
      const { mtimeMs } = await stat(pathOf(file));
      if (Date.now() - mtimeMs > silenceMsMax) await rm(pathOf(file), { force: true });
    }
  }
  void sweep().catch(() => {}); // another process was faster

  const fileName = ({ envelope, parts }: QueuedReport) =>
    `${envelope.reportId}.${parts.length > 0 ? 1 : 0}.${owner}.report`;
  const pathOf = (file: string) => join(directory, file);
  const fileOf = async (id: string) => (await readdir(directory)).find((file) => file.startsWith(id) && isReport(file));

  /** Whether a process seems to be alive. */
  async function lives(other: string): Promise<boolean> {
    if (other === owner) return true;
    const path = pathOf(`${other}.process`);
    try {
      const { pid, host } = JSON.parse(await readFile(path, "utf8")) as { pid: number; host: string };
      if (Date.now() - (await stat(path)).mtimeMs > silenceMsMax) return false;
      return host !== hostname() || isRunning(pid);
    } catch {
      return false;
    }
  }

  /** Takes over the reports of dead processes, and deletes half-written files. */
  async function adopt() {
    const files = await readdir(directory);
    for (const other of new Set(files.flatMap((file) => (isReport(file) || isPart(file) ? [ownerOf(file)] : [])))) {
      if (await lives(other)) continue;
      for (const file of files.filter((file) => ownerOf(file) === other)) {
        if (isPart(file)) await rm(pathOf(file), { force: true });
        else if (isReport(file))
          await rename(pathOf(file), pathOf(file.replace(`.${other}.`, `.${owner}.`))).catch(() => {}); // another process was faster
      }
      await rm(pathOf(`${other}.process`), { force: true });
    }
  }

  /** All reports in the directory, of all processes, oldest first. */
  async function everyRow(): Promise<(Row & { owner: string; file: string })[]> {
    const files = (await readdir(directory)).filter(isReport).sort();
    const rows = await Promise.all(
      files.map(async (file) => {
        const { size } = await stat(pathOf(file)).catch(() => ({ size: -1 }));
        return rowOfFile(file, size);
      }),
    );
    return rows.filter(({ bytes }) => bytes >= 0);
  }

  const read = async (file: string) => decode(await readFile(pathOf(file)));

  return {
    put: async (report, bytesMax) => {
      const size = encode(report).reduce((sum, chunk) => sum + chunk.length, 0);
      const victims = pickVictims(await everyRow(), size, bytesMax) as Awaited<ReturnType<typeof everyRow>>;
      const lost = [];
      for (const victim of victims) {
        lost.push(...lossOf(victim, await read(victim.file).catch(() => undefined), "queue_full"));
      }
      const told = tellLost(report, lost);
      await writeFlushed(directory, fileName(told), encode(told));
      for (const victim of victims) await rm(pathOf(victim.file), { force: true });
    },
    putNow: (report, bytesMax) => {
      // The limit also holds for a process that crashes at every start.
      const rows = readdirSync(directory)
        .filter(isReport)
        .sort()
        .map((file) => rowOfFile(file, statSync(pathOf(file), { throwIfNoEntry: false })?.size ?? 0));
      const victims = pickVictims(rows, sizeOf(report), bytesMax) as typeof rows;
      const told = tellLost(
        report,
        victims.flatMap((victim) => lossOf(victim, undefined, "queue_full")),
      );
      const file = fileName(report);
      const unfinished = pathOf(`${file}.part`);
      const descriptor = openSync(unfinished, "w", 0o600);
      for (const chunk of encode(told)) writeFileSync(descriptor, chunk);
      fsyncSync(descriptor);
      closeSync(descriptor);
      renameSync(unfinished, pathOf(file));
      for (const victim of victims) rmSync(pathOf(victim.file), { force: true });
    },
    removeNow: (id) => {
      const file = readdirSync(directory).find((file) => file.startsWith(id) && isReport(file));
      if (file !== undefined) rmSync(pathOf(file), { force: true });
    },
    list: async () => {
      await adopt();
      return (await everyRow())
        .filter((row) => row.owner === owner)
        .map(({ id, bytes, attached }) => ({ id, bytes, attached }));
    },
    read: async (id) => {
      const file = await fileOf(id);
      return file === undefined ? undefined : read(file).catch(() => undefined);
    },
    remove: async (id) => {
      const file = await fileOf(id);
      if (file !== undefined) await rm(pathOf(file), { force: true });
    },
    get: async <T>(name: Kept) => {
      const text = await readFile(pathOf(`${name}.json`), "utf8").catch(() => undefined);
      return text === undefined ? undefined : (JSON.parse(text) as T);
    },
    set: (name, value) => writeFlushed(directory, `${name}.json`, [Buffer.from(JSON.stringify(value))], `.${owner}`),
    close: async () => {
      clearInterval(signs);
      await rm(life, { force: true });
    },
  };
}

const rowOfFile = (file: string, bytes: number) => ({
  id: file.slice(0, 36),
  bytes,
  attached: file.includes(".1."),
  owner: ownerOf(file),
  file,
});
const isReport = (file: string) => file.endsWith(".report");
const isPart = (file: string) => file.endsWith(".part");
const ownerOf = (file: string) => file.split(".")[2] ?? "";

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** The envelope on the first line, then the bytes of the attachments that it declares. */
const encode = ({ envelope, parts }: QueuedReport): Buffer[] => [
  Buffer.from(`${JSON.stringify(envelope)}\n`),
  ...parts.map(({ bytes }) => Buffer.from(bytes)),
];

function decode(file: Buffer): QueuedReport {
  const end = file.indexOf("\n");
  const envelope = JSON.parse(file.toString("utf8", 0, end)) as QueuedReport["envelope"];
  let start = end + 1;
  const parts = (envelope.attachments ?? []).map((declared) => {
    const bytes = new Uint8Array(file.subarray(start, start + declared.byteLength)).buffer;
    start += declared.byteLength;
    return { ...declared, bytes } as Part;
  });
  return { envelope, parts };
}

/** Writes a file atomically, and flushes it and its directory entry. */
async function writeFlushed(directory: string, file: string, chunks: Buffer[], part = "") {
  const unfinished = join(directory, `${file}${part}.part`);
  const handle = await open(unfinished, "w", 0o600);
  try {
    for (const chunk of chunks) await handle.writeFile(chunk);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(unfinished, join(directory, file));
  const folder = await open(directory, "r");
  await folder.sync().catch(() => {}); // not every system can flush a directory
  await folder.close();
}
