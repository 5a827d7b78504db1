import type { Dispatcher } from "undici";
import { attemptsMade } from "../../inbox/deliveries/measure-deliveries.ts";
import { type LaneWork, type Receiver, runLanes } from "../../inbox/deliveries/run-lanes.ts";
import { openHook } from "../../people/notifications/open-hook.ts";
import { preparedStatement } from "../../platform/database/statements.ts";
import type { Deps } from "../../platform/deps.ts";
import { sendMessage } from "../../platform/outbound/send-message.ts";
import { sendOpened } from "../../platform/outbound/send-opened.ts";
import { signatureHeaders } from "../../platform/outbound/sign-webhook.ts";
import { type Repeating, repeat } from "../../platform/repeat.ts";
import { giveUpDeliveries } from "./give-up-deliveries.ts";
import { makeMessages } from "./make-messages.ts";
import { settleHookAttempt } from "./settle-hook-attempt.ts";
import { type TakenHookDelivery, takeHookDeliveries } from "./take-hook-deliveries.ts";

const pollMs = 1_000;

const findChanges = preparedStatement({
  name: "find_ticket_changes",
  parameters: {},
  row: { found: "boolean" },
  text: () => "select exists (select from ticket_changes) as found",
});

/** Webhooks with deliveries that are due. */
const findDueHooks = preparedStatement({
  name: "find_due_hooks",
  parameters: {},
  row: { organisation_id: "uuid", id: "uuid", enabled: "boolean" },
  text: () => `select organisation_id, hook_id as id, enabled
    from (select organisation_id, hook_id from hook_deliveries
      where state in ('waiting', 'failed') and claimed_by is null and due_at <= now() order by due_at limit 1000) due
    join organisation_hooks hooks using (organisation_id)
    where hooks.id = due.hook_id and (paused_until is null or paused_until <= now() or not enabled)
    group by organisation_id, hook_id, enabled`,
});

/** Makes one attempt at a delivery, signed according to Standard Webhooks. Internal failures are logged. */
async function attempt(deps: Deps, agent: Dispatcher, { id, body: text, hook }: TakenHookDelivery) {
  const now = deps.clock.now();
  const body = Buffer.from(text);
  try {
    return await sendOpened(
      () => openHook(deps.sealing, hook, now),
      ({ url, secrets }) => sendMessage(agent, url, signatureHeaders(id, now, body, secrets), body),
    );
  } catch (error) {
    deps.log.error({ err: error, deliveryId: id }, "an attempt failed because of an error in Lodge");
    return { status: null, response: null, reason: "Lodge failed; its log says why." };
  }
}

/**
 * Sends webhooks the changes of tickets within a second or two, until it is stopped. Runs in each worker. Deliveries
 * use lanes like those of events.
 */
export function keepTicketHooks(deps: Deps, workerId: string, agent: Dispatcher): Repeating {
  const work: LaneWork<TakenHookDelivery> = {
    take: (receiver, underWay, count) => takeHookDeliveries(deps, workerId, receiver, underWay, count),
    attempt: (delivery) => attempt(deps, agent, delivery),
    settle: (delivery, startedAt, ms, outcome) => settleHookAttempt(deps, workerId, delivery, startedAt, ms, outcome),
    measure: (_receiver, _delivery, _startedAt, _ms, isDelivered) =>
      attemptsMade.inc({ kind: "organisation", outcome: isDelivered ? "delivered" : "failed" }),
    bytesOf: ({ body }) => body.length,
    leave: async () => {}, // the next round finds it again
  };
  const lanes = runLanes(deps, work);
  const looking = repeat(
    pollMs,
    async () => {
      const [changes] = await findChanges(deps.pool, {});
      if (changes?.found) await makeMessages(deps);
      const due = await findDueHooks(deps.pool, {});
      const awake: Receiver[] = [];
      for (const { organisation_id: ownerId, id, enabled } of due) {
        if (enabled) awake.push({ ownerId, id });
        else await giveUpDeliveries(deps.db, ownerId, id);
      }
      void lanes
        .wake(awake)
        .catch((error: unknown) => deps.log.error({ err: error }, "a lane of a webhook has failed"));
    },
    (error) => deps.log.warn({ err: error }, "could not queue webhook messages for changed tickets"),
  );
  return {
    stop: async () => {
      await looking.stop();
      await lanes.stop();
    },
  };
}
