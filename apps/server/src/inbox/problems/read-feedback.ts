import type { Envelope } from "@lodge/contract/envelope";
import { sql } from "kysely";
import type { Deps } from "../../platform/deps.ts";
import { idAt } from "../../platform/uuid-time.ts";

/** The tag with which feedback names its event. */
export const aboutEventTag = "event";

const feedbackMax = 20;
/** Feedback may arrive this long before its event, if a client was offline. */
const earlierMsMax = 7 * 86_400_000;

type Feedback = { eventId: string; message: string; receivedAt: string };

/** The feedback that names a report by its reportId, newest first. */
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

/** The event that feedback names in its tag; null if it names none, or none that was received. */
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

/** Whether a text has the form of a Sentry client's event id. */
const isEventId = (text: string) => /^[0-9a-f]{32}$/.test(text);
