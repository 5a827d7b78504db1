import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempDisposable, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Receipt } from "@lodge/contract/envelope";
import { freePort } from "../apps/server/src/testing/free-port.ts";
import { submitReport } from "../apps/server/src/testing/submit-report.ts";
import { descendantsOf } from "../bench/proc.ts";

// Builds the image of deploy/Containerfile and runs it as its user: a ticket and a report survive a restart. Needs
// root, and Debian's buildah and mmdebstrap, which create the base image, so that none is fetched. Takes some minutes.
const root = fileURLToPath(new URL("..", import.meta.url));
const certificates = "/etc/ssl/certs/ca-certificates.crt";
const [os, build, image] = ["localhost/lodge-os", "localhost/lodge-build", "localhost/lodge"] as const;

await using folder = await mkdtempDisposable(join(tmpdir(), "lodge-image-"));
const storage = ["--root", join(folder.path, "storage"), "--runroot", join(folder.path, "run")];
const isolated = { ...process.env, BUILDAH_ISOLATION: "chroot" };
const buildah = (...args: string[]) =>
  execFileSync("buildah", [...storage, ...args], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    env: isolated,
  }).trim();

const debian = join(folder.path, "debian.tar");
execFileSync("mmdebstrap", ["--quiet", "--variant=minbase", "--include=ca-certificates", "bookworm", debian], {
  stdio: "inherit",
});
const bare = buildah("from", "scratch");
buildah("add", "--quiet", bare, debian, "/");
buildah("commit", "--quiet", bare, os);
// The system's Node and npm, and this machine's certificate authorities.
const { npm_node_execpath: node = "", npm_execpath: npm = "" } = process.env;
if (!node || !npm) throw new Error("Start this with npm run test:image, since npm sets the paths of Node and npm.");
buildah("add", "--quiet", bare, node, "/usr/local/bin/node");
buildah("add", "--quiet", bare, dirname(dirname(npm)), "/usr/local/lib/node_modules/npm");
buildah("add", "--quiet", bare, certificates, certificates);
buildah("run", bare, "--", "ln", "-s", "../lib/node_modules/npm/bin/npm-cli.js", "/usr/local/bin/npm");
buildah("config", "--env", `NODE_EXTRA_CA_CERTS=${certificates}`, bare);
buildah("commit", "--quiet", "--rm", bare, build);
buildah(
  ...["build", "--build-arg", `BUILD_BASE=${build}`, "--build-arg", `BASE=${os}`],
  ...["--file", "deploy/Containerfile", "--tag", image, "."],
);

const { config } = JSON.parse(buildah("inspect", "--type", "image", image)).OCIv1;
assert.deepEqual([config.User, config.Entrypoint, config.Cmd], ["10001", ["lodged"], ["serve"]]);
const container = buildah("from", image);
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const inContainer = (input: string, ...command: string[]) =>
  execFileSync("buildah", [...storage, "run", container, "--", ...command], { encoding: "utf8", env: isolated, input });

const world = {
  organisation: { name: "Acme", slug: "acme" },
  projects: [{ name: "Web", slug: "web", boards: [{ name: "Inbox", columns: ["New"] }] }],
  apps: [{ name: "Shop", slug: "shop", keys: ["default"] }],
  tokens: [{ name: "CI", scope: "all", permissions: ["tickets:write"] }],
};
const before = await serving(async () => {
  const applied = JSON.parse(
    inContainer(JSON.stringify(world), "sh", "-c", "cat > /tmp/world.json && lodged apply /tmp/world.json"),
  );
  const use = { token: applied.tokens[0].secret, key: applied.apps[0].keys[0].key };
  return { use, ticket: await file(use.token), receipt: await send(use.key) };
});
await serving(async () => {
  assert.deepEqual(await file(before.use.token), before.ticket);
  assert.deepEqual(await send(before.use.key), { ...before.receipt, idempotent: true });
});
console.log("The image was built and works: a ticket and a report survived a restart.");

async function file(token: string): Promise<unknown> {
  const answer = await fetch(`${url}/api/v1/tickets`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "idempotency-key": "once" },
    body: JSON.stringify({ title: "Nightly build is red" }),
  });
  assert.equal(answer.status, 201);
  return answer.json();
}

function send(key: string): Promise<Receipt> {
  const bytes = Buffer.from("what happened");
  return submitReport(url, key, { reportId: "r-1", title: "Cart is empty" }, [{ partName: "log", bytes }]);
}

/** Runs work while the image's server runs, and then stops it like a container. */
async function serving<T>(work: () => Promise<T>): Promise<T> {
  const child = spawn(
    "buildah",
    [...storage, "run", "--env", `PORT=${port}`, container, "--", ...config.Entrypoint, ...config.Cmd],
    { stdio: ["ignore", "pipe", "inherit"], env: isolated },
  );
  const ended = once(child, "exit");
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const isReady = () =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  try {
    while (!(await isReady())) {
      assert.equal(child.exitCode, null, said);
      await sleep(100);
    }
    return await work();
  } finally {
    // buildah does not forward signals.
    for (const pid of await descendantsOf(child.pid ?? 0)) {
      const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
      if (command.startsWith("node\0")) process.kill(pid, "SIGTERM");
    }
    const [code] = await ended;
    assert.equal(code, 0, said);
  }
}
