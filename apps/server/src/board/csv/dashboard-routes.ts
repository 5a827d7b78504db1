import * as imports from "@lodge/contract/dashboard/imports";
import { csvBytesMax } from "@lodge/contract/limits";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Deps } from "../../platform/deps.ts";
import { readBody } from "../../platform/http/json-body.ts";
import { serve } from "../../platform/http/serve.ts";
import { usableKeyOf } from "../tickets/serve-change.ts";
import { exportCards } from "./export-cards.ts";
import { importCards } from "./import-cards.ts";
import { listImports } from "./list-imports.ts";
import { previewImport } from "./preview-import.ts";
import { undoImport } from "./undo-import.ts";

/** Cards as CSV files. */
export function csvRoutes(app: FastifyInstance, deps: Deps) {
  app.register((uploads, _options, done) => {
    uploads.removeAllContentTypeParsers();
    const limits = { bytesMax: csvBytesMax, idleMs: deps.config.ingestIdleMs };
    uploads.addContentTypeParser("*", (request: FastifyRequest) => readBody(request, limits));
    const options = { bodyLimit: csvBytesMax };
    serve(
      uploads,
      imports.previewImport,
      ({ actor, params, query, body }) => previewImport(deps, actor, params.boardId, query, fileOf(body)),
      options,
    );
    serve(
      uploads,
      imports.importCards,
      (request) => {
        const { actor, params, query, body } = request;
        return importCards(deps, actor, params.boardId, query, usableKeyOf(request), fileOf(body));
      },
      options,
    );
    done();
  });
  serve(app, imports.exportCards, async ({ actor, params, query }, reply) => {
    const { headers, bytes } = await exportCards(deps, actor, params.boardId, query);
    return reply.headers(headers).send(bytes);
  });
  serve(app, imports.listImports, ({ actor, params }) => listImports(deps, actor, params.boardId));
  serve(app, imports.undoImport, ({ actor, params }) => undoImport(deps, actor, params.importId));
}

/** No parser runs for a request without a body. */
const fileOf = (body: unknown) => (Buffer.isBuffer(body) ? body : Buffer.alloc(0));
