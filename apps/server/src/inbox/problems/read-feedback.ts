import type { Envelope } from "@lodge/contract/envelope";
import { sql } from "kysely";
import type { Deps } from "../../platform/deps.ts";
import { idAt } from "../../platform/uuid-time.ts";

/** The tag by which feedback names the event that it is about. */
export const aboutEventTag = "event";

const feedbackMax = 20;
/** Feedback may come before its event, where a client was offline. */
const earlierMsMax = 7 * 86_400_000;

type Feedback = { eventId: string; message: string; receivedAt: string };

/** The feedback about a report of an app that names it by its reportId, the newest first. */
export async function readFeedback(
  { db }: Pick<Deps, "db">,
  appId: string,
  { reportId, receivedAt }: { reportId: string; receivedAt: Date },
): Promise<Feedback[]> {
  if (!isEventId(reportId)) return [];
  const { rows } = await sql<{ event_id: string; message: string; received_at: Date }>`
    select event_id, message, received_at from event_summaries
    where hash is null and facets @> array[${`tag:${aboutEventTag}=${reportId}`}] and kind = 'feedback' and app_id = ${appId}
      and event_id >= ${idAt(receivedAt.getTime() - earlierMsMax)}
    order by event_id desc limit ${sql.lit(feedbackMax)}`.execute(db);
  return rows.map(({ event_id, message, received_at }) => ({
    eventId: event_id,
    message,
    receivedAt: received_at.toISOString(),
  }));
}

/** The event of an app that feedback is about, by its tag; null where it names none, or none that has come. */
export async function findAbout(
  { db }: Pick<Deps, "db">,
  appId: string,
  { kind, tags }: Partial<Envelope>,
): Promise<string | null> {
  const reportId = (tags as Record<string, unknown> | undefined)?.[aboutEventTag];
  if (kind !== "feedback" || typeof reportId !== "string" || !isEventId(reportId)) return null;
  const { rows } = await sql<{ id: string }>`
    select events.id from report_ids join events on events.app_id = report_ids.app_id and events.id = report_ids.event_id
    where report_ids.app_id = ${appId}
      and digest = left(encode(sha256(convert_to(${appId} || ${reportId}, 'UTF8')), 'hex'), 32)::uuid`.execute(db);
  return rows[0]?.id ?? null;
}

/** Whether a text is an event's id, as clients of Sentry's make them. */
const isEventId = (text: string) => /^[0-9a-f]{32}$/.test(text);
