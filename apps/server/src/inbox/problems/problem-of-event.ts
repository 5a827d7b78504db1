import { setTimeout as sleep } from "node:timers/promises";
import { preparedStatement } from "../../platform/database/statements.ts";
import type { Deps } from "../../platform/deps.ts";
import { readTogether } from "./read-events.ts";

/** The problem of an event, as receivers get it. */
export type OutgoingProblem = {
  id: string;
  url: string;
  title: string;
  /** Whether this event is the problem's first, and whether this event reopened it. */
  isNew: boolean;
  isBack: boolean;
  events: number;
  users: number;
  isUserCountExact: boolean;
};

/** A query of the problem of the event `of` (app_id, id) as JSON; null if there is none, or none yet. */
export const problemOfEventSql = (of: string) => `
    select json_build_object('id', problems.id, 'title', problems.title, 'isNew', first_event_id = ${of}.id,
      'isBack', reopened_event_id is not distinct from ${of}.id, 'events', problems.event_count,
      'users', least(problems.user_count, problems.event_count), 'isUserCountExact', problems.user_level = 0)
    from event_summaries summary
    join problem_hashes using (app_id, hash)
    join problems on problems.app_id = problem_hashes.app_id and problems.id = problem_hashes.problem_id
    where summary.app_id = ${of}.app_id and summary.event_id = ${of}.id`;

/** Converts the JSON of `problemOfEventSql`, and adds the URL. */
export const toOutgoingProblem = (
  { urls }: Pick<Deps, "urls">,
  row: Omit<OutgoingProblem, "url"> | null,
): OutgoingProblem | null => row && { ...row, url: `${urls.base}/problems/${row.id}` };

const findStatement = preparedStatement({
  name: "find_problems_of_events",
  parameters: { appIds: "uuid[]", eventIds: "uuid[]" },
  row: { event_id: "uuid", is_unread: "boolean", problem: "json?" },
  text: ({ appIds, eventIds }) => `
    select id as event_id, exists (
        select from unread_events where unread_events.app_id = told.app_id and unread_events.event_id = told.id) as is_unread,
      (${problemOfEventSql("told")}) as problem
    from unnest(${appIds}, ${eventIds}) as told (app_id, id)`,
});

type Told = { appId: string; eventId: string; receivedAt: Date };
type Asked = Told & { answer: (problem: OutgoingProblem | null) => void };

const togetherMax = 100;
/** An event that has waited longer is sent without its problem, since the inbox is behind. */
const waitMsMax = 10_000;
const againMs = 200;

/**
 * Finds the problems of events that are about to be sent, and reads events that no worker has read yet. Events that are
 * asked for during a batch wait for the next one, so that only one batch is under way, however many deliveries start.
 */
export function problemsOfEvents(deps: Deps): (event: Told) => Promise<OutgoingProblem | null> {
  const waiting: Asked[] = [];
  let isRunning = false;

  async function run() {
    isRunning = true;
    while (waiting.length > 0) {
      const asked = waiting.splice(0, togetherMax);
      try {
        const again = await answerSome(deps, asked);
        waiting.push(...again);
        if (again.length > 0 && waiting.length === again.length) await sleep(againMs);
      } catch (error) {
        deps.log.warn({ err: error }, "events are sent without their problems");
        for (const { answer } of asked) answer(null);
      }
    }
    isRunning = false;
  }

  return (event) =>
    new Promise((answer) => {
      waiting.push({ ...event, answer });
      if (!isRunning) void run();
    });
}

/** Answers for events whose problem is known, that have none, or that have waited too long. Returns the others. */
async function answerSome(deps: Deps, asked: readonly Asked[]): Promise<Asked[]> {
  const left = await answerRead(deps, asked);
  if (left.length === 0) return [];
  await readTogether(
    deps,
    left.map(({ appId, eventId }) => ({ appId, eventId })),
  );
  return answerRead(deps, left);
}

async function answerRead(deps: Deps, asked: readonly Asked[]): Promise<Asked[]> {
  const rows = await findStatement(deps.pool, {
    appIds: asked.map(({ appId }) => appId),
    eventIds: asked.map(({ eventId }) => eventId),
  });
  const found = new Map(rows.map((row) => [row.event_id, row]));
  const now = deps.clock.now().getTime();
  return asked.filter(({ eventId, receivedAt, answer }) => {
    const row = found.get(eventId);
    if (row?.is_unread && now - receivedAt.getTime() < waitMsMax) return true;
    answer(toOutgoingProblem(deps, (row?.problem ?? null) as Omit<OutgoingProblem, "url"> | null));
    return false;
  });
}
