import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { signInOn, startBrowser } from "../apps/dashboard/test/browser.ts";
import { freePort } from "../apps/server/src/testing/free-port.ts";
import { submitReport } from "../apps/server/src/testing/submit-report.ts";
import { printTable } from "./results.ts";

// Measures the time from `npm start` with an empty data directory to the first report on the screen: a person signs in
// with the printed password and opens the reports, and then one is sent. Everything is installed and built.
const title = "The cart is empty after signing in";
const seen: [string, number][] = [];

await using folder = await mkdtempDisposable(join(tmpdir(), "lodge-bench-"));
await using browser = await startBrowser();
const port = await freePort();
const began = performance.now();
const note = (what: string) => seen.push([what, performance.now() - began]);

const server = spawn("npm", ["start"], {
  cwd: fileURLToPath(new URL("..", import.meta.url)),
  env: { ...process.env, PORT: `${port}`, LODGE_DATA_DIR: folder.path },
  stdio: ["ignore", "pipe", "inherit"],
  detached: true, // so that all of it can be ended
});
const exited = once(server, "exit");
try {
  const printed: Record<string, string[]> = {};
  for await (const line of createInterface({ input: server.stdout })) {
    const [, name = "", values = ""] = /^ {2}(Dashboard|Sign in|API token|SDK key) +(.*)$/.exec(line) ?? [];
    if (name) printed[name] = values.split(/ +/);
    if (printed["SDK key"]) break;
  }
  const [[url = ""] = [], [email = "", password = ""] = [], [key = ""] = []] = ["Dashboard", "Sign in", "SDK key"].map(
    (name) => printed[name] ?? [],
  );
  note("how to sign in is printed");
  while (!(await fetch(`${url}/readyz`).catch(() => undefined))?.ok)
    await new Promise((resolve) => setTimeout(resolve, 5));
  note("the server is ready");
  const { page } = await browser.open(url);
  await page.goto("/");
  await signInOn(page, email, password);
  await page.getByRole("link", { name: "Reports" }).click();
  note("signed in, and at the reports");
  await submitReport(url, key, { reportId: "my-first-report", kind: "crash", title });
  note("the report is received");
  await page.getByText(title).first().waitFor();
  note("it is on the screen");
} finally {
  if (server.pid !== undefined) process.kill(-server.pid, "SIGTERM");
  await exited;
}
printTable(
  ["", "ms from npm start"],
  seen.map(([what, ms]) => [what, `${Math.round(ms)}`]),
);
