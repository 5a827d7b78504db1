import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { dsnOf } from "../inbox/apps/dsn.ts";
import type { Deps } from "../platform/deps.ts";
import { encodeForm, type FormOptions, type FormPart, formBoundary } from "./encode-form.ts";
import { type Answer, type Service, startService } from "./start-service.ts";
import { until } from "./until.ts";

/** A server with one app that sends it reports. */
export type Door = Service & {
  key: string;
  appId: string;
  /** The DSN for Sentry's clients. */
  dsn: string;
  organisationId: string;
  /** The header lines of a well-formed report, besides its length. */
  lines: readonly string[];
  /** Sends `POST /api/ingest` with this exact body. */
  post: (body: Uint8Array | string | undefined, headers?: Record<string, string>) => Promise<Answer>;
  /** The same with a form. */
  submit: (parts: readonly FormPart[], options?: FormOptions, headers?: Record<string, string>) => Promise<Answer>;
  /** The number of refusals by code, once the refusal log has at least `count`: it is written once a second. */
  refusals: (count?: number) => Promise<Record<string, number>>;
  /** The reportIds of all events, sorted. */
  reportIds: () => Promise<string[]>;
};

/** Starts a service with an organisation, an app and its key. */
export async function startDoor(env: Record<string, string> = {}, overrides: Partial<Deps> = {}): Promise<Door> {
  await using started = new AsyncDisposableStack();
  const lodge = started.use(await startService(env, overrides));
  const { organisation, apps } = await lodge.apply({
    organisation: { name: "Acme", slug: "acme" },
    apps: [{ name: "Web", slug: "web", keys: ["default"] }],
  });
  const [
    {
      id: appId,
      number,
      keys: [{ key } = { key: "" }],
    } = { id: "", number: 0, keys: [] },
  ] = apps;
  const authorization = `Bearer ${key}`;
  const post: Door["post"] = (body, headers = {}) =>
    lodge.request("POST", "/api/ingest", {
      body,
      headers: { authorization, "content-type": `multipart/form-data; boundary="${formBoundary}"`, ...headers },
    });
  started.move(); // the caller disposes of it
  return {
    ...lodge,
    key,
    appId,
    dsn: dsnOf(lodge.url, key, number),
    organisationId: organisation.id,
    lines: [`Authorization: ${authorization}`, `Content-Type: multipart/form-data; boundary="${formBoundary}"`],
    post,
    submit: (parts, options, headers) => post(encodeForm(parts, options), headers),
    refusals: async (wanted = 0) => {
      const read = () => lodge.deps.db.selectFrom("refusals").select(["code", "count"]).orderBy("code").execute();
      await until(async () => (await read()).reduce((sum, { count }) => sum + Number(count), 0) >= wanted);
      return Object.fromEntries((await read()).map(({ code, count }) => [code, Number(count)]));
    },
    reportIds: async () => {
      const rows = await lodge.deps.db.selectFrom("events").select("report_id").orderBy("report_id").execute();
      return rows.map((row) => row.report_id);
    },
  };
}

/** Every file in the store of a data directory, including unfinished ones. */
export async function storedFiles(dataDir: string): Promise<string[]> {
  const folder = join(dataDir, "artifacts");
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

/** Asserts that the store has exactly the bytes of every artifact, as declared. */
export async function assertStoreIsWhole({ db }: Deps, dataDir: string): Promise<void> {
  const artifacts = await db.selectFrom("artifacts").select(["store_key", "sha256", "byte_length"]).execute();
  assert.deepEqual(await storedFiles(dataDir), artifacts.map((artifact) => artifact.store_key).sort());
  await assertArtifactsAreWhole(artifacts, dataDir);
}

/** Asserts that the store has each of these artifacts as declared. */
export async function assertArtifactsAreWhole(
  artifacts: readonly { store_key: string; sha256: Buffer; byte_length: number }[],
  dataDir: string,
): Promise<void> {
  for (const { store_key, sha256, byte_length } of artifacts) {
    const bytes = await readFile(join(dataDir, "artifacts", store_key));
    assert.equal(bytes.length, byte_length);
    assert.deepEqual(createHash("sha256").update(bytes).digest(), sha256);
  }
}

/** Asserts that a refusal left nothing behind: no event, no artifact, no file. */
export async function assertNothingKept(door: Door): Promise<void> {
  assert.deepEqual(await door.reportIds(), []);
  assert.deepEqual(await storedFiles(door.deps.config.dataDir), []);
}
