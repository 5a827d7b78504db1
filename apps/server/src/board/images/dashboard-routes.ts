import * as images from "@lodge/contract/dashboard/images";
import type { FastifyInstance } from "fastify";
import type { Deps } from "../../platform/deps.ts";
import { serve } from "../../platform/http/serve.ts";
import { showImage } from "./show-image.ts";
import { storeDraftImage, storeImage } from "./store-image.ts";

/** Images that descriptions and comments show. */
export function imageRoutes(app: FastifyInstance, deps: Deps) {
  app.register((uploads, _options, done) => {
    uploads.removeAllContentTypeParsers();
    uploads.addContentTypeParser("*", (_request, _body, read) => read(null)); // the body is read as a stream
    serve(uploads, images.storeImage, ({ actor, params, raw }) => storeImage(deps, actor, params.ticketId, raw));
    serve(uploads, images.storeDraftImage, ({ actor, raw }) => storeDraftImage(deps, actor, raw));
    done();
  });
  serve(app, images.getImage, async ({ actor, params }, reply) => {
    const { headers, bytes } = await showImage(deps, actor, params.imageId);
    return reply.headers(headers).send(bytes);
  });
}
