import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AppliedWorld, World } from "@lodge/contract/world";
import pg from "pg";
import { applyWorld, checkWorld } from "../operate/provisioning/apply-world.ts";
import { makeHash } from "../people/access/password-hash.ts";
import { readConfig } from "../platform/config/config.ts";
import { connectionsOf } from "../platform/database/budget.ts";
import { openPool, queryBuilder } from "../platform/database/database.ts";
import type { Deps } from "../platform/deps.ts";
import { createLog } from "../platform/observe/log.ts";
import { startServer } from "../serve.ts";
import { checkAnswer } from "./check-answer.ts";
import { testPostgres } from "./test-postgres.ts";

/** The response to a test's HTTP request; `body` is the parsed JSON, or the text if it is not JSON. */
export type Answer = { status: number; headers: Headers; text: string; body: Record<string, unknown> };

/** A real server on a free port, with a database of its own. */
export type Service = AsyncDisposable &
  Client & {
    /** The settings that another server needs to share this one's database. */
    env: Record<string, string>;
  };

/** A server in this process and its functions. */
export type Client = {
  url: string;
  deps: Deps;
  /**
   * Applies a world file. Hashes each password once for all services of the process; tests of applying passwords call
   * `applyWorld`.
   */
  apply: (world: World) => Promise<AppliedWorld>;
  /** Sends a request; an object as `body` is sent as JSON. Throws if its operation does not list the response. */
  request: (method: string, path: string, options?: RequestOptions) => Promise<Answer>;
  /** `POST /api/v1/tickets` with a token. */
  fileTicket: (secret: string | null | undefined, body: unknown, headers?: Record<string, string>) => Promise<Answer>;
};

type RequestOptions = { headers?: Record<string, string>; body?: unknown };

/** Settings of a test server with a worker. Few tests need it: without it, nothing is delivered. */
export const withWorker = { LODGE_ROLES: "api,ingest,dashboard,worker" };

/**
 * Starts a server on a new copy of the migrated database, or on that of another service through its `env`. It serves
 * every API; work for a worker is done only if `env` asks for one.
 */
export async function startService(env: Record<string, string> = {}, overrides: Partial<Deps> = {}): Promise<Service> {
  await using started = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "lodge-test-"));
  started.defer(() => rm(dataDir, { recursive: true, force: true }));
  const database = env.DATABASE_URL ? undefined : await cloneDatabase();
  if (database) started.defer(database.drop);
  const settings = {
    PORT: "0",
    LODGE_ROLES: "api,ingest,dashboard",
    LODGE_DATA_DIR: dataDir,
    LODGE_SECRET: "a secret that only the tests know, long enough",
    LODGE_LOG_LEVEL: "silent",
    LODGE_DISK_RESERVE: "0", // so that other data on the test machine's disk does not matter
    ...(database && { DATABASE_URL: database.url }),
    ...env,
  };
  const config = readConfig(settings);
  const address = { connectionString: settings.DATABASE_URL ?? "" };
  const log = overrides.log ?? createLog(config.logLevel);
  const server = started.use(await startServer(config, address, log, undefined, overrides));
  const all = started.move();
  return {
    env: { DATABASE_URL: address.connectionString },
    ...clientOf(server),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/**
 * A database for a server without statement timeouts: while a test holds a lock, nobody who waits for it gives up,
 * however slow the machine is. `env` and `overrides` are for the server on it.
 */
export async function makePatientDatabase(): Promise<
  AsyncDisposable & { env: Record<string, string>; overrides: Partial<Deps> }
> {
  await using started = new AsyncDisposableStack();
  const { url, drop } = await cloneDatabase();
  started.defer(drop);
  const open = (connections: number) => {
    const pool = started.use(openPool({ connectionString: url }, createLog("silent"), connections));
    pool.options.connectionTimeoutMillis = 0; // waiting for a connection means waiting for a statement
    return { pool, db: queryBuilder(pool) };
  };
  const connections = connectionsOf(1);
  const overrides = { ...open(connections.doors), dashboard: open(connections.dashboard) };
  const all = started.move();
  return { env: { DATABASE_URL: url }, overrides, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** The client of a server in this process. */
export function clientOf({ address: url, deps }: { address: string; deps: Deps }): Client {
  const request: Client["request"] = async (method, path, { headers = {}, body } = {}) => {
    const raw = body === undefined || typeof body === "string" || body instanceof Uint8Array;
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...(raw ? {} : { "content-type": "application/json" }), ...headers },
      ...(body === undefined ? {} : { body: raw ? (body as string) : JSON.stringify(body) }),
    });
    const text = await response.text();
    if (method !== "HEAD") checkAnswer(method, path, response.status, text);
    return { status: response.status, headers: response.headers, text, body: parsed(text) };
  };
  return {
    url,
    deps,
    request,
    apply: (world) => applyQuickly(deps, checkWorld(world)),
    fileTicket: (secret, body, headers = {}) =>
      request("POST", "/api/v1/tickets", {
        body,
        headers: {
          ...(secret ? { authorization: `Bearer ${secret}` } : {}),
          ...(typeof body === "string" ? { "content-type": "application/json" } : {}),
          ...headers,
        },
      }),
  };
}

/** Hashes are slow by design, and every test creates the same few people with the same password. */
async function applyQuickly(deps: Deps, world: World): Promise<AppliedWorld> {
  const members = world.members?.map(({ password: _later, ...member }) => member);
  const applied = await applyWorld(deps, { ...world, ...(members && { members }) });
  for (const [index, { password }] of (world.members ?? []).entries()) {
    const userId = applied.members[index]?.id;
    if (password === undefined || userId === undefined) continue;
    const hash = await hashOnce(password);
    await deps.db
      .insertInto("passwords")
      .values({ user_id: userId, hash })
      .onConflict((conflict) => conflict.column("user_id").doUpdateSet({ hash }))
      .execute();
  }
  return applied;
}

const hashes = new Map<string, Promise<string>>();

function hashOnce(password: string): Promise<string> {
  const hash = hashes.get(password) ?? makeHash(password);
  hashes.set(password, hash);
  return hash;
}

/** Parses a JSON object; an empty one if the text is not an object. */
export function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/**
 * A database for one test on the PostgreSQL of all tests: a copy of the migrated one, or an empty one. Copying the
 * files takes a quarter of the time of writing them through the WAL.
 */
export async function cloneDatabase(copied?: "template0"): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  const { host, user, template } = testPostgres();
  const administer = async (statement: string) => {
    const client = new pg.Client({ host, user, database: "postgres" });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  await administer(`create database ${name} template ${copied ?? template} strategy file_copy`);
  return {
    url: `postgres://${user}@localhost/${name}?host=${encodeURIComponent(host)}`,
    drop: () => administer(`drop database ${name} with (force)`),
  };
}
