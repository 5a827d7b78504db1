import { readdir, readFile } from "node:fs/promises";
import { extname, join, sep } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import type { Deps } from "../deps.ts";

const types: Record<string, string> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
};
const compressible = /^text\/|json|svg/;
const compressedBytesMin = 1_000;

// Of 457 kB of JavaScript, 6 makes 139 kB in 50 ms, the greatest 128 kB in almost 2 s, which the first page waits for.
const brotliQuality = 6;
const compressors = {
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes, { level: 9 }),
};
type Encoding = keyof typeof compressors;

/** Everything that a page loads comes from here, and no page of somebody else's may frame it. */
const headers = {
  "content-security-policy":
    "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'",
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
};

type WebFile = { bytes: Buffer; type: string; compressed: Map<Encoding, Promise<Buffer>> };

/** The web app: its built files, and its page at every address that is not the API's. Only files that were built are served. */
export const webAppRoutes =
  ({ webAppDir }: Deps): FastifyPluginAsync =>
  async (app) => {
    const files = await readFiles(webAppDir);
    const page = files.get("/index.html");

    app.get("/*", { logLevel: "warn" }, async (request, reply) => {
      const path = request.url.split("?", 1)[0] ?? "/";
      const file = files.get(path);
      if (file && file !== page) {
        reply.header("cache-control", path.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache");
        return send(request, reply, file);
      }
      if (isForMachines(path) || /\.[^/]*$/.test(path)) return reply.callNotFound();
      reply.header("cache-control", "no-cache");
      if (page) return send(request, reply, page);
      return reply.code(503).headers(headers).type("text/html; charset=utf-8").send(notBuilt);
    });
  };

/** A page there would be mistaken for the answer: a probe of `/readyz/` would be content for ever. */
const isForMachines = (path: string) => /^\/(api|assets|healthz|readyz|metrics)(\/|$)/.test(path);

/** Held in memory, so that the files of one build are served together whatever happens to the folder. */
async function readFiles(folder: string): Promise<Map<string, WebFile>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return [];
      throw error;
    },
  );
  const files = new Map<string, WebFile>();
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const type = types[extname(entry.name)] ?? "application/octet-stream";
    const name = path.slice(join(folder, sep).length).split(sep).join("/");
    files.set(`/${name}`, { bytes: await readFile(path), type, compressed: new Map() });
  }
  return files;
}

async function send(request: FastifyRequest, reply: FastifyReply, file: WebFile) {
  reply.headers(headers).type(file.type);
  if (!compressible.test(file.type) || file.bytes.length < compressedBytesMin) return reply.send(file.bytes);
  reply.header("vary", "accept-encoding");
  const encoding = chooseEncoding(request.headers["accept-encoding"] ?? "");
  if (!encoding) return reply.send(file.bytes);
  const bytes = file.compressed.get(encoding) ?? compressors[encoding](file.bytes);
  file.compressed.set(encoding, bytes); // once for each file, when it is first asked for
  return reply.header("content-encoding", encoding).send(await bytes);
}

function chooseEncoding(accepted: string): Encoding | undefined {
  const names = accepted.split(",").filter((entry) => !/;\s*q=0(\.0*)?\s*$/.test(entry));
  const accepts = (name: Encoding) => names.some((entry) => entry.split(";", 1)[0]?.trim().toLowerCase() === name);
  return accepts("br") ? "br" : accepts("gzip") ? "gzip" : undefined;
}

const notBuilt = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Lodge</title>
<h1>The dashboard is not built</h1>
<p>The API works. To build the dashboard, stop the server and start it with <code>npm start</code>.</p>
</html>
`;
