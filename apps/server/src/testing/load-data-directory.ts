import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import pg from "pg";
import { startEmbeddedPostgres } from "../platform/postgres/embedded-postgres.ts";

/** A data directory of a release, as saved by `scripts/save-data-directory.ts`. */
export type SavedDataDirectory = {
  /** The facts that a test needs to repeat an earlier action. */
  known: {
    token: string;
    key: string;
    /** The response that "before the upgrade" replays. */
    ticket: string;
    /** The event of the report "before the upgrade". */
    eventId: string;
    email: string;
    password: string;
    totpKey: string;
    recoveryCodes: string[];
  };
  statements: string[];
  files: Record<string, string>;
};

/** Restores the data directory of a release, with a new cluster that is not running. */
export async function loadDataDirectory(version: "0.1.0", dataDir: string): Promise<SavedDataDirectory["known"]> {
  const file = new URL(`data-${version}.json.gz`, import.meta.url);
  const { known, statements, files } = JSON.parse(gunzipSync(await readFile(file)).toString()) as SavedDataDirectory;
  await mkdir(dataDir, { mode: 0o700 });
  for (const [path, bytes] of Object.entries(files)) {
    await mkdir(dirname(join(dataDir, path)), { recursive: true, mode: 0o700 });
    await writeFile(join(dataDir, path), Buffer.from(bytes, "base64"), { mode: 0o600 });
  }
  const postgres = await startEmbeddedPostgres(dataDir);
  try {
    const client = new pg.Client(postgres.address);
    await client.connect();
    await client.query("set search_path = public, graphile_worker");
    for (const statement of statements) await client.query(statement);
    await client.end();
  } finally {
    await postgres.stop();
  }
  return known;
}
