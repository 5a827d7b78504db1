import { createHash } from "node:crypto";
import { defaultReportKind, type Envelope } from "@lodge/contract/envelope";
import { facetLengthMax } from "@lodge/contract/limits";
import { hashInstall } from "../../people/installs/hash-install.ts";
import { uuidOfDigest } from "../../platform/hash-uuid.ts";
import { type ReadError, readError } from "../stacks/read-error.ts";
import { culpritOf, groupReport } from "./group-report.ts";
import { type Grouping, groupedLengthMax } from "./grouping.ts";
import { withOriginalType } from "./original-error.ts";
import { readDevice } from "./read-device.ts";
import { readable, shorten, titleOf } from "./readable.ts";
import { stackText } from "./stack-text.ts";

const titleLengthMax = 200;
const excerptLengthMax = 300;
/** The length of a message, and of an error's message, that is searched. */
const searchedMessageMax = 2_000;
const searchedErrorMax = 1_000;
/** Further tags of a report cannot be filtered by. */
const tagsMax = 20;
const userLengthMax = 200;

/** The summary of an event; all of its texts can be stored. */
export type EventSummary = {
  grouping: Grouping | undefined;
  kind: string;
  title: string;
  message: string;
  culprit: string | null;
  environment: string | null;
  version: string | null;
  install: string | null;
  userId: string | null;
  userEmail: string | null;
  userName: string | null;
  facets: string[];
  searchText: string;
  /** Equal search texts have equal digests. */
  searchDigest: string;
  /** The files and functions of its stack, for search; empty for none. */
  stackText: string;
  /** Why the report is shown unprocessed; null if it was read. */
  readFailure: string | null;
};

/**
 * Summarises an event for the inbox; `read` is its error with mapped frames. The cost is bounded, however large the
 * texts of the envelope are.
 */
export function summariseEvent(
  appId: string,
  envelope: Partial<Envelope>,
  attachmentCount: number,
  read: ReadError = readError(envelope, groupedLengthMax),
): EventSummary {
  const { kind = defaultReportKind, error, user, app, installId } = envelope;
  const original = withOriginalType(envelope, read);
  const title = shorten(titleOf(original).title, titleLengthMax);
  const message = cut(envelope.message, searchedMessageMax) ?? "";
  const environment = facetValue(app?.environment);
  const version = versionOf(app);
  const failure = error && `${cut(error.type, titleLengthMax)}: ${cut(error.message, searchedErrorMax)}`;
  // The title as sent, so that erasing a report finds the text without the mapping file.
  const sentTitle = shorten(titleOf(envelope).title, titleLengthMax);
  const searchText = [...new Set([sentTitle, message, failure])].filter(Boolean).join("\n");
  return {
    grouping: groupReport(envelope, read),
    kind,
    title,
    message: shorten(message, excerptLengthMax),
    culprit: culpritOf(read),
    environment,
    version,
    install: installId === undefined ? null : hashInstall(appId, installId),
    userId: cut(user?.id, userLengthMax),
    userEmail: cut(user?.email?.trim(), userLengthMax),
    userName: cut(user?.name, userLengthMax),
    facets: [...facetsOf(original), ...deviceFacets(envelope), ...(attachmentCount > 0 ? ["attachments"] : [])],
    searchText,
    searchDigest: digestOf(searchText),
    stackText: stackText(read.parts.flatMap((part) => part.frames)),
    readFailure: null,
  };
}

/** The summary of an event that cannot be read: it contains nothing of the event. */
export function summariseUnprocessed(readFailure: string): EventSummary {
  const title = "A report that could not be read";
  return {
    grouping: undefined,
    kind: defaultReportKind,
    title,
    message: "",
    culprit: null,
    environment: null,
    version: null,
    install: null,
    userId: null,
    userEmail: null,
    userName: null,
    facets: [`kind:${defaultReportKind}`],
    searchText: title,
    searchDigest: digestOf(title),
    stackText: "",
    readFailure,
  };
}

/** The digest of a search text, which is stored once however many events have it. */
export const digestOf = (searchText: string) => uuidOfDigest(createHash("sha256").update(searchText).digest());

/** The facets of a report for filters: its kind, environment, version, tags, error type and level. */
export function facetsOf({ kind = defaultReportKind, app, tags = {}, error, ...rest }: Partial<Envelope>): string[] {
  const level = levelOf(rest);
  const environment = facetValue(app?.environment);
  const version = versionOf(app);
  const type = facetValue(error?.type);
  return [
    `kind:${kind}`,
    ...(environment === null ? [] : [`environment:${environment}`]),
    ...(version === null ? [] : [`version:${version}`]),
    ...Object.entries(tags)
      .slice(0, tagsMax)
      .map(([name, value]) => `tag:${facetValue(`${name}=${value}`)}`),
    ...(type === null ? [] : [`error:${type}`]),
    ...(level === null ? [] : [`level:${level}`]),
  ];
}

/** The browser and the operating system; filters of subscribers do not use them. */
function deviceFacets({ device }: Partial<Envelope>): string[] {
  const { browser, os } = readDevice(device);
  const named = { browser, os: facetValue(os ?? undefined) };
  return Object.entries(named).flatMap(([name, value]) => (value === null ? [] : [`${name}:${value}`]));
}

function levelOf(rest: object): string | null {
  const { level } = rest as { level?: unknown };
  return typeof level === "string" ? facetValue(level.toLowerCase()) : null;
}

const versionOf = (app: Envelope["app"]) => facetValue(app?.version) ?? facetValue(app?.release);

function facetValue(text: string | undefined): string | null {
  return cut(text, facetLengthMax) || null;
}

function cut(text: string, lengthMax: number): string;
function cut(text: string | undefined, lengthMax: number): string | null;
function cut(text: string | undefined, lengthMax: number): string | null {
  return text === undefined ? null : [...readable(text.slice(0, 2 * lengthMax))].slice(0, lengthMax).join("");
}
