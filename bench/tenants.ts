import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { applyWorld } from "../apps/server/src/operate/provisioning/apply-world.ts";
import { openPool } from "../apps/server/src/platform/database/database.ts";
import { makeBasics } from "../apps/server/src/platform/make-deps.ts";
import { migrate } from "../apps/server/src/platform/migrate.ts";
import { createLog } from "../apps/server/src/platform/observe/log.ts";
import { startEmbeddedPostgres } from "../apps/server/src/platform/postgres/embedded-postgres.ts";
import { type ChildServer, databaseUrl, startChildServer } from "./child-server.ts";
import { startGenerator } from "./generator.ts";
import { printTable, writeResults } from "./results.ts";
import { percentile, rounded } from "./statistics.ts";
import type { Uploads, UploadsResult } from "./upload-generator.ts";

// What a member of one organisation can do to the reports of another: files cards of 20 kB in a loop and searches all of
// them, 60 times at once, while the other's reports come in.
const cards = 6_000;
const searchers = 60;
const writers = 4;
const reports = { connections: 8, count: 2_000, attachments: 0, attachmentBytes: 0 };
const p99MsMax = 1_000;
const password = randomUUID();
const vocabulary = Array.from({ length: 20_000 }, () => randomBytes(3).toString("hex"));

const generator = startGenerator<Uploads, UploadsResult>("./upload-generator.ts");
const folder = await mkdtemp(join(tmpdir(), "lodge-bench-"));
const postgres = await startEmbeddedPostgres(folder);
let server: ChildServer | undefined;
try {
  const { columnId, bearer } = await fill();
  server = await startChildServer("apps/server/bin/lodged.mjs", ["serve"], {
    DATABASE_URL: databaseUrl(postgres.address, postgres.address.database),
    LODGE_DATA_DIR: join(folder, "service"),
    LODGE_SECRET: randomUUID(),
  });
  const base = `http://127.0.0.1:${server.port}`;
  await drive(server, bearer); // warms up
  const alone = await drive(server, bearer);
  const attack = await startAttack(base, columnId);
  const attacked = await drive(server, bearer);
  const statuses = await attack.stop();

  const row = (name: string, { p50Ms, p99Ms, ratePerSecond, refused }: Awaited<ReturnType<typeof drive>>) =>
    [name, p50Ms, p99Ms, ratePerSecond, refused].map(String);
  printTable(
    ["reports of one organisation", "p50 ms", "p99 ms", "rate/s", "not accepted"],
    [row("alone", alone), row("while another is at it", attacked)],
  );
  console.log(`\nThe other one was answered: ${JSON.stringify(statuses)}`);
  console.log(attacked.p99Ms < p99MsMax ? "\nHeld: p99 below 1 s." : "\nNOT held: p99 is 1 s or more.");
  await writeResults("tenants", { load: { cards, searchers, writers, reports }, alone, attacked, statuses });
  if (attacked.p99Ms >= p99MsMax || attacked.refused > 0) process.exitCode = 1;
} finally {
  generator.stop();
  await server?.stop();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Makes both organisations, and the cards that the one has filed in the course of ten minutes. */
async function fill() {
  const pool = openPool(postgres.address, createLog("warn"));
  try {
    await migrate(pool);
    const basics = makeBasics(pool);
    const { apps } = await applyWorld(basics, {
      organisation: { name: "Quiet", slug: "quiet" },
      apps: [{ name: "App", slug: "app", keys: ["default"] }],
    });
    const { organisation, projects } = await applyWorld(basics, {
      organisation: { name: "Loud", slug: "loud" },
      members: [{ email: "loud@bench.test", name: "Loud", role: "owner", password }],
      projects: [{ name: "Web", slug: "web", boards: [{ name: "Inbox", columns: ["Backlog"] }] }],
    });
    const columnId = projects[0]?.boards[0]?.columns[0]?.id ?? "";
    // The index is made anew when they are there: to file one costs 10 ms and more of the database's time.
    const { rows } = await pool.query<{ indexdef: string }>(
      "select indexdef from pg_indexes where indexname = 'tickets_long_description'",
    );
    await pool.query("drop index tickets_long_description");
    for (let filed = 0; filed < cards; filed += 100) {
      await pool.query(
        `insert into tickets (organisation_id, column_id, position, title, description, author_name)
        select $1, $2, uuidv7()::text, 'A card', description, 'Loud' from unnest($3::text[]) description`,
        [organisation.id, columnId, Array.from({ length: 100 }, longText)],
      );
    }
    await pool.query(rows[0]?.indexdef ?? "");
    await pool.query("vacuum analyze tickets");
    return { columnId, bearer: apps[0]?.keys[0]?.key ?? "" };
  } finally {
    await pool.end();
  }
}

async function drive({ port }: ChildServer, bearer: string) {
  const { seconds, latenciesMs, statuses } = await generator.run({ port, bearer, ...reports });
  return {
    p50Ms: rounded(percentile(latenciesMs, 0.5), 1),
    p99Ms: rounded(percentile(latenciesMs, 0.99), 1),
    ratePerSecond: Math.round(reports.count / seconds),
    refused: reports.count - (statuses["200"] ?? 0),
  };
}

/** Signs in, and files and searches from then on; `stop` tells what was answered, by what was asked and status. */
async function startAttack(base: string, columnId: string) {
  const signedIn = await fetch(`${base}/api/dashboard/session`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: "loud@bench.test", password }),
  });
  const cookie = signedIn.headers
    .getSetCookie()
    .map((line) => line.split(";", 1)[0])
    .join("; ");
  const stopping = new AbortController();
  const statuses: Record<string, number> = {};
  const loop = async (name: string, ask: () => Promise<Response>) => {
    while (!stopping.signal.aborted) {
      const answer = await ask();
      await answer.arrayBuffer();
      const key = `${name} ${answer.status}`;
      statuses[key] = (statuses[key] ?? 0) + 1;
    }
  };
  const search = () =>
    fetch(`${base}/api/dashboard/columns/${columnId}/cards?text=${randomBytes(4).toString("hex")}`, {
      headers: { cookie },
    });
  const file = () =>
    fetch(`${base}/api/dashboard/tickets`, {
      method: "POST",
      headers: { cookie, "content-type": "application/json" },
      body: JSON.stringify({ columnId, title: "A card", description: longText() }),
    });
  const loops = [
    ...Array.from({ length: searchers }, () => loop("search", search)),
    ...Array.from({ length: writers }, () => loop("card", file)),
  ];
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(loops);
      return statuses;
    },
  };
}

/** 20 kB of words of a vocabulary, most of which a card does not have. */
function longText(): string {
  let text = "";
  while (text.length < 19_900) text += `${vocabulary[Math.floor(Math.random() * vocabulary.length)]} `;
  return text;
}
