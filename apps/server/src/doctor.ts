import { once } from "node:events";
import { existsSync } from "node:fs";
import { access, constants, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, resolve } from "node:path";
import { examineEmbedded, examineExternal } from "./examine-database.ts";
import { type Finding, note, ok, wrong } from "./finding.ts";
import type { Config } from "./platform/config/config.ts";
import { secretPath } from "./platform/config/secret.ts";
import { describe } from "./platform/errors.ts";
import { greetRedis } from "./platform/limits/redis-rates.ts";
import { greetMailServer } from "./platform/outbound/open-mailer.ts";
import { openS3 } from "./platform/store/s3-requests.ts";
import { findRoom } from "./platform/store/watch-disks.ts";

const nodeMajorMin = 26;
const askTimeoutMs = 5_000;

/** Checks everything a server depends on. Starts, stops and changes nothing, and does not disturb a running server. */
export async function* examine(readConfig: () => Config): AsyncGenerator<Finding> {
  yield examineNode();
  let config: Config;
  try {
    config = readConfig();
  } catch (error) {
    for (const problem of describe(error).split("\n").slice(1)) yield wrong(`Settings: ${problem.trim()}`);
    yield note("Fix the settings first. The other checks need them.");
    return;
  }
  yield ok("Settings: all valid");
  yield* examineDataDir(config);
  if (config.databaseUrl) {
    yield* examineExternal(config, config.databaseUrl);
  } else yield* examineEmbedded(config);
  yield await examineStore(config);
  if (config.redisUrl) yield await examineRedis(config.redisUrl);
  if (config.smtpUrl) yield await examineMail(config.smtpUrl);
  if (config.tracing) yield await examineCollector(config.tracing.url);
  yield await examinePort(config);
}

function examineNode(): Finding {
  const { node } = process.versions;
  return Number.parseInt(node, 10) >= nodeMajorMin
    ? ok(`Node: ${node}`)
    : wrong(
        `Node: ${node} is older than ${nodeMajorMin}. Start Lodge with npm start or npx lodged: they bring their own.`,
      );
}

async function examineStore({ databaseUrl, dataDir, s3 }: Config): Promise<Finding> {
  const shared = databaseUrl ? "; all servers on this DATABASE_URL must share this folder" : "";
  if (!s3) return ok(`Store: files below ${resolve(dataDir, "artifacts")}${shared}`);
  const bucket = `the bucket ${s3.bucket} at ${s3.endpoint}`;
  return openS3(s3)({ method: "HEAD" }).then(
    () => ok(`Store: ${bucket} answers`),
    (error: unknown) => wrong(`Store: ${bucket}: ${describe(error)}. Check the S3_* settings.`),
  );
}

async function* examineDataDir(config: Config): AsyncGenerator<Finding> {
  const path = resolve(config.dataDir);
  let existing = path;
  while (!existsSync(existing)) existing = dirname(existing);
  try {
    await access(existing, constants.R_OK | constants.W_OK | constants.X_OK);
    if (existing === path) yield* examineOwners(config);
    else yield ok(`Data directory: ${path} will be created at the first start`);
  } catch (error) {
    yield wrong(`Data directory: ${path}: ${describe(error)}. Make it writable for this user, or set LODGE_DATA_DIR.`);
  }
  const { freeBytes, reserveBytes } = await findRoom(existing, config.diskReserveBytes);
  const room = `Disk: ${inGigabytes(freeBytes)} free, ${inGigabytes(reserveBytes)} reserved`;
  yield freeBytes >= reserveBytes
    ? ok(room)
    : wrong(
        `${room}, at ${existing}: reports are refused. Free space, set LODGE_DATA_DIR to a larger disk, or lower LODGE_DISK_RESERVE.`,
      );
}

const inGigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`;

/** Anyone who can change the data directory and its secret can sign in as anybody. */
async function* examineOwners({ dataDir, secret }: Config): AsyncGenerator<Finding> {
  const path = resolve(dataDir);
  const folder = await stat(path);
  const trusted = [process.getuid?.() ?? 0, 0];
  const seen = `${path}, writable, owned by user ${folder.uid}, mode ${octal(folder.mode)}`;
  if ((folder.mode & 0o022) !== 0 && process.platform !== "win32") {
    yield wrong(`Data directory: ${seen}: other users can write to it. Run chmod 700 ${path}`);
  } else if (process.getuid?.() !== 0 && !trusted.includes(folder.uid)) {
    yield wrong(
      `Data directory: ${seen}, which is not this user. Change its owner to the user of the server: chown -R … ${path}`,
    );
  } else yield ok(`Data directory: ${seen}`);

  const file = secretPath(path);
  const kept = await stat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    return undefined;
  });
  if (secret || !kept || process.platform === "win32") return;
  const of = `Secret: ${file}, owned by user ${kept.uid}, mode ${octal(kept.mode)}`;
  if ((kept.mode & 0o077) !== 0) {
    const can = (kept.mode & 0o022) !== 0 ? "write to it, so the server refuses it" : "read it";
    yield wrong(`${of}: other users can ${can}. Run chmod 600 ${file}`);
  } else if (![...trusted, folder.uid].includes(kept.uid)) {
    yield wrong(`${of}: another user owns it. Change its owner to the user of the server: chown … ${file}`);
  } else yield ok(of);
}

const octal = (mode: number) => (mode & 0o777).toString(8);

const examineRedis = (url: string): Promise<Finding> =>
  greetRedis(url, askTimeoutMs).then(
    (version) => ok(`Redis: REDIS_URL ${version} answers`),
    (error: unknown) =>
      wrong(`Redis: REDIS_URL: ${describe(error)}. Check that it runs, and its address and password.`),
  );

const examineMail = (url: string): Promise<Finding> =>
  greetMailServer(url, askTimeoutMs).then(
    () => ok("E-mail: LODGE_SMTP_URL accepts messages"),
    (error: unknown) =>
      wrong(`E-mail: LODGE_SMTP_URL: ${describe(error)}. Check the server's address, user and password.`),
  );

async function examineCollector(url: string): Promise<Finding> {
  const { greetCollector } = await import("./platform/observe/open-tracer.ts");
  return greetCollector(url, askTimeoutMs).then(
    () => ok(`Traces: the collector at ${url} accepts them`),
    (error: unknown) => wrong(`Traces: ${url}: ${describe(error)}. Check the OTEL_EXPORTER_OTLP_ settings.`),
  );
}

async function examinePort({ host, port }: Config): Promise<Finding> {
  const name = `Port: ${port} of ${host}`;
  if (port === 0) return ok("Port: Lodge chooses a free one");
  const server = createServer();
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, "listening");
    return ok(`${name} is free`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") {
      return wrong(`${name}: ${describe(error)}. Set HOST to an address of this machine, and PORT to a free port.`);
    }
    return (await isLodge(host, port))
      ? note(`${name} is in use by a Lodge server; to start another one, set PORT`)
      : wrong(`${name} is taken by another program. Stop it, or set PORT.`);
  } finally {
    server.close();
  }
}

async function isLodge(host: string, port: number): Promise<boolean> {
  const reachable = { "0.0.0.0": "127.0.0.1", "::": "[::1]" }[host] ?? (host.includes(":") ? `[${host}]` : host);
  try {
    const answer = await fetch(`http://${reachable}:${port}/healthz`, { signal: AbortSignal.timeout(askTimeoutMs) });
    return answer.headers.has("x-request-id") && (await answer.text()) === '{"status":"ok"}';
  } catch {
    return false;
  }
}
