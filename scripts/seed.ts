import { livelyPeople, livelySlug, makeLivelyWorld } from "../apps/dashboard/test/lively-world.ts";
import { readConfig } from "../apps/server/src/platform/config/config.ts";
import { openDatabase } from "../apps/server/src/platform/database/open-database.ts";
import { createLog } from "../apps/server/src/platform/observe/log.ts";
import { listenForStop } from "../apps/server/src/platform/stop-signal.ts";
import { startServer } from "../apps/server/src/serve.ts";
import { clientOf } from "../apps/server/src/testing/start-service.ts";

// Fills the database of the settings with the world of the screenshots, beside a running server or without one, and says
// how to sign in. It works through a server of its own, on another port and without a worker.
const settings = readConfig(process.env);
const config = readConfig({
  ...process.env,
  HOST: "127.0.0.1",
  PORT: "0",
  LODGE_BASE_URL: "",
  LODGE_INGEST_URL: "",
  LODGE_ROLES: "api,dashboard",
  LODGE_DEMO: "off",
});
const { asked } = listenForStop();
await using database = await openDatabase(config, "command", asked).then(({ address, close }) => ({
  address,
  [Symbol.asyncDispose]: close,
}));
await using server = await startServer(config, database.address, createLog("silent"));
const known = await server.deps.db
  .selectFrom("organisations")
  .select("id")
  .where("slug", "=", livelySlug)
  .executeTakeFirst();
if (!known) await makeLivelyWorld(clientOf(server));
const address = settings.baseUrl ?? `http://127.0.0.1:${settings.port}`;
console.log(`${known ? `The organisation "${livelySlug}" is there already.` : `The organisation "${livelySlug}" is made.`}

Dashboard   ${address} (npm run dev, or npm start)
${livelyPeople.map(({ email, role, password }) => `Sign in     ${email}   ${password}   ${role}`).join("\n")}`);
