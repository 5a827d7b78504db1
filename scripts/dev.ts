import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { watch } from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { createServer as createVite } from "vite";
import { type Config, readConfig } from "../apps/server/src/platform/config/config.ts";
import { makeDataDir } from "../apps/server/src/platform/config/data-dir.ts";
import { readSecret } from "../apps/server/src/platform/config/secret.ts";
import type { DatabaseAddress } from "../apps/server/src/platform/database/database.ts";
import { openDatabase } from "../apps/server/src/platform/database/open-database.ts";
import { OperatorError } from "../apps/server/src/platform/errors.ts";
import { listenForStop } from "../apps/server/src/platform/stop-signal.ts";

// A development server at one address: Vite serves the dashboard with hot reload, and everything else goes to a lodged
// that restarts when one of its files changes. The database stays open.
const root = fileURLToPath(new URL("..", import.meta.url));
const watched = ["apps/server/src", "apps/server/migrations", "packages/contract/src"];
const settleMs = 50; // editors write a file several times
const insistMs = 1_100; // a second signal counts after a second
const ofServer = /^\/(api|healthz|readyz|metrics)([/?]|$)/;
/** The dashboard's content security policy, plus the scripts and styles that Vite inserts into the page. */
const policy =
  "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; base-uri 'none'; " +
  "form-action 'self'; frame-ancestors 'none'; object-src 'none'";

/** Stops the server when its stdin closes, which happens if this process is killed. */
const endWithParent = "process.stdin.resume().on('end', () => process.kill(process.pid, 'SIGTERM')).unref();";

const stop = listenForStop();
try {
  await develop(readConfig(process.env));
} catch (error) {
  console.error(error instanceof OperatorError ? error.message : error);
  process.exitCode = 1;
}

async function develop(config: Config) {
  await makeDataDir(config.dataDir);
  await using started = new AsyncDisposableStack();
  const database = await openDatabase(config, "server", stop.asked);
  started.defer(database.close);

  const front = http.createServer();
  const url = await listen(front, config.host, config.port);
  const lodged = keepServing(await serverEnvironment(config, database.address, url));
  started.defer(lodged.stop);
  const vite = await createVite({
    configFile: `${root}apps/dashboard/vite.config.ts`,
    server: { middlewareMode: true, hmr: { server: front } },
  });
  started.defer(() => {
    front.closeAllConnections();
    front.close();
  });
  started.defer(() => vite.close());
  front.on("request", (request, response) => {
    if (ofServer.test(request.url ?? "")) return void passOn(request, response, lodged);
    response.setHeader("content-security-policy", policy);
    vite.middlewares(request, response);
  });

  let settling: NodeJS.Timeout | undefined;
  for (const folder of watched) {
    const watcher = watch(`${root}${folder}`, { recursive: true }, (_event, file) => {
      if (file === null || file.endsWith(".test.ts") || file.startsWith("testing/")) return;
      clearTimeout(settling);
      settling = setTimeout(() => lodged.restart(file), settleMs);
    });
    started.defer(() => watcher.close());
  }
  started.defer(() => clearTimeout(settling));
  console.log(`\n  Lodge development server: ${url}\n`);
  const lost = database.lost.then(() => {
    throw new OperatorError("The embedded PostgreSQL has stopped; see postgres.log in the data directory.");
  });
  await Promise.race([stop.asked.aborted || once(stop.asked, "abort"), lost]);
}

async function listen(server: http.Server, host: string, port: number): Promise<string> {
  server.listen(port, host);
  await once(server, "listening").catch((error: Error) => {
    throw new OperatorError(`Cannot listen on port ${port} of ${host}: ${error.message}`);
  });
  return `http://${host.includes(":") ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`;
}

/** The settings of a server with the public address `url`, which listens on a free local port. */
async function serverEnvironment(config: Config, address: DatabaseAddress, url: string) {
  const free = http.createServer();
  const { port } = new URL(await listen(free, "127.0.0.1", 0));
  free.close();
  return {
    ...process.env,
    DATABASE_URL:
      "connectionString" in address
        ? address.connectionString
        : `postgres://${address.user}@localhost:${address.port}/${address.database}?host=${encodeURIComponent(address.host)}`,
    LODGE_DATA_DIR: resolve(config.dataDir),
    LODGE_SECRET: await readSecret(config),
    LODGE_BASE_URL: config.baseUrl ?? url,
    LODGE_INGEST_URL: config.ingestUrl ?? url,
    LODGE_DEMO: config.demo ? "on" : "off",
    LODGE_TRUSTED_PROXIES: "127.0.0.1",
    LODGE_PROCESSES: "1",
    HOST: "127.0.0.1",
    PORT: port,
  };
}

type Lodged = { port: string; ready: () => Promise<void>; restart: (why: string) => void; stop: () => Promise<void> };

/** Runs `lodged serve` with the current sources. `ready` resolves when it serves, and rejects if it is not running. */
function keepServing(env: Record<string, string | undefined> & { PORT: string }): Lodged {
  let child = start();
  let turn = Promise.resolve();

  function start(): { process: ChildProcess; ended: Promise<unknown>; ready: Promise<void> } {
    const options = ["--import", `data:text/javascript,${encodeURIComponent(endWithParent)}`];
    const lodged = spawn(process.execPath, [...options, "apps/server/src/main.ts", "serve"], {
      cwd: root,
      env,
      stdio: ["pipe", "pipe", "inherit"],
    });
    const ended = once(lodged, "close");
    const ready = new Promise<void>((tellReady, reject) => {
      createInterface({ input: lodged.stdout }).on("line", (line) => {
        console.log(line);
        if (line.includes('"msg":"ready"')) tellReady();
      });
      void ended.then(() => reject(new Error("The server is not running. See the terminal for the reason.")));
    });
    ready.catch(() => {}); // it may have no handler yet
    return { process: lodged, ended, ready };
  }

  async function end() {
    const insist = () => child.process.kill("SIGTERM");
    insist();
    const again = setInterval(insist, insistMs);
    await child.ended;
    clearInterval(again);
  }

  return {
    port: env.PORT,
    ready: () => turn.then(() => child.ready),
    restart: (why) => {
      turn = turn.then(async () => {
        if (stop.asked.aborted) return;
        console.log(`\n  ${why} has changed: restarting the server\n`);
        await end();
        child = start();
      });
    },
    stop: async () => {
      await turn;
      await end();
    },
  };
}

/** Forwards a request, and waits while the server is starting. */
async function passOn(request: http.IncomingMessage, response: http.ServerResponse, lodged: Lodged) {
  try {
    await lodged.ready();
  } catch (error) {
    response.writeHead(502, { "content-type": "text/plain" }).end(`${(error as Error).message}\n`);
    return;
  }
  const { method, url, headers, socket } = request;
  const further = http.request({ host: "127.0.0.1", port: lodged.port, method, path: url, agent: false });
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) further.setHeader(name, value);
  further.setHeader("connection", "close");
  further.setHeader("x-forwarded-for", socket.remoteAddress ?? "");
  further.on("response", (answer) => {
    const { connection: _, "keep-alive": __, ...rest } = answer.headers;
    response.writeHead(answer.statusCode ?? 502, rest);
    response.flushHeaders();
    answer.pipe(response);
    answer.on("close", () => answer.complete || response.destroy());
  });
  further.on("error", () => {
    if (response.headersSent) response.destroy();
    else response.writeHead(502).end();
  });
  response.on("close", () => further.destroy());
  request.pipe(further);
}
