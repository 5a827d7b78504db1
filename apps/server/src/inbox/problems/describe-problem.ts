import { sql } from "kysely";
import type { Deps } from "../../platform/deps.ts";
import type { StackFrame } from "../stacks/frame.ts";
import { culpritPart } from "./group-report.ts";
import { readOriginalError, withOriginalType } from "./original-error.ts";
import { parseEnvelope, readable, shorten, titleOf } from "./readable.ts";

const titleLengthMax = 200;
const messageLengthMax = 2_000;
const linesMax = 30;
const lineLengthMax = 300;

/** The title and the text of a card, and the URL of its problem or event. */
export type CardText = { title: string; message: string; url: string };

/**
 * Describes a problem for a card: the error, the message of one of its reports, that report's stack (at most 30 lines),
 * the names of its pictures, and a link to it.
 */
export async function describeProblem(
  deps: Deps,
  appId: string,
  problemId: string,
  eventId: string,
): Promise<CardText> {
  const { title } = await deps.db
    .selectFrom("problems")
    .select("title")
    .where("app_id", "=", appId)
    .where("id", "=", problemId)
    .executeTakeFirstOrThrow();
  const { message, url } = await describeEvent(deps, appId, eventId);
  return {
    title: shorten(title, titleLengthMax),
    message: [message, `One of its reports: ${url}`].filter(Boolean).join("\n\n"),
    url: `${deps.urls.base}/problems/${problemId}`,
  };
}

/** As `describeProblem`, for a single event. */
export async function describeEvent(deps: Deps, appId: string, eventId: string): Promise<CardText> {
  const { db, urls } = deps;
  const { rows } = await sql<{ envelope: Buffer; pictures: string[] }>`
    select envelope, array(select coalesce(filename, part_name) from artifacts
      where artifacts.app_id = events.app_id and artifacts.event_id = events.id and content_type ilike 'image/%'
      order by position) as pictures
    from events where app_id = ${appId} and id = ${eventId}`.execute(db);
  const sent = rows[0] ? parseEnvelope(rows[0].envelope) : {};
  const { read } = await readOriginalError(deps, appId, sent);
  const envelope = withOriginalType(sent, read);
  const { error, message = "" } = envelope;
  const { frames } = culpritPart(read);
  const lines = frames.map((frame) => readable(lineOf(frame).slice(0, lineLengthMax)));
  const more = lines.length > linesMax ? [`… ${lines.length - linesMax} more`] : [];
  const pictures = rows[0]?.pictures ?? [];
  return {
    title: shorten(titleOf(envelope).title, titleLengthMax),
    message: [
      readable(message),
      error && shorten(readable(`${error.type}: ${error.message}`), messageLengthMax),
      [...lines.slice(0, linesMax), ...more].join("\n"),
      pictures.length > 0 && `Pictures: ${pictures.join(", ")}`,
    ]
      .filter(Boolean)
      .join("\n\n"),
    url: `${urls.base}/events/${eventId}`,
  };
}

/** The frame's text as sent or, if the frame was mapped, one made of its fields. */
function lineOf({ isMapped, raw, function: name, module, file, line, column }: StackFrame): string {
  if (!isMapped) return raw;
  const called = [module, name].filter((part) => part !== null).join(".");
  const where = [file ?? "Unknown Source", line, column].filter((part) => part !== null).join(":");
  return `at ${called === "" ? "" : `${called} `}(${where})`;
}
