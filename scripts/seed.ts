import { sql } from "kysely";
import { livelyPeople, livelySlugs, makeLivelyWorld } from "../apps/dashboard/test/lively-world.ts";
import { belongsTo, listOrganisationTables } from "../apps/server/src/operate/provisioning/organisation-tables.ts";
import { readConfig } from "../apps/server/src/platform/config/config.ts";
import { openDatabase } from "../apps/server/src/platform/database/open-database.ts";
import type { Deps } from "../apps/server/src/platform/deps.ts";
import { createLog } from "../apps/server/src/platform/observe/log.ts";
import { listenForStop } from "../apps/server/src/platform/stop-signal.ts";
import { startServer } from "../apps/server/src/serve.ts";
import { clientOf } from "../apps/server/src/testing/start-service.ts";

// Fills the configured database with the data of the screenshots, with or without a running server, and prints how to
// sign in. Uses its own server on another port, without a worker. Organisations only get their slugs when they are
// complete, so that the next seed recognises a killed one and starts over.
const settings = readConfig(process.env);
const config = readConfig({
  ...process.env,
  HOST: "127.0.0.1",
  PORT: "0",
  LODGE_BASE_URL: "",
  LODGE_INGEST_URL: "",
  LODGE_ROLES: "api,ingest,dashboard",
  LODGE_DEMO: "off",
});
const address = settings.baseUrl ?? `http://127.0.0.1:${settings.port}`;
const unfinished = (slug: string) => `${slug}-being-seeded`;
const { asked } = listenForStop();
await using database = await openDatabase(config, "command", asked).then(({ address, close }) => ({
  address,
  [Symbol.asyncDispose]: close,
}));
await using server = await startServer(config, database.address, createLog("silent"));
const { db } = server.deps;
const known = await findOrganisations(livelySlugs);
if (known.length === 0) {
  try {
    await deleteUnfinished(server.deps);
    await makeLivelyWorld(clientOf(server), livelySlugs.map(unfinished));
    asked.throwIfAborted();
    await db.transaction().execute(async (tx) => {
      // Cards contain links to this temporary server, which ends here.
      await tx
        .updateTable("tickets")
        .set({ description: sql`replace(description, ${server.deps.urls.base}, ${address})` })
        .where(sql`strpos(description, ${server.deps.urls.base})`, ">", 0)
        .execute();
      for (const slug of livelySlugs) {
        await tx.updateTable("organisations").set({ slug }).where("slug", "=", unfinished(slug)).execute();
      }
    });
    sayHowToSignIn(`The organisation "${livelySlugs[0]}" was created.`);
  } catch (error) {
    await deleteUnfinished(server.deps);
    console.error(`The seed was stopped and left nothing behind: ${(error as Error)?.message ?? error}`);
    process.exitCode = 1;
  }
} else if (known.length === livelySlugs.length) {
  sayHowToSignIn(`The organisation "${livelySlugs[0]}" already exists.`);
} else {
  console.error(
    `There is already an organisation "${known[0]?.slug}" that is not from a seed. Set LODGE_DATA_DIR to an empty folder.`,
  );
  process.exitCode = 1;
}

function sayHowToSignIn(outcome: string) {
  console.log(`${outcome}

Dashboard   ${address} (npm run dev, or npm start)
${livelyPeople.map(({ email, role, password }) => `Sign in     ${email}   ${password}   ${role}`).join("\n")}`);
}

function findOrganisations(slugs: readonly string[]) {
  return db
    .selectFrom("organisations")
    .select(["id", "slug", "agent_user_id as agentUserId"])
    .where("slug", "in", slugs)
    .execute();
}

/** Deletes the organisations of an unfinished seed, and the people who are in no other organisation. */
async function deleteUnfinished({ db }: Deps): Promise<void> {
  const left = await findOrganisations(livelySlugs.map(unfinished));
  if (left.length === 0) return;
  const tables = (await listOrganisationTables(db)).toReversed();
  await db.transaction().execute(async (tx) => {
    for (const organisation of left) {
      for (const table of tables) {
        await sql`delete from ${sql.table(table.name)} r where ${belongsTo(table, organisation.id)}`.execute(tx);
      }
    }
    await tx
      .deleteFrom("users")
      .where((users) =>
        users.or([
          users(
            "id",
            "in",
            left.map(({ agentUserId }) => agentUserId),
          ),
          users(
            "email",
            "in",
            livelyPeople.map(({ email }) => email),
          ),
        ]),
      )
      .where("id", "not in", tx.selectFrom("members").select("user_id"))
      .execute();
  });
}
