import { stat, statfs } from "node:fs/promises";
import { Gauge } from "prom-client";
import type { Config } from "../config/config.ts";
import { describe, unavailable } from "../errors.ts";
import type { Log } from "../observe/log.ts";
import { registry } from "../observe/metrics.ts";
import { locatePostgres } from "../postgres/embedded-postgres.ts";

const lookEveryMs = 1_000;
const reserveBytesMin = 1_000_000_000;
const reserveShare = 0.05;

// All processes see the same disks.
const freeBytes = new Gauge({
  name: "lodged_disk_free_bytes",
  help: "Free bytes on the disk of the data directory, and on the disk of the embedded database if it is a different one.",
  labelNames: ["disk"],
  registers: [registry],
  aggregator: "min",
});
const reservedBytes = new Gauge({
  name: "lodged_disk_reserve_bytes",
  help: "Bytes to keep free on a disk. Below that, reports are refused.",
  labelNames: ["disk"],
  registers: [registry],
  aggregator: "max",
});

type Disk = { name: string; path: string };

/** The free space of the server's disks, at most a second old. */
export type Disks = {
  /** The names of disks with less free space than their reserve. */
  low: () => string[];
  /** Throws `unavailable` if a disk is low: clients can retry reports, so the rest is reserved for other data. */
  requireRoom: () => void;
  stop: () => void;
};

/**
 * Checks every second the free space on the disks of the data directory and the embedded database. Logs a warning once
 * when it falls below LODGE_DISK_RESERVE, or else the larger of 5 % and 1 GB.
 */
export async function watchDisks(
  { dataDir, databaseUrl, diskReserveBytes }: Pick<Config, "dataDir" | "databaseUrl" | "diskReserveBytes">,
  log: Log,
): Promise<Disks> {
  const disks = await findDisks(dataDir, databaseUrl);
  const low = new Set<string>();
  const look = async ({ name, path }: Disk) => {
    const room = await findRoom(path, diskReserveBytes);
    freeBytes.set({ disk: name }, room.freeBytes);
    reservedBytes.set({ disk: name }, room.reserveBytes);
    const isLow = room.freeBytes < room.reserveBytes;
    if (isLow === low.has(name)) return;
    const found = { disk: name, path, ...room };
    if (isLow) log.warn(found, "a disk has less free space than its reserve: reports are refused until there is space");
    else log.info(found, "a disk has enough free space again: reports are accepted");
    if (isLow) low.add(name);
    else low.delete(name);
  };
  const lookAtAll = async () => {
    for (const disk of disks) {
      await look(disk).catch((error: unknown) =>
        log.warn({ ...disk, reason: describe(error) }, "the free space of a disk cannot be read"),
      );
    }
  };
  await lookAtAll();
  const timer = setInterval(() => void lookAtAll(), lookEveryMs).unref();
  return {
    low: () => [...low],
    requireRoom: () => {
      if (low.size > 0) throw unavailable();
    },
    stop: () => clearInterval(timer),
  };
}

/** The free bytes on the disk of a path, and the reserve below which reports are refused. */
export async function findRoom(path: string, diskReserveBytes: number | undefined) {
  const { bavail, blocks, bsize } = await statfs(path);
  const reserveBytes = diskReserveBytes ?? Math.max(reserveBytesMin, Math.round(blocks * bsize * reserveShare));
  return { freeBytes: bavail * bsize, reserveBytes };
}

async function findDisks(dataDir: string, databaseUrl: string | undefined): Promise<Disk[]> {
  const data = { name: "data", path: dataDir };
  if (databaseUrl) return [data];
  const database = { name: "database", path: locatePostgres(dataDir).cluster };
  const [dataDevice, databaseDevice] = await Promise.all(
    [data, database].map(({ path }) =>
      stat(path).then(
        ({ dev }) => dev,
        () => undefined, // this user cannot access it: it is on the disk of the data directory, or cannot be watched
      ),
    ),
  );
  return databaseDevice === undefined || databaseDevice === dataDevice ? [data] : [data, database];
}
