import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { Envelope } from "@lodge/contract/envelope";
import { type SentryItem, sentryEnvelope } from "./sentry-envelope.ts";
import { type Door, startDoor } from "./start-door.ts";
import type { Answer } from "./start-service.ts";

/** A server with one app for Sentry clients, and an admin `ada@acme.test`. */
export type SentryDoor = Door & {
  /** The number of the app. */
  number: string;
  /** The headers with its key. */
  auth: Record<string, string>;
  /** Sends this exact body, by default to the envelope endpoint. */
  postBody: (body: Uint8Array | string, headers?: Record<string, string>, path?: string) => Promise<Answer>;
  /** Sends an envelope. */
  send: (items: SentryItem[], header?: Record<string, unknown>) => Promise<Answer>;
  /** The report of an event: its envelope, and the bytes that it was translated from. */
  stored: (eventId: string) => Promise<{ envelope: Envelope; original: Buffer | null }>;
};

export async function startSentryDoor(env: Record<string, string> = {}): Promise<SentryDoor> {
  const door = await startDoor(env);
  await door.apply({
    organisation: { name: "Acme", slug: "acme" },
    members: [{ email: "ada@acme.test", name: "Ada", role: "admin" }],
  });
  const number = door.dsn.split("/").at(-1) ?? "";
  const auth = { "x-sentry-auth": `Sentry sentry_version=7, sentry_client=test/1, sentry_key=${door.key}` };
  const postBody: SentryDoor["postBody"] = (body, headers = auth, path = `/api/${number}/envelope/`) =>
    door.request("POST", path, { body, headers });
  return {
    ...door,
    number,
    auth,
    postBody,
    send: (items, header = {}) => postBody(sentryEnvelope(header, items)),
    stored: async (eventId) => {
      const row = await door.deps.db
        .selectFrom("events")
        .select(["envelope", "original"])
        .where("report_id", "=", eventId)
        .executeTakeFirstOrThrow();
      return { envelope: JSON.parse(row.envelope.toString()), original: row.original };
    },
  };
}

/** An id as Sentry clients make them. */
export const newEventId = (): string => randomUUID().replaceAll("-", "");

/** A minimal event. */
export const eventItem = (id: string): SentryItem => [{ type: "event" }, { event_id: id, message: "a message" }];

/** Asserts the status, code and path of a refusal. */
export async function assertRefused(answer: Promise<Answer>, status: number, code: string, path?: string) {
  const { body, text, status: answered } = await answer;
  assert.deepEqual([answered, body.error], [status, code], text);
  if (path !== undefined) assert.equal((body.details as { path: string }[])[0]?.path, path, text);
}
