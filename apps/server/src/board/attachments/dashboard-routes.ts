import * as attachments from "@lodge/contract/dashboard/attachments";
import type { FastifyInstance } from "fastify";
import type { Deps } from "../../platform/deps.ts";
import { serve } from "../../platform/http/serve.ts";
import { attachFile } from "./attach-file.ts";
import { deleteAttachment } from "./delete-attachment.ts";
import { listAttachments } from "./list-attachments.ts";
import { openAttachment } from "./open-attachment.ts";

/** Files on tickets. */
export function attachmentRoutes(app: FastifyInstance, deps: Deps) {
  app.register((uploads, _options, done) => {
    uploads.removeAllContentTypeParsers();
    uploads.addContentTypeParser("*", (_request, _body, read) => read(null)); // the body is read as a stream
    serve(uploads, attachments.attachTicketFile, ({ actor, params, query, raw }) =>
      attachFile(deps, actor, params.ticketId, query.filename, raw),
    );
    done();
  });
  serve(app, attachments.listTicketAttachments, ({ actor, params }) =>
    listAttachments(deps, actor.organisationId, params.ticketId),
  );
  serve(app, attachments.getTicketAttachment, async ({ actor, params }, reply) => {
    const { organisationId } = actor;
    const { headers, bytes } = await openAttachment(deps, organisationId, params.attachmentId);
    return reply.headers(headers).send(bytes);
  });
  serve(app, attachments.deleteTicketAttachment, ({ actor, params }) =>
    deleteAttachment(deps, actor, params.attachmentId),
  );
}
