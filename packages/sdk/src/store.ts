import type { DeclaredAttachment, Dropped, Envelope } from "./types.ts";

/** The bytes of an attachment. */
export type Part = DeclaredAttachment & { filename: string; bytes: ArrayBuffer };

/** A report in the queue, with its secrets already redacted. */
export type QueuedReport = { envelope: Envelope; parts: Part[] };

/** The metadata of a queued report. Ids sort by time. */
export type Row = { id: string; bytes: number; attached: boolean };

/** The values that are stored beside the reports. */
export type Kept = "config" | "installId" | "lost" | "threads";

/**
 * A queue that outlives the page or the process. `put` resolves when the report is on the disk. If there is no space,
 * it drops the reports that `pickVictims` chooses, and adds them to the new report's `dropped`.
 */
export type Store = {
  put: (report: QueuedReport, bytesMax: number) => Promise<void>;
  /** The reports that this page or process should send, oldest first. */
  list: () => Promise<Row[]>;
  read: (id: string) => Promise<QueuedReport | undefined>;
  remove: (id: string) => Promise<void>;
  get: <T>(name: Kept) => Promise<T | undefined>;
  set: (name: Kept, value: unknown) => Promise<void>;
  close: () => Promise<void>;
};

/** The default size limit of a queue. */
export const bytesMaxDefault = 50_000_000;

/** The most entries of `dropped` after the queue adds its own; the oldest are removed. */
const lostMax = 50;

/** The reports to drop for a new one of `bytes`: the oldest without attachments first, then the oldest with them. */
export function pickVictims(rows: readonly Row[], bytes: number, bytesMax: number): Row[] {
  let excess = rows.reduce((sum, row) => sum + row.bytes, bytes) - bytesMax;
  const order = [...rows].sort((one, other) => Number(one.attached) - Number(other.attached));
  return order.filter(({ bytes }) => {
    const isVictim = excess > 0;
    if (isVictim) excess -= bytes;
    return isVictim;
  });
}

/** Adds earlier losses to a report's `dropped`. */
export function tellLost(report: QueuedReport, lost: readonly Dropped[]): QueuedReport {
  if (lost.length === 0) return report;
  const { envelope, parts } = report;
  return { parts, envelope: { ...envelope, dropped: [...(envelope.dropped ?? []), ...lost].slice(-lostMax) } };
}

/** The `dropped` entry for a lost report, and the losses that the report itself listed. */
export const lossOf = (row: Row, report: QueuedReport | undefined, reason: string): Dropped[] => [
  ...(report?.envelope.dropped ?? []).filter(({ reason }) => reason.startsWith("queue_")),
  { partName: row.id, reason, byteLength: row.bytes },
];

/** The approximate size of a report in bytes. */
export const sizeOf = ({ envelope, parts }: QueuedReport): number =>
  parts.reduce((sum, { bytes }) => sum + bytes.byteLength, JSON.stringify(envelope).length);

/** A queue that ends with the page or the process, for platforms without a store. */
export function memoryStore(): Store {
  const reports = new Map<string, QueuedReport>();
  const kept = new Map<string, unknown>();
  const rows = () => [...reports].map(([id, report]) => rowOf(id, report));
  return {
    put: async (report, bytesMax) => {
      const lost = pickVictims(rows(), sizeOf(report), bytesMax).flatMap((victim) => {
        const loss = lossOf(victim, reports.get(victim.id), "queue_full");
        reports.delete(victim.id);
        return loss;
      });
      reports.set(report.envelope.reportId, tellLost(report, lost));
    },
    list: async () => rows(),
    read: async (id) => reports.get(id),
    remove: async (id) => void reports.delete(id),
    get: async <T>(name: Kept) => kept.get(name) as T | undefined,
    set: async (name, value) => void kept.set(name, value),
    close: async () => {},
  };
}

/** The metadata of a report. */
export const rowOf = (id: string, report: QueuedReport): Row => ({
  id,
  bytes: sizeOf(report),
  attached: report.parts.length > 0,
});
