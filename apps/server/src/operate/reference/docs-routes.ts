import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { Deps } from "../../platform/deps.ts";
import { errorsHtml } from "./error-pages.ts";
import { guideHtml, guidesHtml, type OwnApp } from "./guides.ts";
import { openApiDocument } from "./openapi.ts";
import { pagesCss, referenceHtml, referenceScript } from "./reference-page.ts";

/**
 * Nothing is loaded from elsewhere, and no inline script runs. The renderer writes its styles into the page, draws its
 * icons from data: URLs and searches in a worker that it creates from a blob.
 */
const headers = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
    "worker-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "same-origin",
  "cache-control": "no-cache",
};

/** Guides load only their stylesheet, and have a search form. */
const guideHeaders = {
  ...headers,
  "content-security-policy":
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
};
const queryLengthMax = 200;

/** The renderer, without the one picture that it would load from its vendor. */
async function readRenderer(): Promise<string> {
  const path = fileURLToPath(import.meta.resolve("redoc/bundles/redoc.standalone.js"));
  const emptyPicture = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E";
  return (await readFile(path, "utf8")).replaceAll("https://cdn.redoc.ly/redoc/logo-mini.svg", emptyPicture);
}

/** The SHA-256 of the command that the server serves; undefined if the web app was not built. */
const sha256OfCommand = async (webAppDir: string): Promise<string | undefined> => {
  const bytes = await readFile(join(webAppDir, "lodge.mjs")).catch(() => undefined);
  return bytes && hash("sha256", bytes);
};

/** The reference for people and programs: `/docs`, `/docs/errors`, `/docs/guides` and `/openapi.json`, all public. */
export function referenceRoutes(app: FastifyInstance, { urls, webAppDir }: Deps) {
  const serveFile = (url: string, type: string, make: () => string | Promise<string>) => {
    let made: string | Promise<string> | undefined;
    app.get(url, { logLevel: "warn" }, async (_request, reply) => {
      made ??= make();
      return reply
        .headers(headers)
        .type(`${type}; charset=utf-8`)
        .send(await made);
    });
  };
  serveFile("/openapi.json", "application/json", () => JSON.stringify(openApiDocument(urls)));
  serveFile("/docs", "text/html", async () => referenceHtml(await sha256OfCommand(webAppDir)));
  serveFile("/docs/errors", "text/html", errorsHtml);
  serveFile("/docs/pages.css", "text/css", () => pagesCss);
  serveFile("/docs/reference.js", "text/javascript", () => referenceScript);
  serveFile("/docs/redoc.js", "text/javascript", readRenderer);
  const html = (reply: FastifyReply) => reply.headers(guideHeaders).type("text/html; charset=utf-8");
  app.get<{ Querystring: { q?: unknown } }>("/docs/guides", { logLevel: "warn" }, async ({ query: { q } }, reply) =>
    html(reply).send(await guidesHtml(typeof q === "string" ? q.slice(0, queryLengthMax) : "")),
  );
  app.get<{ Params: { "*": string }; Querystring: Record<keyof OwnApp, unknown> }>(
    "/docs/guides/*",
    { logLevel: "warn" },
    async ({ params, query }, reply) => {
      const own = { ...textOf("key", query.key), ...textOf("app", query.app) };
      const page = await guideHtml(urls, params["*"], own);
      return page === undefined ? reply.redirect("/docs/guides") : html(reply).send(page);
    },
  );
}

const textOf = (name: keyof OwnApp, value: unknown): OwnApp => (typeof value === "string" ? { [name]: value } : {});
