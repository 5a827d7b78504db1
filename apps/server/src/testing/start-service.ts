import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AppliedWorld, World } from "@lodge/contract/world";
import pg from "pg";
import { readConfig } from "../platform/config/config.ts";
import type { Deps } from "../platform/deps.ts";
import { createLog } from "../platform/observe/log.ts";
import { applyWorld, checkWorld } from "../provisioning/apply-world.ts";
import { startServer } from "../serve.ts";
import { testPostgres } from "./test-postgres.ts";

/** What a test's HTTP request was answered with; `body` is the parsed JSON, or the text where it is none. */
export type Answer = { status: number; headers: Headers; text: string; body: Record<string, unknown> };

/** A real server on a free port, with a database of its own. */
export type Service = AsyncDisposable & {
  url: string;
  deps: Deps;
  /** The settings that another server needs to share this one's database. */
  env: Record<string, string>;
  apply: (world: World) => Promise<AppliedWorld>;
  /** Sends a request; an object as `body` goes out as JSON. */
  request: (method: string, path: string, options?: RequestOptions) => Promise<Answer>;
  /** `POST /api/v1/tickets` with a token. */
  fileTicket: (secret: string | null | undefined, body: unknown, headers?: Record<string, string>) => Promise<Answer>;
};

type RequestOptions = { headers?: Record<string, string>; body?: unknown };

/** Starts a server on a fresh copy of the migrated database, or on that of another service through its `env`. */
export async function startService(env: Record<string, string> = {}, overrides: Partial<Deps> = {}): Promise<Service> {
  await using started = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "lodge-test-"));
  started.defer(() => rm(dataDir, { recursive: true, force: true }));
  const database = env.DATABASE_URL ? undefined : await cloneDatabase();
  if (database) started.defer(database.drop);
  const settings = {
    PORT: "0",
    LODGE_DATA_DIR: dataDir,
    LODGE_SECRET: "a secret that only the tests know, long enough",
    LODGE_LOG_LEVEL: "silent",
    LODGE_DISK_RESERVE: "0", // whatever else fills the disk of the tests
    ...(database && { DATABASE_URL: database.url }),
    ...env,
  };
  const config = readConfig(settings);
  const address = { connectionString: settings.DATABASE_URL ?? "" };
  const server = await startServer(config, address, overrides.log ?? createLog(config.logLevel), overrides);
  started.defer(server.stop);
  const url = server.address;

  const request: Service["request"] = async (method, path, { headers = {}, body } = {}) => {
    const raw = body === undefined || typeof body === "string" || body instanceof Uint8Array;
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...(raw ? {} : { "content-type": "application/json" }), ...headers },
      ...(body === undefined ? {} : { body: raw ? (body as string) : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: parsed(text) };
  };

  const all = started.move();
  return {
    url,
    deps: server.deps,
    env: { DATABASE_URL: address.connectionString },
    request,
    apply: async (world) => applyWorld(server.deps, checkWorld(world)),
    fileTicket: (secret, body, headers = {}) =>
      request("POST", "/api/v1/tickets", {
        body,
        headers: {
          ...(secret ? { authorization: `Bearer ${secret}` } : {}),
          ...(typeof body === "string" ? { "content-type": "application/json" } : {}),
          ...headers,
        },
      }),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** The JSON object of a text, or an empty one where it is none. */
export function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

async function cloneDatabase(): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  const { host, user, template } = testPostgres();
  const administer = async (statement: string) => {
    const client = new pg.Client({ host, user, database: "postgres" });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  await administer(`create database ${name} template ${template}`);
  return {
    url: `postgres://${user}@localhost/${name}?host=${encodeURIComponent(host)}`,
    drop: () => administer(`drop database ${name} with (force)`),
  };
}
