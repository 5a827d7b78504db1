import type { Delivery, DeliveryAttempt } from "@lodge/contract/dashboard/deliveries";
import { sql } from "kysely";
import { nameReceiver } from "../../platform/outbound/name-receiver.ts";
import { hideSignatures } from "../artifacts/artifact-links.ts";

const attemptsMax = 20;

/** A row selected with `deliveryColumns`. */
export type DeliveryRow = {
  id: string;
  subscriber_id: string;
  kind: Delivery["subscriber"]["kind"];
  url: string | null;
  board_name: string | null;
  enabled: boolean;
  paused_until: Date | null;
  state: Delivery["state"];
  message_number: number | null;
  created_at: Date;
  due_at: Date;
  is_under_way: boolean;
  settled_at: Date | null;
  attempt_count: number;
  replay_id: string | null;
  attempts: DeliveryAttempt[];
};

/** The columns of a delivery that pages show: of `deliveries`, its subscriber and its board, if there is one. */
export const deliveryColumns = sql`deliveries.id, subscriber_id, subscribers.kind, url, boards.name as board_name, subscribers.enabled,
  paused_until, state, message_number, deliveries.created_at, due_at, settled_at, attempt_count, replay_id,
  claimed_by is not null as is_under_way,
  (select coalesce(json_agg(json_build_object('number', attempt.number, 'startedAt', attempt.started_at,
    'durationMs', attempt.duration_ms, 'status', attempt.status, 'reason', attempt.reason, 'response', attempt.response)
    order by attempt.number desc), '[]')
  from (
    select * from delivery_attempts
    where delivery_attempts.app_id = deliveries.app_id and delivery_id = deliveries.id
    order by number desc limit ${sql.lit(attemptsMax)}
  ) attempt) as attempts`;

/**
 * Converts a row to the form of the contract. Removes the signatures of links, since receivers may echo what they were
 * sent.
 */
export const toDelivery = (row: DeliveryRow, now: Date): Delivery => ({
  id: row.id,
  subscriber: {
    id: row.subscriber_id,
    kind: row.kind,
    receiver: nameReceiver(row.kind, row.url, row.board_name),
    enabled: row.enabled,
    pausedUntil: row.paused_until !== null && row.paused_until > now ? row.paused_until.toISOString() : null,
  },
  state: row.state,
  messageNumber: row.message_number,
  createdAt: row.created_at.toISOString(),
  dueAt: row.settled_at === null ? row.due_at.toISOString() : null,
  isUnderWay: row.is_under_way && row.settled_at === null,
  settledAt: row.settled_at?.toISOString() ?? null,
  isReplay: row.replay_id !== null,
  attemptCount: row.attempt_count,
  attempts: row.attempts.map((attempt) => ({
    ...attempt,
    startedAt: new Date(attempt.startedAt).toISOString(),
    reason: hideSignatures(attempt.reason),
    response: hideSignatures(attempt.response),
  })),
});
