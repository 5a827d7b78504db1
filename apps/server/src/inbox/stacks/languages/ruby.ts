import { shortFile } from "../files.ts";
import {
  type ErrorPart,
  type Language,
  makeFrame,
  numberOf,
  type Place,
  type StackFrame,
  splitHeader,
} from "../frame.ts";

/** Until 3.3 a name is quoted with ` and ', since 3.4 with two ' and its class. */
const frame = /^\s*(?:from |\d+: from )?((?:[A-Z]:)?[^:\s][^:]{0,1000}):(\d{1,9})(?::in [`'](.{1,500})')?(?:: (.*))?$/;
const cause = /^\s*(?:Caused by:?|cause:|Cause:)\s*(.*)$/i;
const foreign =
  /[\\/](?:gems|rubygems|bundler|ruby[\\/]\d[\d.]*|lib[\\/]ruby|\.rbenv|\.rvm|vendor[\\/]bundle|vendor[\\/]gems)[\\/]|^<internal:|^\(eval|^\(irb|^\(pry|[\\/]bin[\\/](?:rails|rake|puma|sidekiq|bundle|rspec|ruby|unicorn|spring)$|^-e$|^bin[\\/](?:rails|rake|bundle)$|^[\w-]{1,100} \(\d[\w.]{0,50}\) /;

/** Ruby. */
export const ruby: Language = {
  name: "ruby",
  isFrame: (line) => {
    const [, file, , name] = frame.exec(line) ?? [];
    return name !== undefined || (file !== undefined && /\.(?:rb|erb|rake|ru|haml|slim)$/.test(file));
  },
  read: (lines) => {
    const parts: ErrorPart[] = [{ type: null, message: null, frames: [] }];
    for (const line of lines) {
      const [, caused] = cause.exec(line) ?? [];
      const [, file, digits, name, said] = frame.exec(line) ?? [];
      const part = parts.at(-1) as ErrorPart;
      if (caused !== undefined) {
        const inner = frame.exec(caused)?.[4] ?? caused;
        parts.push({ ...splitError(inner), frames: [] });
      } else if (file !== undefined && ruby.isFrame(line)) {
        // Ruby writes a cause like any other error: `file:line:in 'name': message (Type)`.
        const isNext = said !== undefined && part.frames.length > 0 && /\([\w:]+\)\s*$/.test(said);
        const to = isNext ? { type: null, message: null, frames: [] } : part;
        if (isNext) parts.push(to);
        if (said !== undefined && /\([\w:]+\)\s*$/.test(said)) Object.assign(to, splitError(said));
        to.frames.push(readFrame(line, file, digits, name));
      } else if (part.type === null && part.frames.length === 0 && line.trim() !== "")
        Object.assign(part, splitError(line.trim()));
    }
    return { parts: parts.map((part) => ({ ...part, frames: withoutNative(part.frames) })), threads: [] };
  },
  isOwn: ({ file }) => file !== null && !foreign.test(file),
  identify: ({ function: name, file }, root) => {
    const method = bareName(name);
    return method === null ? null : `${method}@${file === null ? "" : shortFile(file, root)}`;
  },
};

/** `message (Type)`, as Ruby writes an error, or `Type: message`, as loggers do. */
function splitError(text: string): { type: string | null; message: string } {
  const [, message, type] = /^(.*) \(([A-Z][\w:]*)\)$/s.exec(text) ?? [];
  return type === undefined || message === undefined ? splitHeader(text) : { type, message };
}

/** Only some versions report methods written in C, with the place that calls them. */
const withoutNative = (frames: StackFrame[]) =>
  frames.map((frame, index) => {
    const next = frames[index + 1];
    const isNative = next && next.file === frame.file && next.line === frame.line && next.function !== frame.function;
    return isNative ? { ...frame, isOwn: false } : frame;
  });

/** The name of a method without its class, which 3.4 adds, and without blocks. */
function bareName(name: string | null): string | null {
  if (name === null) return "<main>";
  const inner = name.replace(/^(?:(?:block|rescue|ensure|retry)(?: \(\d+ levels\))? in )+/, "");
  if (/^<(?:main|top \(required\)|class:.*|module:.*)>$/.test(inner)) return "<main>";
  return (
    inner
      .split(/[#.]|::/)
      .at(-1)
      ?.replaceAll(/\d{3,}/g, "#")
      .replace(/_{1,3}#_#$/, "") ?? inner
  );
}

function readFrame(raw: string, file: string, digits: string | undefined, name: string | undefined): StackFrame {
  const place: Place = { function: name ?? null, module: null, file, line: numberOf(digits), column: null };
  return makeFrame(raw, place, ruby.isOwn(place));
}

/** Until 3.3 messages quote differently, and until 3.2 they name the class of nil, or an object with its address. */
const ofNil = /(undefined (?:local variable or )?method '[^'\n]{1,200}') for nil:NilClass$/;
const ofObject =
  /(undefined (?:local variable or )?method '[^'\n]{1,200}') for #<(\w{1,100}(?:::\w{1,100}){0,8})(?:[: ][^>]{0,300})?>$/;

/** A message in the wording of Ruby 3.4. */
export const wordingOfRuby = (message: string): string =>
  message
    .replaceAll(/`([^`'\n]{1,200})'/g, "'$1'")
    .replace(ofNil, "$1 for nil")
    .replace(ofObject, "$1 for an instance of $2");
