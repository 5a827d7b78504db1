import type { Envelope } from "@lodge/contract/envelope";
import { causesMax, framesMax } from "@lodge/contract/limits";
import { type Cuts, fieldsOf, objectsOf, someText, textOf } from "./cuts.ts";

type SentError = NonNullable<Envelope["error"]>;
type Frame = NonNullable<SentError["frames"]>[number];

/** An error with its frames, innermost call first. */
type TranslatedError = NonNullable<SentError["causes"]>[number];

/**
 * The errors of an event, outermost first; Sentry clients send the outermost last. `files` are the files of the event's
 * debug images, by which source maps are found.
 */
export function translateErrors(
  event: Record<string, unknown>,
  files: ReadonlySet<string>,
  cuts: Cuts,
): SentError | undefined {
  const exceptions = objectsOf(event.exception ?? event["sentry.interfaces.Exception"]).reverse();
  const crashed = objectsOf(event.threads).find((thread) => thread.crashed === true);
  const [error, ...causes] = exceptions.map((exception, index) =>
    translate(
      exception,
      index === 0 ? (exception.stacktrace ?? crashed?.stacktrace ?? event.stacktrace) : exception.stacktrace,
      {
        platform: event.platform,
        path: `/exception/values/${exceptions.length - 1 - index}`,
        files,
        cuts,
      },
    ),
  );
  if (!error) return undefined;
  const kept = cuts.list(causes, causesMax, "/exception/values");
  return { ...error, ...(kept.length > 0 && { causes: [...kept] }) };
}

type Around = { platform: unknown; path: string; files: ReadonlySet<string>; cuts: Cuts };

function translate(exception: Record<string, unknown>, stacktrace: unknown, around: Around): TranslatedError {
  const { platform, path, files, cuts } = around;
  // If a client records where a message was captured, the message arrives as an exception without a type.
  const isMessage = fieldsOf(exception.mechanism).synthetic === true && someText(exception.type) === undefined;
  const type = someText(exception.type) ?? (isMessage ? "Message" : "Error");
  const module = someText(exception.module);
  const sent = objectsOf(fieldsOf(stacktrace).frames).reverse();
  const frames = cuts.list(sent, framesMax, `${path}/stacktrace/frames`).map((frame) => translateFrame(frame, files));
  return {
    type: platform === "java" && module ? `${module}.${type}` : type,
    message: textOf(exception.value) ?? "",
    ...(frames.length > 0 && { frames }),
  };
}

function translateFrame(frame: Record<string, unknown>, files: ReadonlySet<string>): Frame {
  const { filename, abs_path: path, package: binary, lineno, colno, in_app: inApp, context_line: line } = frame;
  const module = someText(frame.module) ?? someText(binary);
  const name = someText(frame.function);
  const file = [filename, path].map(someText).find((text) => text !== undefined && files.has(text));
  const place = file ?? someText(filename) ?? someText(path);
  return {
    ...(name !== undefined && { function: name }),
    ...(module !== undefined && { module }),
    ...(place !== undefined && { file: place }),
    ...(isPlace(lineno) && { line: lineno }),
    ...(isPlace(colno) && { column: colno }),
    ...(typeof inApp === "boolean" && { inApp }),
    ...(typeof line === "string" && {
      context: { before: linesOf(frame.pre_context), line, after: linesOf(frame.post_context) },
    }),
  };
}

const isPlace = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

const linesOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((line): line is string => typeof line === "string") : [];
