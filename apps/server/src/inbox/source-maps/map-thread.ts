import { parentPort } from "node:worker_threads";
import { encodedMappings, FlattenMap, originalPositionFor, TraceMap } from "@jridgewell/trace-mapping";
import { boundValues } from "../../platform/http/bound-values.ts";
import type { SourceLines } from "../stacks/frame.ts";
import { isOwnFile } from "../stacks/languages/javascript.ts";
import { functionAt, type NamedFunction, namedFunctions } from "./function-names.ts";
import { keepMapping, Mapping, type ObfuscatedCall, type RetracedCall, UnreadableMapping } from "./mapping-file.ts";
import { boundTexts, linesReader, type SourceTexts } from "./source-lines.ts";

// The thread in which source maps are parsed and decoded: a map of 2,000,000 mappings takes a second and 200 MB.

/** The number of JSON values, mostly names and sources, and their depth. */
const valuesMax = 1_000_000;
const depthMax = 20;
/** A decoded mapping takes some 90 bytes. */
const mappingsMax = 2_000_000;
const linesMax = 2_000_000;
const sectionsMax = 10_000;
const nameLengthMax = 200;
const sourceLengthMax = 1_000;
/** The characters that take as much memory as a decoded mapping. */
const charactersOfMapping = 45;
/** The processor time for finding the functions of sources; further sources get none. */
const namingCpuMsMax = 2_000;

/** A source map of JavaScript, or a mapping file of ProGuard or R8. */
export type MapFormat = "source_map" | "proguard";

/**
 * A request to the thread: to check a map, optionally keeping the texts of its sources; to find positions in a map that
 * it gets now or has cached, optionally with source lines; or to drop cached maps.
 */
export type ThreadRequest =
  | { kind: "check"; format: MapFormat; bytes: Uint8Array; keepsTexts: boolean }
  | { kind: "trace"; key: string; bytes: Uint8Array | undefined; places: readonly Place[]; withLines: boolean }
  | { kind: "retrace"; key: string; bytes: Uint8Array | undefined; asked: Obfuscated }
  | { kind: "forget"; keys: readonly string[] };

/** A position in a bundled file, from 1 as in stacks. */
export type Place = { line: number; column: number };

/**
 * The position in the source (from 1), the name there, the function around it and the lines around it, as far as they
 * are known.
 */
export type Original = {
  source: string;
  line: number;
  column: number;
  name: string | null;
  functionName: string | null;
  context: SourceLines | null;
};

/**
 * A map in its stored form: the first line is the map without the texts of its sources; the texts follow if they are
 * kept.
 */
export type CheckedMap = { bytes: Uint8Array<ArrayBuffer>; debugId: string | null; hasTexts: boolean };

/** `weight` is the memory that the map takes, as a number of mappings. */
export type Traced = { originals: (Original | null)[]; weight: number };

/** The names to look up in a mapping file: calls, and types of errors. */
export type Obfuscated = { calls: readonly ObfuscatedCall[]; types: readonly string[] };

/**
 * The original calls of each call, innermost first, and the name of each type; null for what the mapping does not
 * contain.
 */
export type Retraced = { calls: (RetracedCall[] | null)[]; types: (string | null)[]; weight: number };

/** The result of a request, or why the map cannot be read; and the thread's processor time since it started. */
export type ThreadAnswer = Answer & { cpuMs: number };
type Answer = { result: CheckedMap | Traced | Retraced | null } | { refused: string };

class Unreadable extends Error {}

/** `functions` are those of each source; undefined if the map came without the texts of its sources. */
type Kept = { sources: (string | null)[]; names: string[]; mappings: string; functions?: NamedFunction[][] };
type Read = Kept & { texts: SourceTexts | undefined };
type Sent = Partial<
  Record<"version" | "mappings" | "names" | "sources" | "sourcesContent" | "sourceRoot" | "sections", unknown>
> & {
  debugId?: unknown;
  debug_id?: unknown;
};

/** `texts` is the JSON of the texts of the sources; empty if they are not kept. */
type Held = { map: TraceMap; weight: number; functionsOf: Map<string, NamedFunction[]>; texts: string };
const held = new Map<string, Held | Mapping>();

parentPort?.on("message", (request: ThreadRequest) => {
  const answer = answerTo(request);
  const transferred =
    "result" in answer && answer.result && "bytes" in answer.result ? [answer.result.bytes.buffer] : [];
  const { user, system } = process.threadCpuUsage();
  parentPort?.postMessage({ ...answer, cpuMs: (user + system) / 1000 } satisfies ThreadAnswer, transferred);
});

function answerTo(request: ThreadRequest): Answer {
  try {
    if (request.kind === "check") {
      const isMapping = request.format === "proguard";
      return {
        result: isMapping ? { bytes: keepMapping(request.bytes), debugId: null, hasTexts: false } : check(request),
      };
    }
    if (request.kind === "trace") return { result: trace(request) };
    if (request.kind === "retrace") return { result: retrace(request) };
    for (const key of request.keys) held.delete(key);
    return { result: null };
  } catch (error) {
    const hasReason = error instanceof Unreadable || error instanceof UnreadableMapping;
    return { refused: hasReason ? error.message : "it cannot be decoded" };
  }
}

function check({ bytes, keepsTexts }: ThreadRequest & { kind: "check" }): CheckedMap {
  boundValues({ valuesMax, depthMax, refuse: (message) => new Unreadable(`it ${message}`) })(bytes);
  const sent = parse(bytes);
  if (typeof sent !== "object" || sent === null || sent.version !== 3)
    throw new Unreadable("it is not a source map of version 3");
  const { sources, names, mappings, texts } = Array.isArray(sent.sections) ? flatten(sent.sections) : keep(sent);
  const functions = texts && functionsOfSources(sources, texts);
  const kept = {
    version: 3,
    sources: sources.map((source) => source?.slice(0, sourceLengthMax) ?? null),
    names: names.map((name) => name.slice(0, nameLengthMax)),
    mappings,
    ...(functions && { functions }),
  };
  const debugId = sent.debugId ?? sent.debug_id;
  const keptTexts = keepsTexts && texts ? boundTexts(texts) : [];
  const hasTexts = keptTexts.some((text) => text !== null);
  return {
    bytes: new TextEncoder().encode(JSON.stringify(kept) + (hasTexts ? `\n${JSON.stringify(keptTexts)}` : "")),
    hasTexts,
    debugId: typeof debugId === "string" && isUuid(debugId) ? debugId.toLowerCase() : null,
  };
}

/** The functions of the app's own sources, if the map includes their texts. */
function functionsOfSources(sources: Kept["sources"], texts: SourceTexts): NamedFunction[][] {
  const cpuMs = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  const endsAt = cpuMs() + namingCpuMsMax;
  return sources.map((source, index) => {
    const text = texts[index];
    return source === null || typeof text !== "string" || cpuMs() > endsAt ? [] : namedFunctions(text, source);
  });
}

/** The texts of the app's own sources; undefined if the map includes none. */
function ownTexts(sources: Kept["sources"], contents: unknown): SourceTexts | undefined {
  if (!Array.isArray(contents)) return undefined;
  return sources.map((source, index) => {
    const text: unknown = contents[index];
    return source !== null && typeof text === "string" && isOwnFile(source) ? text : null;
  });
}

function parse(bytes: Uint8Array): Sent | null {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Unreadable("it is not UTF-8");
  }
  try {
    return JSON.parse(text.replace(/^\)\]\}'[^\n]*\n/, "")) as Sent;
  } catch {
    throw new Unreadable("it is not JSON");
  }
}

/** Reads a map without sections, and resolves its sources against sourceRoot. */
function keep({ sources, names = [], mappings, sourceRoot, sourcesContent }: Sent): Read {
  if (typeof mappings !== "string" || !isListOf(sources, ["string", "null"]) || !isListOf(names, ["string"])) {
    throw new Unreadable("its mappings, sources or names are missing or have the wrong type");
  }
  if (sourceRoot !== undefined && sourceRoot !== null && typeof sourceRoot !== "string") {
    throw new Unreadable("its sourceRoot is not a string");
  }
  countMappings(mappings);
  // Without mappings, which would be decoded.
  const { resolvedSources } = new TraceMap({
    version: 3,
    sources: sources as (string | null)[],
    names: [],
    mappings: "",
    ...(sourceRoot && { sourceRoot }),
  });
  const texts = ownTexts(resolvedSources, sourcesContent);
  return { sources: resolvedSources, names: names as string[], mappings, texts };
}

/** Merges the sections of a map. Their offsets are bounded before lines are created for them. */
function flatten(sections: unknown[]): Read {
  if (sections.length > sectionsMax) throw new Unreadable(`it has more than ${sectionsMax} sections`);
  let mappings = 0;
  const flat = sections.map((section) => {
    const { offset, map } = (section ?? {}) as { offset?: { line?: unknown; column?: unknown }; map?: Sent };
    const line = Number(offset?.line);
    const column = Number(offset?.column);
    const isPlace = Number.isInteger(line) && line >= 0 && line <= linesMax && Number.isInteger(column) && column >= 0;
    if (!isPlace || typeof map !== "object" || map === null)
      throw new Unreadable("one of its sections is not a source map");
    if ("sections" in map) throw new Unreadable("its sections contain sections");
    const { texts, ...kept } = keep(map);
    mappings += countMappings(kept.mappings);
    if (mappings > mappingsMax) throw tooMany();
    const sourcesContent = [...(texts ?? kept.sources.map(() => null))];
    return { offset: { line, column }, map: { version: 3 as const, ...kept, sourcesContent } };
  });
  const map = new FlattenMap({ version: 3, sections: flat });
  const { resolvedSources: sources, names, sourcesContent: texts } = map;
  return { sources, names, mappings: encodedMappings(map), texts: texts?.some(Boolean) ? texts : undefined };
}

/** Each mapping follows a comma or semicolon, so they are counted before any is decoded. */
function countMappings(mappings: string): number {
  let count = 1;
  for (let at = 0; at < mappings.length; at += 1) {
    const code = mappings.charCodeAt(at);
    if (code === 0x2c || code === 0x3b) count += 1;
  }
  if (count > mappingsMax) throw tooMany();
  return count;
}

const tooMany = () => new Unreadable(`it has more than ${mappingsMax} mappings`);

function trace({ key, bytes, places, withLines }: ThreadRequest & { kind: "trace" }): Traced {
  const before = held.get(key);
  const { map, weight, functionsOf, texts } = before && !(before instanceof Mapping) ? before : hold(key, bytes);
  const linesAt = withLines && texts !== "" ? linesReader(map.sources, JSON.parse(texts) as SourceTexts) : () => null;
  const originals = places.map(({ line, column }) => {
    if (line < 1 || column < 1) return null;
    const original = originalPositionFor(map, { line, column: column - 1 });
    if (typeof original.source !== "string") return null;
    const { source, line: sourceLine, column: sourceColumn, name } = original;
    const functionName = functionAt(functionsOf.get(source) ?? [], sourceLine, sourceColumn);
    return {
      source,
      line: sourceLine,
      column: sourceColumn + 1,
      name,
      functionName,
      context: linesAt(source, sourceLine),
    };
  });
  return { originals, weight };
}

function hold(key: string, bytes: Uint8Array | undefined): Held {
  if (!bytes) throw new Unreadable("it was not given");
  const [first = "", texts = ""] = new TextDecoder().decode(bytes).split("\n", 2);
  const kept = JSON.parse(first) as Kept & { version: 3 };
  const functionsOf = new Map<string, NamedFunction[]>();
  // Several sections may name a source, while only one includes its text.
  for (const [index, functions] of (kept.functions ?? []).entries())
    if (functions.length > 0) functionsOf.set(kept.sources[index] ?? "", functions);
  const weight = countMappings(kept.mappings) + Math.ceil(texts.length / charactersOfMapping);
  const found = { map: new TraceMap(kept), weight, functionsOf, texts };
  held.set(key, found);
  return found;
}

function retrace({ key, bytes, asked }: ThreadRequest & { kind: "retrace" }): Retraced {
  let found = held.get(key);
  if (!(found instanceof Mapping)) {
    if (!bytes) throw new Unreadable("it was not given");
    found = new Mapping(bytes);
    held.set(key, found);
  }
  const mapping = found;
  return {
    calls: mapping.retrace(asked.calls),
    types: asked.types.map((type) => mapping.classOf(type)),
    weight: mapping.size,
  };
}

const isListOf = (list: unknown, types: readonly string[]): list is unknown[] =>
  Array.isArray(list) && list.every((item) => types.includes(item === null ? "null" : typeof item));

const isUuid = (text: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
