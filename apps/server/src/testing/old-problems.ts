import assert from "node:assert/strict";
import type { Envelope } from "@lodge/contract/envelope";
import { sql } from "kysely";
import { framesOfVersion1, groupByVersion1 } from "../inbox/problems/group-report-1.ts";
import type { Client } from "./start-service.ts";

/**
 * Creates the problem that version 1 of the grouping rules would have made of a report, if there is none: similar
 * reports that are sent afterwards belong to it.
 */
export async function makeOldProblem(
  { deps: { db } }: Client,
  appId: string,
  envelope: Partial<Envelope>,
): Promise<void> {
  const old = groupByVersion1(envelope, framesOfVersion1(envelope.error?.stack));
  assert.ok(old);
  // Never seen yet: the first report sets the time.
  await sql`
    with made as (
      insert into problems (organisation_id, app_id, kind, title, first_seen_at, first_event_id, last_seen_at, last_event_id)
      select organisation_id, id, 'bug', ${`${envelope.error?.type}: ${envelope.error?.message}`}, now() + interval '1 hour',
        gen_random_uuid(), now() - interval '1 hour', gen_random_uuid()
      from apps where id = ${appId}
        and not exists (select from problem_hashes where app_id = ${appId} and hash = ${old.hash})
      returning app_id, id
    )
    insert into problem_hashes (app_id, hash, problem_id, rule, rule_version, strings, first_seen_at, last_seen_at)
    select app_id, ${old.hash}::uuid, id, ${old.rule}, 1, ${JSON.stringify(old.strings)}::jsonb,
      now() + interval '1 hour', now() - interval '1 hour'
    from made`.execute(db);
}

/** A Python error, whose stack version 1 of the rules does not read, with the function that raised it. */
export const pythonError = (type: string, message: string, called: string): Partial<Envelope> => ({
  platform: "python",
  error: {
    type,
    message,
    stack: `Traceback (most recent call last):\n  File "/srv/shop/pages.py", line 7, in ${called}\n    go()\n${type}: ${message}`,
  },
});
