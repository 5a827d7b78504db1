import type { Actor } from "../../people/access/find-actor.ts";
import { inCamelCase, preparedStatement } from "../../platform/database/statements.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { messageHeaders } from "../../platform/outbound/send-message.ts";
import { problemsOfEvents } from "../problems/problem-of-event.ts";
import { openDelivery } from "./attempt-delivery.ts";
import { isPosting, postingKinds } from "./kinds/kinds.ts";
import { takenColumns, takenSql } from "./take-deliveries.ts";

const findStatement = preparedStatement({
  name: "find_delivery_message",
  parameters: { organisationId: "uuid", deliveryId: "uuid" },
  row: takenColumns,
  text: ({ organisationId, deliveryId }) => `with subscriber as materialized (
    select subscribers.*, false as is_single
    from subscribers join deliveries on deliveries.app_id = subscribers.app_id and subscriber_id = subscribers.id
    where subscribers.organisation_id = ${organisationId} and subscribers.deleted_at is null and deliveries.id = ${deliveryId}
  ), taken as materialized (
    select deliveries.id, event_id, message_number, retry_count, replay_id, due_at
    from deliveries join subscriber on deliveries.app_id = subscriber.app_id
    where deliveries.id = ${deliveryId}
  )
  ${takenSql("(select app_id from subscriber)", "(select id from subscriber)")}`,
});

/**
 * A delivery of the organisation as a curl command for a POSIX shell, signed now; null if the subscriber's kind posts
 * no message. Throws `delivery_not_found`.
 */
export async function getDeliveryCurl(
  deps: Deps,
  { organisationId }: Actor,
  deliveryId: string,
): Promise<{ command: string | null }> {
  const [found] = await findStatement(deps.pool, { organisationId, deliveryId });
  if (!found) throw new Refusal("delivery_not_found");
  const delivery = inCamelCase(found);
  if (!isPosting(delivery.kind)) return { command: null };
  const problem = await problemsOfEvents(deps)(delivery);
  const opened = { ...delivery, ...openDelivery(deps, delivery), problem };
  const { url, headers, body } = postingKinds[delivery.kind](deps, opened);
  const lines = Object.entries({ ...messageHeaders, ...headers }).map(
    ([name, value]) => `-H ${quoted(`${name}: ${value}`)}`,
  );
  return {
    command: [`curl ${quoted(url)}`, ...lines, `--data-binary ${quoted(body.toString("utf8"))}`].join(" \\\n  "),
  };
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
