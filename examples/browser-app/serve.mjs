// Serves the app under a strict content security policy, and forwards /lodge/ to the server in LODGE_URL.
import { readFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import { fileURLToPath } from "node:url";

const { LODGE_URL, LODGE_KEY } = process.env;
if (!LODGE_URL || !LODGE_KEY) {
  console.error("Set LODGE_URL and LODGE_KEY (the SDK key of an app).");
  process.exit(1);
}

const upstream = new URL(LODGE_URL);
const sdk = (file) => fileURLToPath(import.meta.resolve(`@lodge/sdk/${file}`));
const here = (file) => fileURLToPath(new URL(file, import.meta.url));
const files = {
  "/": ["text/html", here("index.html")],
  "/app.css": ["text/css", here("app.css")],
  "/lodge.iife.js": ["text/javascript", sdk("lodge.iife.js")],
  "/widget.iife.js": ["text/javascript", sdk("widget.iife.js")],
};
const app = (await readFile(here("app.js"), "utf8")).replace("LODGE_KEY", LODGE_KEY);

const server = createServer(async (incoming, response) => {
  if (incoming.url.startsWith("/lodge/")) {
    const path = incoming.url.slice("/lodge".length);
    const headers = { ...incoming.headers, host: upstream.host };
    const onwards = request(new URL(path, upstream), { method: incoming.method, headers }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    onwards.on("error", () => response.destroy());
    incoming.pipe(onwards);
    return;
  }
  response.setHeader(
    "content-security-policy",
    "default-src 'self'; style-src 'self'; require-trusted-types-for 'script'",
  );
  const [type, file] = files[incoming.url] ?? [];
  if (incoming.url === "/app.js") response.setHeader("content-type", "text/javascript").end(app);
  else if (file) response.setHeader("content-type", type).end(await readFile(file));
  else response.writeHead(404).end();
});
server.listen(process.env.PORT ?? 0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
