import { listSourceMaps as listOperation, uploadSourceMaps } from "@lodge/contract/sourcemaps";
import type { FastifyInstance } from "fastify";
import { requireToken } from "../../people/tokens/require-token.ts";
import type { Deps } from "../../platform/deps.ts";
import { serve } from "../../platform/http/serve.ts";
import { listSourceMaps } from "./list-source-maps.ts";
import { receiveSourceMaps } from "./receive-source-maps.ts";

/** The operations to upload and list source maps (contract section 8). None of them serves a map. */
export function sourceMapRoutes(app: FastifyInstance, deps: Deps) {
  app.decorateRequest("token");
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _payload, done) => done(null)); // read as it streams
  serve(app, listOperation, ({ token, params }) => listSourceMaps(deps, token.organisationId, { slug: params.app }), {
    onRequest: requireToken(deps, listOperation),
  });
  const authenticate = requireToken(deps, uploadSourceMaps);
  serve(app, uploadSourceMaps, ({ token, params, raw }) => receiveSourceMaps(deps, token, params.app, raw), {
    onRequest: async (request) => {
      await authenticate(request);
      deps.disks.requireRoom();
    },
  });
}
