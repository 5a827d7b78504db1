import type { ProblemEvent } from "@lodge/contract/apiproblems";
import type { Token } from "../../people/tokens/authenticate-token.ts";
import type { Deps } from "../../platform/deps.ts";
import { getEvent } from "./get-event.ts";
import { listProblemEvents } from "./list-problem-events.ts";

const pageDefault = 10;

/** An event of the organisation with its stack as it was written in the source. Throws `event_not_found`. */
export async function readEvent(deps: Deps, token: Token, eventId: string): Promise<ProblemEvent> {
  const { app, problem, cards: _, threadId: __, ...event } = await getEvent(deps, token, eventId.toLowerCase());
  const { slug } = await deps.db
    .selectFrom("apps")
    .select("slug")
    .where("organisation_id", "=", token.organisationId)
    .where("id", "=", app.id)
    .executeTakeFirstOrThrow();
  return { ...event, app: slug, problemId: problem?.id ?? null };
}

/** The events of a problem, each whole, newest first. Throws `problem_not_found` or `invalid_input`. */
export async function readProblemEvents(
  deps: Deps,
  token: Token,
  problemId: string,
  { limit, cursor }: { limit?: string; cursor?: string },
): Promise<{ events: ProblemEvent[]; next: string | null }> {
  const count = Number(limit ?? pageDefault);
  const page = await listProblemEvents(deps, token, problemId, cursor === undefined ? {} : { cursor }, count);
  const events: ProblemEvent[] = [];
  for (const { id } of page.events) events.push(await readEvent(deps, token, id)); // one by one, since each may map a stack
  return { events, next: page.nextCursor };
}
