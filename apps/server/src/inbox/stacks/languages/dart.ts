import { type ErrorPart, type Language, makeFrame, type Place, type StackFrame, splitPlace } from "../frame.ts";

const frame =
  /^\s*#\d{1,6} {1,10}(\S.{0,500}?) \(((?:package|dart|file|http|https|org-dartlang-\w+|packages|asset|main)[:./][^()]{1,1000})\)$/;
/** Obfuscated or without symbols: only addresses, which differ between builds. */
const address = /^\s*#\d{1,6} +abs [0-9a-f]+ virt [0-9a-f]+ (\S.*)$/;
/** package:stack_trace, and what browsers show for compiled Dart. */
const terse = /^\s*((?:package:|dart:|packages\/|lib\/|test\/)\S{1,500}) (\d{1,9})(?::(\d{1,9}))? {1,100}(\S.{0,500})$/;
const gap = /^\s*(?:<asynchronous suspension>|=+ asynchronous gap =+)$/;
const foreignPackage =
  /^(?:package:|packages\/|org-dartlang-\w+:\/\/\/packages\/)(?:flutter\w*|stack_trace|async|collection|bloc|hydrated_bloc|provider|riverpod|hooks_riverpod|dio|http|http_parser|get|get_it|rxdart|go_router|auto_route|hive\w*|isar\w*|drift|sqflite\w*|firebase_\w+|cloud_\w+|google_\w+|sentry\w*|shared_preferences\w*|path_provider\w*|url_launcher\w*|webview_\w+|camera\w*|video_player\w*|image_picker\w*|connectivity\w*|package_info\w*|test\w*|test_api|mocktail|mockito|equatable|freezed\w*|json_annotation|web_socket_channel|graphql\w*|cached_network_image|flame\w*|shelf\w*|serverpod\w*|matcher|meta|characters|vector_math|material_color_utilities|retrofit|chopper|grpc|protobuf|intl|logger|logging|zone\w*|vm_service|dwds)\//;
const foreignFile =
  /^(?:dart|org-dartlang-sdk):|dart-sdk[\\/]|[\\/](?:\.pub-cache|flutter[\\/](?:packages|bin))[\\/]|dart_sdk\.js/;

/** Dart and Flutter. */
export const dart: Language = {
  name: "dart",
  isFrame: (line) => frame.test(line) || address.test(line) || terse.test(line) || gap.test(line),
  read: (lines) => {
    const part: ErrorPart = { type: null, message: null, frames: [] };
    let isAsync = false;
    for (const line of lines) {
      const read = readFrame(line, isAsync);
      if (read) {
        part.frames.push(read);
        isAsync = false;
      } else if (gap.test(line)) isAsync = true;
    }
    return { parts: [part], threads: [] };
  },
  isOwn: ({ function: name, file }) =>
    file !== null &&
    !foreignPackage.test(file) &&
    !foreignFile.test(file) &&
    !/^(?:_?rootRun\w*|_CustomZone\..*)$/.test(name ?? ""),
  identify: ({ function: name, file }) => {
    if (name === null) return null;
    const bare = name
      .replace(/^new /, "")
      .replaceAll(/\.?<(?:anonymous closure|fn|async)>|\.<anonymous closure>/g, "")
      .replaceAll(/\[[^\]]*\]|\$|@\d+/g, "")
      .replace(/<[^<>]*>/g, "");
    const base = file?.split("/").at(-1) ?? "";
    // A method includes its class; a top-level function is qualified by its file.
    return bare === "" ? base : bare.includes(".") ? bare : `${bare}@${base}`;
  },
};

function readFrame(line: string, isAsync: boolean): StackFrame | undefined {
  const [, name, where] = frame.exec(line) ?? [];
  if (name !== undefined && where !== undefined) return make(line, name, splitPlace(where), isAsync);
  const [, symbol] = address.exec(line) ?? [];
  if (symbol !== undefined) return makeFrame(line, {}, false);
  const [, file, digits, column, member] = terse.exec(line) ?? [];
  if (file === undefined || member === undefined) return undefined;
  return make(
    line,
    member,
    { file, line: Number(digits), column: column === undefined ? null : Number(column) },
    isAsync,
  );
}

function make(raw: string, name: string, at: Pick<Place, "file" | "line" | "column">, isAsync: boolean): StackFrame {
  const place: Place = { function: name, module: null, ...at };
  return makeFrame(raw, place, dart.isOwn(place), isAsync);
}
