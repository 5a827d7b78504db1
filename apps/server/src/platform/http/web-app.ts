import { readdir, readFile } from "node:fs/promises";
import { extname, join, sep } from "node:path";
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import type { Deps } from "../deps.ts";
import { chooseEncoding, type Encoding, encodings } from "./choose-encoding.ts";

const types: Record<string, string> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".png": "image/png",
  ".map": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".tgz": "application/gzip",
  ".txt": "text/plain; charset=utf-8",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
};
/** Pages only load resources from this server, and other sites cannot frame them. */
const headers = {
  "content-security-policy":
    "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'",
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "same-origin",
};

/** A file and its precompressed forms. */
type WebFile = { bytes: Buffer; type: string; compressed: Map<Encoding, Buffer> };

/** The routes of the web app: its built files, and its page at every address outside the API. */
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
        // Pages of other origins load these with an integrity value, which needs CORS.
        if (path.startsWith("/sdk/")) reply.header("access-control-allow-origin", "*");
        return send(request, reply, file);
      }
      if (isForMachines(path) || /\.[^/]*$/.test(path)) return reply.callNotFound();
      reply.header("cache-control", "no-cache");
      if (page) return send(request, reply, page);
      return reply.code(503).headers(headers).type("text/html; charset=utf-8").send(notBuilt);
    });
  };

/** Paths without a page, which clients would mistake for a response: a probe of `/readyz/` would always succeed. */
const isForMachines = (path: string) => /^\/(api|assets|docs|healthz|readyz|metrics|sdk)(\/|$)/.test(path);

/** Reads the files into memory, so that those of one build are served together even if the folder changes. */
async function readFiles(folder: string): Promise<Map<string, WebFile>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return [];
      throw error;
    },
  );
  const bytesOf = new Map<string, Buffer>();
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(join(folder, sep).length).split(sep).join("/");
    bytesOf.set(`/${name}`, await readFile(path));
  }
  const files = new Map<string, WebFile>();
  const endings = Object.entries(encodings) as [Encoding, string][];
  for (const [name, bytes] of bytesOf) {
    if (endings.some(([, ending]) => name.endsWith(ending))) continue;
    const compressed = endings.flatMap(([encoding, ending]): [Encoding, Buffer][] => {
      const its = bytesOf.get(`${name}${ending}`);
      return its ? [[encoding, its]] : [];
    });
    files.set(name, {
      bytes,
      type: types[extname(name)] ?? "application/octet-stream",
      compressed: new Map(compressed),
    });
  }
  return files;
}

function send(request: FastifyRequest, reply: FastifyReply, { bytes, type, compressed }: WebFile) {
  reply.headers(headers).type(type);
  if (compressed.size === 0) return reply.send(bytes);
  reply.header("vary", "accept-encoding");
  const encoding = chooseEncoding(request.headers["accept-encoding"], [...compressed.keys()]);
  const smaller = encoding && compressed.get(encoding);
  return smaller ? reply.header("content-encoding", encoding).send(smaller) : reply.send(bytes);
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
