import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startBrowser } from "../apps/dashboard/test/browser.ts";
import { everyPage, openForEverybody } from "../apps/dashboard/test/every-page.ts";
import { makeLivelyWorld } from "../apps/dashboard/test/lively-world.ts";
import { openPool } from "../apps/server/src/platform/database/database.ts";
import { migrate } from "../apps/server/src/platform/migrate.ts";
import { createLog } from "../apps/server/src/platform/observe/log.ts";
import { startEmbeddedPostgres } from "../apps/server/src/platform/postgres/embedded-postgres.ts";
import { startService } from "../apps/server/src/testing/start-service.ts";
import { testEnvironment } from "../apps/server/src/testing/test-postgres.ts";

// Writes screenshots of every dashboard page, or of those in the arguments, in both themes and widths to
// docs/screenshots.
const sizes = { wide: { width: 1440, height: 900 }, narrow: { width: 360, height: 740 } } as const;
const folder = fileURLToPath(new URL("../docs/screenshots/", import.meta.url));
const named = process.argv.slice(2);
const wanted = everyPage.filter(({ name }) => named.length === 0 || named.includes(name));

const data = await mkdtemp(join(tmpdir(), "lodge-screenshots-"));
const postgres = await startEmbeddedPostgres(data);
try {
  const { host, user, database } = postgres.address;
  const pool = openPool(postgres.address, createLog("silent"));
  await migrate(pool);
  await pool.end();
  Object.assign(process.env, testEnvironment({ host, user, template: database }));
  await mkdir(folder, { recursive: true });
  await takeAll();
} finally {
  await postgres.stop();
  await rm(data, { recursive: true, force: true });
}

async function takeAll() {
  await using lodge = await startService();
  const world = await makeLivelyWorld(lodge);
  await using empty = await startService();
  await using browser = await startBrowser();
  for (const colorScheme of ["light", "dark"] as const) {
    for (const [size, viewport] of Object.entries(sizes)) {
      const options = { colorScheme, viewport };
      const people = await openForEverybody(browser, lodge, empty, options);
      for (const { name, as, open } of wanted) {
        const { page, problems } = people[as];
        await open(page, world);
        await page.screenshot({ path: `${folder}${name}-${size}-${colorScheme}.png`, caret: "hide" });
        if (problems.length > 0) throw new Error(`${name}: ${problems.join("\n")}`);
      }
      await Promise.all(Object.values(people).map(({ page }) => page.context().close()));
    }
  }
}
