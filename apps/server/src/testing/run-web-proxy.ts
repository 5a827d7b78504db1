import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chown, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { type RequestOptions, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "./free-port.ts";
import { untilListening } from "./until-listening.ts";

/** The proxies with an example in deploy/. */
export const webProxies = ["nginx", "Caddy"] as const;

const name = "lodge.example.com";
const nobody = 65_534;

/** A proxy that runs the example of deploy/, with only ports and certificate replaced. */
export type WebProxy = AsyncDisposable & {
  /** Starts a request over TLS, from an address of this machine; the caller ends it. */
  request: (
    method: string,
    path: string,
    from: string,
    headers?: RequestOptions["headers"],
  ) => ReturnType<typeof request>;
};

/** Starts a proxy as an unprivileged process in front of a server on this machine. */
export async function runWebProxy(which: (typeof webProxies)[number], serverUrl: string): Promise<WebProxy> {
  const folder = await mkdtemp(join(tmpdir(), "lodge-proxy-"));
  const port = await freePort();
  const server = new URL(serverUrl).host;
  const key = join(folder, "key.pem");
  const certificate = join(folder, "certificate.pem");
  execFileSync(
    "openssl",
    [
      "req",
      "-x509",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:prime256v1",
      "-nodes",
      "-keyout",
      key,
      "-out",
      certificate,
      "-subj",
      `/CN=${name}`,
    ],
    { stdio: "ignore" },
  );
  const example = await readFile(fileURLToPath(new URL(`../../../../deploy/${files[which]}`, import.meta.url)), "utf8");
  const [command, ...args] = await prepare[which]({ folder, port, key, certificate, example, server });
  const root = process.getuid?.() === 0;
  if (root) await giveAway(folder);
  const child = spawn(command ?? "", args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: `${process.env.PATH}:/usr/sbin`, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    ...(root && { uid: nobody, gid: nobody }),
  });
  await untilListening(child, port);
  return {
    request: (method, path, from, headers = {}) =>
      request({
        host: "127.0.0.1",
        port,
        method,
        path,
        localAddress: from,
        servername: name,
        rejectUnauthorized: false,
        headers: { host: name, ...headers },
      }),
    [Symbol.asyncDispose]: async () => {
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The answer to a request. */
export async function answerTo(sent: ReturnType<typeof request>): Promise<{ status: number; text: string }> {
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) text += chunk;
  return { status: response.statusCode ?? 0, text };
}

const files = { nginx: "nginx.conf", Caddy: "Caddyfile" };

type Place = { folder: string; port: number; key: string; certificate: string; example: string; server: string };

/** Writes the configuration, and returns the command that runs it in the foreground. */
const prepare: Record<(typeof webProxies)[number], (place: Place) => Promise<string[]>> = {
  nginx: async ({ folder, port, key, certificate, example, server }) => {
    const site = replaceEach(example, [
      ["listen 443 ssl", `listen 127.0.0.1:${port} ssl`],
      ["server 127.0.0.1:4080;", `server ${server};`],
      [`/etc/letsencrypt/live/${name}/fullchain.pem`, certificate],
      [`/etc/letsencrypt/live/${name}/privkey.pem`, key],
    ]);
    const folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (kind) => `${kind}_temp_path ${join(folder, kind)};`,
    );
    const file = join(folder, "nginx.conf");
    await writeFile(
      file,
      `daemon off; pid ${join(folder, "pid")}; error_log stderr;\nevents {}\nhttp { access_log off; ${folders.join(" ")}\n${site}}\n`,
    );
    return ["nginx", "-p", folder, "-e", "stderr", "-c", file];
  },
  Caddy: async ({ folder, port, key, certificate, example, server }) => {
    const site = replaceEach(example, [
      [`${name} {`, `https://${name}:${port} {\n\tbind 127.0.0.1\n\ttls ${certificate} ${key}`],
      ["127.0.0.1:4080", server],
    ]);
    const file = join(folder, "Caddyfile");
    await writeFile(file, `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${site}`);
    return ["caddy", "run", "--adapter", "caddyfile", "--config", file];
  },
};

function replaceEach(text: string, replacements: [string, string][]): string {
  return replacements.reduce((before, [from, to]) => {
    if (!before.includes(from)) throw new Error(`The example has no "${from}".`);
    return before.replace(from, to);
  }, text);
}

async function giveAway(folder: string) {
  await mkdir(join(folder, "caddy"), { recursive: true });
  for (const entry of ["", ...(await readdir(folder, { recursive: true }))]) {
    await chown(join(folder, entry), nobody, nobody);
  }
}
