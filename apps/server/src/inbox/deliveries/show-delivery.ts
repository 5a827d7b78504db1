import type pg from "pg";
import { OperatorError } from "../../platform/errors.ts";
import { hideSignatures } from "../artifacts/artifact-links.ts";
import { describeDeliveriesSql, type ListedDelivery, withoutSignatures } from "./list-deliveries.ts";

/** An attempt. `response` is the start of the receiver's response, `reason` is why the attempt failed. */
type ShownAttempt = {
  number: number;
  startedAt: string;
  durationMs: number;
  status: number | null;
  reason: string | null;
  response: string | null;
};

const statement = describeDeliveriesSql(
  "select deliveries.* from apps join deliveries on app_id = apps.id and deliveries.id = $1",
  `, (select coalesce(json_agg(json_build_object('number', attempt.number, 'startedAt', attempt.started_at,
      'durationMs', attempt.duration_ms, 'status', attempt.status, 'reason', attempt.reason,
      'response', attempt.response) order by attempt.number), '[]')
    from delivery_attempts attempt
    where attempt.app_id = chosen.app_id and attempt.delivery_id = chosen.id) as attempts`,
);

/** A delivery with all of its attempts, in order. Throws if the delivery does not exist. */
export async function showDelivery(
  pool: pg.Pool,
  deliveryId: string,
): Promise<ListedDelivery & { attempts: ShownAttempt[] }> {
  const { rows } = await pool.query<ListedDelivery & { attempts: ShownAttempt[] }>(statement, [deliveryId]);
  const [found] = rows;
  if (!found) throw new OperatorError(`There is no delivery ${deliveryId}.`);
  return { ...withoutSignatures(found), attempts: found.attempts.map(shown) };
}

/** Removes the signatures of links, since receivers may echo what they were sent. */
const shown = (attempt: ShownAttempt): ShownAttempt => ({
  ...attempt,
  startedAt: new Date(attempt.startedAt).toISOString(),
  reason: hideSignatures(attempt.reason),
  response: hideSignatures(attempt.response),
});
