import * as attachments from "@lodge/contract/attachments";
import type { FastifyInstance } from "fastify";
import type { Token } from "../../people/tokens/authenticate-token.ts";
import { tokenAsChanger } from "../../people/tokens/changer.ts";
import { requireToken } from "../../people/tokens/require-token.ts";
import type { Deps } from "../../platform/deps.ts";
import { serve } from "../../platform/http/serve.ts";
import { showTicket } from "../tickets/show-ticket.ts";
import { attachFile } from "./attach-file.ts";
import { listAttachments } from "./list-attachments.ts";
import { openAttachment } from "./open-attachment.ts";

/**
 * Files on tickets, of the ticket API. A ticket that the token has no access to is answered like one that does not
 * exist.
 */
export function ticketAttachmentRoutes(app: FastifyInstance, deps: Deps) {
  app.decorateRequest("token");
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _payload, done) => done(null)); // read as it streams
  const find = async (token: Token, reference: string) => (await showTicket(deps, deps.db, token, reference)).ticket.id;
  serve(
    app,
    attachments.attachFile,
    async ({ token, params, query, raw }) => {
      const ticketId = await find(token, params.ticket);
      return attachFile(deps, tokenAsChanger(token), ticketId, query.filename, raw);
    },
    { onRequest: requireToken(deps, attachments.attachFile) },
  );
  serve(
    app,
    attachments.listAttachments,
    async ({ token, params }) => listAttachments(deps, token.organisationId, await find(token, params.ticket)),
    { onRequest: requireToken(deps, attachments.listAttachments) },
  );
  serve(
    app,
    attachments.downloadAttachment,
    async ({ token, params }, reply) => {
      const { headers, bytes } = await openAttachment(deps, token.organisationId, params.attachmentId, token);
      return reply.headers(headers).send(bytes);
    },
    { onRequest: requireToken(deps, attachments.downloadAttachment) },
  );
}
