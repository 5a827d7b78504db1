import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer as createWebServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A Git host that requires a password. */
type GitHost = AsyncDisposable & {
  /** `localhost:port`, the host of all repositories below the root. */
  host: string;
  /** The credentials that it received, as `user:password`. */
  credentials: string[];
  /** The CA certificate file of its certificate. */
  certificate: string;
};

/**
 * Serves the repositories below `root` over HTTPS, or HTTP, to clients with `password`; or redirects all requests
 * elsewhere.
 */
export async function startGitHost(
  root: string,
  { password, isPlain = false, redirectTo }: { password: string; isPlain?: boolean; redirectTo?: string },
): Promise<GitHost> {
  const folder = await mkdtemp(join(tmpdir(), "lodge-git-host-"));
  const key = join(folder, "key.pem");
  const certificate = join(folder, "certificate.pem");
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  execFileSync("openssl", ["req", "-x509", ...curve, "-keyout", key, "-out", certificate, ...names], {
    stdio: "ignore",
  });
  const credentials: string[] = [];
  const answer: RequestListener = (request, response) => {
    const [, sent] = /^Basic (.+)$/.exec(request.headers.authorization ?? "") ?? [];
    const given = sent && Buffer.from(sent, "base64").toString();
    if (given) credentials.push(given);
    if (redirectTo) return void response.writeHead(302, { location: `${redirectTo}${request.url}` }).end();
    if (!given?.endsWith(`:${password}`)) {
      return void response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
    }
    const [path = "", query = ""] = (request.url ?? "").split("?");
    const backend = spawn("git", ["http-backend"], {
      env: {
        PATH: process.env.PATH,
        GIT_PROJECT_ROOT: root,
        GIT_HTTP_EXPORT_ALL: "1",
        GIT_CONFIG_COUNT: "1",
        GIT_CONFIG_KEY_0: "safe.directory",
        GIT_CONFIG_VALUE_0: "*",
        REMOTE_USER: "agent",
        REQUEST_METHOD: request.method,
        PATH_INFO: path,
        QUERY_STRING: query,
        CONTENT_TYPE: request.headers["content-type"],
        HTTP_CONTENT_ENCODING: String(request.headers["content-encoding"] ?? ""),
        HTTP_GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
      },
      stdio: ["pipe", "pipe", "inherit"],
    });
    request.pipe(backend.stdin);
    backend.stdin.on("error", () => {});
    const pieces: Buffer[] = [];
    backend.stdout.on("data", (piece: Buffer) => pieces.push(piece));
    backend.on("close", () => {
      const all = Buffer.concat(pieces);
      const end = all.indexOf("\r\n\r\n");
      const headers = all.subarray(0, end).toString().split("\r\n");
      const fields = Object.fromEntries(headers.map((line) => line.split(": ", 2) as [string, string]));
      const { Status: status = "200", ...rest } = fields;
      response.writeHead(Number.parseInt(status, 10), rest).end(all.subarray(end + 4));
    });
  };
  const server = isPlain
    ? createWebServer(answer)
    : createTlsServer({ key: await readFile(key), cert: await readFile(certificate) }, answer);
  server.listen(0, "localhost");
  await once(server, "listening");
  return {
    host: `localhost:${(server.address() as AddressInfo).port}`,
    credentials,
    certificate,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await rm(folder, { recursive: true });
    },
  };
}
