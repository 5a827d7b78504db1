import type { Dispatcher } from "undici";
import type { Deps } from "../../platform/deps.ts";
import { sendMessage } from "../../platform/outbound/send-message.ts";
import { sendOpened } from "../../platform/outbound/send-opened.ts";
import { signatureHeaders } from "../../platform/outbound/sign-webhook.ts";
import type { Happening } from "./happening-in-words.ts";
import { hookColumns, openHook } from "./open-hook.ts";

/** The task that sends a message to a webhook of an organisation. */
export const hookTask = "post_happening";
const hoursTriedMax = 72;

/** A message to post, and its webhook. */
export type HookPost = { organisationId: string; hookId: string; happeningId: string };

/**
 * Sends a message to an organisation's webhook, signed according to Standard Webhooks. Throws if it should be retried;
 * after 3 days or a 410 response, it gives up. The webhook's page shows the failure. A failure never causes another
 * message.
 */
export async function postHappening(
  { db, clock, log, sealing, urls }: Pick<Deps, "db" | "clock" | "log" | "sealing" | "urls">,
  agent: Dispatcher,
  { organisationId, hookId, happeningId }: HookPost,
  queuedAt: Date,
): Promise<void> {
  const hook = await db
    .selectFrom("organisation_hooks")
    .select(hookColumns)
    .where("organisation_id", "=", organisationId)
    .where("id", "=", hookId)
    .executeTakeFirst();
  const happening = await db
    .selectFrom("happenings")
    .select(["kind", "details", "created_at"])
    .where("organisation_id", "=", organisationId)
    .where("id", "=", happeningId)
    .executeTakeFirst();
  if (!hook || !happening) return;
  const { requestedByUserId: _, problem, ...details } = happening.details as Happening["details"];
  const message = {
    type: happening.kind,
    timestamp: happening.created_at.toISOString(),
    data: {
      organisationId,
      ...details,
      ...(problem && { problem: { ...problem, url: `${urls.base}/problems/${problem.id}` } }),
    },
  };
  const body = Buffer.from(JSON.stringify(message));
  const now = clock.now();
  const { reason, isGone } = await sendOpened(
    () => openHook(sealing, hook, now),
    ({ url, secrets }) => sendMessage(agent, url, signatureHeaders(happeningId, now, body, secrets), body),
  );
  await db
    .updateTable("organisation_hooks")
    .set({ last_sent_at: now, last_failure: reason })
    .where("organisation_id", "=", organisationId)
    .where("id", "=", hookId)
    .execute();
  if (reason === null) return;
  if (!isGone && Date.now() - queuedAt.getTime() < hoursTriedMax * 3_600_000) throw new Error(reason);
  log.warn({ organisationId, hookId, reason }, "failed to deliver a message to a webhook of an organisation");
}
