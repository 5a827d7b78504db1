import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { Counter } from "prom-client";
import { describe } from "../errors.ts";
import type { Log } from "../observe/log.ts";
import { registry } from "../observe/metrics.ts";
import { isOutage, within } from "../outage.ts";
import { statementTimeoutMs } from "./budget.ts";
import { type DatabaseAddress, openPool } from "./database.ts";
import { preparedStatement } from "./statements.ts";

/** The time that a page waits for a replica to catch up. */
const catchUpTimeoutMs = 100;
const pauseMs = 2;
const answerTimeoutMs = 500;
/** The time for which a replica is skipped if it is behind, or does not answer. */
const behindMs = 1_000;
const awayMs = 5_000;
/** The least time between two warnings about a replica. */
const warningIntervalMs = 60_000;
/**
 * Errors of a statement that do not mean a broken replica: a conflict with recovery, or a write, for example of a list
 * that numbers cards without a number.
 */
const failuresOfOne = ["40001", "25006"];

const reads = new Counter({
  name: "lodged_replica_reads_total",
  help: "Dashboard lists that a replica can answer, by the server that did: a replica, or the primary because no replica was up to date and reachable.",
  labelNames: ["outcome"],
  registers: [registry],
});

const findPosition = preparedStatement({
  name: "find_log_position",
  parameters: {},
  row: { position: "text" },
  text: () => "select pg_current_wal_flush_lsn()::text as position",
});
/** Null on a server that is not a standby. */
const findReplayed = preparedStatement({
  name: "find_replayed_position",
  parameters: {},
  row: { replayed: "text?" },
  text: () => "select case when pg_is_in_recovery() then pg_last_wal_replay_lsn() end::text as replayed",
});

/** Replicas that answer lists of the dashboard. */
export type Replicas = AsyncDisposable & {
  /** The primary's connections; within `read`, those of the chosen replica. */
  pool: pg.Pool;
  /**
   * Runs read-only work on a replica that has everything that was committed before this call, or on the primary if no
   * replica has it within 100 ms or the replica fails.
   */
  read: <T>(work: () => Promise<T>) => Promise<T>;
};

type Replica = {
  name: string;
  pool: pg.Pool & AsyncDisposable;
  replayed: bigint;
  looking: Promise<void> | undefined;
  outUntil: number;
  warnedAt: number;
};

/**
 * Opens the replicas of a primary, each with its own connections. Skips a replica while it is unreachable or behind,
 * and logs at most one warning a minute.
 */
export function openReplicas(
  addresses: readonly DatabaseAddress[],
  primary: pg.Pool,
  log: Log,
  connections: number,
): Replicas {
  const quiet = log.child({}, { level: "silent" }); // the replica is logged as a whole
  const replicas = addresses.map((address, index): Replica => {
    const name = `replica ${index + 1}`;
    const session = { name: `lodged ${name}`, statementTimeoutMs: statementTimeoutMs.dashboard };
    const pool = openPool(address, quiet, connections, session);
    return { name, pool, replayed: 0n, looking: undefined, outUntil: 0, warnedAt: Number.NEGATIVE_INFINITY };
  });
  const reading = new AsyncLocalStorage<pg.Pool>();
  const chosen = () => reading.getStore() ?? primary;
  let turn = 0;

  function leaveOut(replica: Replica, forMs: number, reason: string) {
    const now = performance.now();
    replica.outUntil = now + forMs;
    if (now - replica.warnedAt < warningIntervalMs) return;
    replica.warnedAt = now;
    log.warn({ replica: replica.name, reason }, "a replica is left out: the primary answers in its place");
  }

  async function look(replica: Replica) {
    const [row] = await within(answerTimeoutMs, findReplayed(replica.pool, {}));
    if (!row?.replayed) throw new Error("it is no standby");
    replica.replayed = toNumber(row.replayed);
  }

  /** Whether a replica has reached a position of the WAL. Concurrent callers share the queries. */
  async function reaches(replica: Replica, position: bigint): Promise<boolean> {
    const deadline = performance.now() + catchUpTimeoutMs;
    while (replica.replayed < position) {
      if (performance.now() > deadline) return false;
      replica.looking ??= look(replica).finally(() => {
        replica.looking = undefined;
      });
      await replica.looking;
      if (replica.replayed < position) await sleep(pauseMs);
    }
    return true;
  }

  async function choose(): Promise<Replica | undefined> {
    const now = performance.now();
    const usable = replicas.filter(({ outUntil }) => outUntil <= now);
    if (usable.length === 0) {
      reads.inc({ outcome: "away" });
      return undefined;
    }
    const [row] = await findPosition(primary, {});
    const position = toNumber(row?.position ?? "");
    const replica = usable[turn++ % usable.length] as Replica;
    try {
      if (await reaches(replica, position)) return replica;
      leaveOut(replica, behindMs, "it is behind");
      reads.inc({ outcome: "behind" });
    } catch (error) {
      leaveOut(replica, awayMs, describe(error));
      reads.inc({ outcome: "away" });
    }
    return undefined;
  }

  const ask =
    (method: "query" | "connect") =>
    (...asked: unknown[]) =>
      Reflect.apply(chosen()[method], chosen(), asked);
  return {
    pool: Object.assign(Object.create(primary) as pg.Pool, { query: ask("query"), connect: ask("connect") }),
    read: async (work) => {
      const replica = await choose();
      if (!replica) return work();
      try {
        const answer = await reading.run(replica.pool, work);
        reads.inc({ outcome: "replica" });
        return answer;
      } catch (error) {
        const isOfOne = failuresOfOne.includes((error as { code?: string }).code ?? "");
        if (!isOfOne && !isOutage(error)) throw error;
        if (!isOfOne) leaveOut(replica, awayMs, describe(error));
        reads.inc({ outcome: "failed" });
        return work();
      }
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(replicas.map(({ pool }) => pool.end()));
    },
  };
}

/** Parses a WAL position (LSN): two 32-bit numbers in hexadecimal. */
function toNumber(position: string): bigint {
  const [high = "0", low = "0"] = position.split("/");
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}
