import { type Envelope, levels } from "@lodge/contract/envelope";
import {
  debugIdsMax,
  envelopeBytesMax,
  fingerprintLengthMax,
  fingerprintStringsMax,
  installIdLengthMax,
  messageLengthMax,
  platformLengthMax,
} from "@lodge/contract/limits";
import { cutDeep } from "../problems/cut-deep.ts";
import { aboutEventTag } from "../problems/read-feedback.ts";
import { normaliseMessage } from "../stacks/normalise-message.ts";
import { Cuts, type Dropped, fieldsOf, objectsOf, someText, textOf, timestampOf } from "./cuts.ts";
import { translateErrors } from "./translate-error.ts";

type Level = (typeof levels)[number];

/** Lodge's envelope of a translated Sentry event. */
export type Translated = Envelope;

/** The input of a translation besides the event. */
export type TranslationInput = {
  reportId: string;
  receivedAt: Date;
  attachments?: NonNullable<Envelope["attachments"]>;
  dropped?: readonly Dropped[];
};

const tagsMax = 50;
const breadcrumbsMax = 200;
const contextDepthMax = 100;

/**
 * Translates a Sentry event to Lodge's envelope (contract section 3, Sentry's protocol). Never refuses: fields that do
 * not fit are left out, and values longer than the envelope allows are cut and listed in `dropped`.
 */
export function translateEvent(event: Record<string, unknown>, input: TranslationInput): Translated {
  const cuts = new Cuts();
  for (const { partName, reason, byteLength } of input.dropped ?? []) cuts.note(partName, reason, byteLength);
  const contexts = fieldsOf(event.contexts);
  const debugIds = debugIdsOf(event, cuts);
  const error = translateErrors(event, new Set(Object.keys(debugIds ?? {})), cuts);
  const { message, template } = messageOf(event, cuts);
  const occurredAt = timestampOf(event.timestamp);
  const installId = cuts.text(
    fieldsOf(contexts.app).device_app_hash,
    installIdLengthMax,
    "/contexts/app/device_app_hash",
  );
  const sdk = fieldsOf(event.sdk);
  const fingerprint = fingerprintOf(event, error === undefined ? template : undefined, cuts);
  const breadcrumbs = breadcrumbsOf(event, occurredAt ?? input.receivedAt.toISOString(), cuts);
  const tags = tagsOf(event, cuts);
  const context = cutDeep(
    pick({ contexts: event.contexts, extra: event.extra, request: event.request }),
    contextDepthMax,
  ) as Record<string, unknown>;
  const platform = cuts.text(event.platform, platformLengthMax, "/platform");
  const translated: Translated = {
    reportId: input.reportId,
    kind: isCrash(event) ? "crash" : "bug",
    ...pick({ message: message || undefined, occurredAt, installId: installId || undefined }),
    ...pick({ platform: platform || undefined, level: levelOf(event.level), error }),
    ...pick({ user: userOf(event), app: appOf(event, contexts), device: deviceOf(event, contexts) }),
    ...(someText(sdk.name) !== undefined && {
      sdk: { name: textOf(sdk.name) ?? "", version: textOf(sdk.version) ?? "" },
    }),
    ...pick({ debugIds, fingerprint, breadcrumbs, tags }),
    ...(Object.keys(context).length > 0 && { context }),
    ...(input.attachments && input.attachments.length > 0 && { attachments: input.attachments }),
  };
  return withDropped(translated, cuts);
}

/** Translates an event that carries feedback: what the reporter wrote, and the event that it is about. */
export function translateFeedback(event: Record<string, unknown>, input: TranslationInput): Translated {
  const feedback = fieldsOf(fieldsOf(event.contexts).feedback);
  const about = eventIdOf(feedback.associated_event_id);
  const { fingerprint: _, ...translated } = translateEvent({ ...event, message: feedback.message }, input);
  return asFeedback(translated, about, { name: feedback.name, email: feedback.contact_email });
}

/** Translates feedback in the form of older clients. */
export function translateUserReport(report: Record<string, unknown>, input: TranslationInput): Translated {
  const cuts = new Cuts();
  const message = cuts.text(report.comments, messageLengthMax, "/comments");
  const translated: Translated = { reportId: input.reportId, ...pick({ message: message || undefined }) };
  return withDropped(asFeedback(translated, eventIdOf(report.event_id), report), cuts);
}

function asFeedback(
  translated: Translated,
  about: string | undefined,
  { name, email }: Record<string, unknown>,
): Translated {
  const user = { ...translated.user, ...pick({ name: someText(name), email: someText(email) }) };
  return {
    ...translated,
    kind: "feedback",
    ...(Object.keys(user).length > 0 && { user }),
    ...(about !== undefined && { tags: { [aboutEventTag]: about, ...translated.tags } }),
  };
}

/** The JSON of an envelope, at most 5 MB. If it is larger, leaves out the context and the breadcrumbs. */
export function writeEnvelope(translated: Translated): Buffer {
  const whole = Buffer.from(JSON.stringify(translated));
  if (whole.length <= envelopeBytesMax) return whole;
  const { context: _, breadcrumbs, ...rest } = translated;
  const reason = "the envelope would have been too large";
  const dropped = [...(rest.dropped ?? []), { partName: "/context", reason }, { partName: "/breadcrumbs", reason }];
  return Buffer.from(JSON.stringify({ ...rest, dropped }));
}

/** An event id as 32 lower-case hexadecimal digits without hyphens; undefined for anything else. */
export function eventIdOf(value: unknown): string | undefined {
  const digits = typeof value === "string" ? value.replaceAll("-", "").toLowerCase() : "";
  return /^[0-9a-f]{32}$/.test(digits) ? digits : undefined;
}

const withDropped = (translated: Translated, { dropped }: Cuts): Translated =>
  dropped.length > 0 ? { ...translated, dropped } : translated;

/** The fields that have a value. */
function pick<Fields extends Record<string, unknown>>(fields: Fields) {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(present) as { [Name in keyof Fields]?: NonNullable<Fields[Name]> };
}

const levelOf = (level: unknown): Level =>
  level === undefined || level === null ? "error" : (levels.find((known) => known === level) ?? "info");

/** An error that was not handled, or that the client calls fatal. */
const isCrash = (event: Record<string, unknown>) =>
  event.level === "fatal" || objectsOf(event.exception).some(({ mechanism }) => fieldsOf(mechanism).handled === false);

/** The formatted message, and its template before values were inserted. */
function messageOf(event: Record<string, unknown>, cuts: Cuts) {
  const entry = fieldsOf(event.logentry ?? event["sentry.interfaces.Message"] ?? event.message);
  const template = someText(entry.message) ?? someText(event.message);
  const read = someText(entry.formatted) ?? template;
  return { message: cuts.text(read, messageLengthMax, "/message"), template };
}

/**
 * The fingerprint that was sent. For a message without an error and fingerprint, one made of its template, so that
 * equal templates are one problem.
 */
function fingerprintOf(event: Record<string, unknown>, template: string | undefined, cuts: Cuts): string[] | undefined {
  const sent = Array.isArray(event.fingerprint)
    ? event.fingerprint.map(textOf).filter((text) => text !== undefined)
    : [];
  const texts = sent.map((text) => text.replace(/^\{\{\s*default\s*\}\}$/, "{{ default }}"));
  if (texts.length === 0 || (texts.length === 1 && texts[0] === "{{ default }}")) {
    return template === undefined ? undefined : ["message", normaliseMessage(template).slice(0, fingerprintLengthMax)];
  }
  return cuts
    .list(texts, fingerprintStringsMax, "/fingerprint")
    .map((text, index) => cuts.text(text, fingerprintLengthMax, `/fingerprint/${index}`) ?? "");
}

function userOf(event: Record<string, unknown>) {
  const { id, email, username, name } = fieldsOf(event.user);
  const user = pick({ id: someText(id), email: someText(email), name: someText(username) ?? someText(name) });
  return Object.keys(user).length > 0 ? user : undefined;
}

/** A release is usually `package@version+build`, but may be any text. */
function appOf(event: Record<string, unknown>, contexts: Record<string, unknown>) {
  const sent = fieldsOf(contexts.app);
  const release = someText(event.release);
  const [, version, build] = /^(?:.*@)?([^@+]+)(?:\+(.+))?$/s.exec(release ?? "") ?? [];
  const app = pick({
    version: version ?? someText(sent.app_version),
    build: someText(event.dist) ?? build ?? someText(sent.app_build),
    environment: someText(event.environment),
    release,
  });
  return Object.keys(app).length > 0 ? app : undefined;
}

function deviceOf(event: Record<string, unknown>, contexts: Record<string, unknown>) {
  const [sent, os, culture] = [fieldsOf(contexts.device), fieldsOf(contexts.os), fieldsOf(contexts.culture)];
  const headers = fieldsOf(event.request).headers;
  const pairs = Array.isArray(headers) ? headers.filter(Array.isArray) : Object.entries(fieldsOf(headers));
  const [, userAgent] = pairs.find(([name]) => `${name}`.toLowerCase() === "user-agent") ?? [];
  const device = pick({
    model: someText(sent.model),
    os: someText(os.name),
    osVersion: someText(os.version),
    locale: someText(sent.locale) ?? someText(culture.locale),
    screen: someText(sent.screen_resolution),
    userAgent: someText(Array.isArray(userAgent) ? userAgent[0] : userAgent),
  });
  return Object.keys(device).length > 0 ? device : undefined;
}

/** The debug ids of bundled files, by their addresses in the stack, and the UUIDs of mapping files. */
function debugIdsOf(event: Record<string, unknown>, cuts: Cuts): Record<string, string> | undefined {
  let mappings = 0;
  const pairs = objectsOf(fieldsOf(event.debug_meta).images).flatMap(({ type, code_file: file, debug_id, uuid }) => {
    const id = type === "proguard" ? (uuid ?? debug_id) : debug_id;
    if (typeof id !== "string" || id.length > 100) return [];
    if (type === "proguard") {
      mappings += 1;
      return [[mappings === 1 ? "proguard" : `proguard${mappings}`, id]];
    }
    return type === "sourcemap" && typeof file === "string" ? [[file, id]] : [];
  });
  return pairs.length > 0 ? Object.fromEntries(cuts.list(pairs, debugIdsMax, "/debug_meta/images")) : undefined;
}

function breadcrumbsOf(event: Record<string, unknown>, at: string, cuts: Cuts): Envelope["breadcrumbs"] {
  const sent = cuts.list(objectsOf(event.breadcrumbs), breadcrumbsMax, "/breadcrumbs", "last");
  if (sent.length === 0) return undefined;
  return sent.map(({ timestamp, category, type, message, level, data }) => ({
    at: timestampOf(timestamp) ?? at,
    category: someText(category) ?? someText(type) ?? "default",
    message: textOf(message) ?? "",
    ...(someText(level) !== undefined && { level: textOf(level) ?? "" }),
    ...(data !== undefined && data !== null && { data: cutDeep(data, contextDepthMax) }),
  }));
}

/** The tags, and other fields that Sentry shows as tags. */
function tagsOf(event: Record<string, unknown>, cuts: Cuts): Record<string, string> | undefined {
  const sent = Array.isArray(event.tags) ? event.tags.filter(Array.isArray) : Object.entries(fieldsOf(event.tags));
  const { server_name, logger, transaction } = event;
  const tags = new Map<string, string>();
  for (const [name, value] of [...sent, ...Object.entries({ server_name, logger, transaction })]) {
    const [key, text] = [textOf(name), textOf(value)];
    if (key !== undefined && text !== undefined && text !== "" && !tags.has(key)) tags.set(key, text);
  }
  return tags.size > 0 ? Object.fromEntries(cuts.list([...tags], tagsMax, "/tags")) : undefined;
}
