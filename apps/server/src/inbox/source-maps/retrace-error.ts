import type { Envelope } from "@lodge/contract/envelope";
import { preparedStatement } from "../../platform/database/statements.ts";
import type { Deps } from "../../platform/deps.ts";
import type { ErrorPart, StackFrame } from "../stacks/frame.ts";
import { jvm } from "../stacks/languages/jvm.ts";
import { uuidOrNull } from "./find-originals.ts";
import { noteUse, readable, readKept, reportMsMax } from "./kept-maps.ts";
import { retraceMap } from "./map-reader.ts";
import type { ObfuscatedCall, RetracedCall } from "./mapping-file.ts";

/** Further calls of a report are not mapped, and further frames are cut. */
const callsMax = 300;
const framesMax = 1_000;
const mappingsMax = 3;
const nameLengthMax = 1_000;
const releaseLengthMax = 200;

const findStatement = preparedStatement({
  name: "find_mapping_files",
  parameters: { appId: "uuid", uuids: "uuid[]", releases: "text[]" },
  row: { id: "uuid", organisation_id: "uuid", store_key: "text", used_at: "timestamptz", is_named: "boolean" },
  text: ({ appId, uuids, releases }) => `select id, organisation_id, store_key, used_at,
    debug_id is not null and debug_id = any(${uuids}) as is_named
  from source_maps where app_id = ${appId} and format = 'proguard' and not replaced and unusable_reason is null
    and (debug_id = any(${uuids}) or release = any(${releases}))
  order by is_named desc, array_position(${releases}, release), id desc limit ${mappingsMax}`,
});

/**
 * The errors of a JVM report with the names that ProGuard or R8 replaced, by the mapping files that its app has now:
 * those whose UUIDs it names, else the latest of its release, else the latest of its version.
 */
export async function retraceError(
  deps: Pick<Deps, "store" | "log" | "clock" | "pool">,
  appId: string,
  { app, debugIds = {} }: Partial<Envelope>,
  parts: readonly ErrorPart[],
): Promise<readonly ErrorPart[]> {
  const calls = callsOf(parts);
  const types = parts.flatMap(({ type }) => (type !== null && type.length <= nameLengthMax ? [type] : []));
  const uuids = Object.entries(debugIds).flatMap(([name, id]) =>
    name.startsWith("proguard") ? (uuidOrNull(id) ?? []) : [],
  );
  const releases = [app?.release, app?.version].flatMap((text) =>
    text && text.length <= releaseLengthMax ? [readable(text)] : [],
  );
  if (uuids.length + releases.length === 0 || calls.length + types.length === 0) return parts;
  const found = await findStatement(deps.pool, { appId, uuids, releases });
  const named = found.filter(({ is_named }) => is_named);
  const mappings = named.length > 0 ? named : found.slice(0, 1);
  const callOf = new Map<string, RetracedCall[]>();
  const typeOf = new Map<string, string>();
  const beganAt = performance.now();
  for (const mapping of mappings) {
    if (performance.now() - beganAt > reportMsMax) break;
    const retraced = await readKept(deps, appId, mapping, (kept) => retraceMap(kept, { calls, types }));
    for (const [index, call] of calls.entries()) {
      const known = retraced?.calls[index];
      if (known && !callOf.has(keyOf(call))) callOf.set(keyOf(call), known);
    }
    for (const [index, type] of types.entries()) {
      const known = retraced?.types[index];
      if (known && !typeOf.has(type)) typeOf.set(type, known);
    }
  }
  await noteUse(deps.pool, deps.clock.now(), appId, mappings);
  return parts.map((part) => ({
    ...part,
    type: part.type === null ? null : (typeOf.get(part.type) ?? part.type),
    frames: retracedFrames(part.frames, callOf),
  }));
}

function callsOf(parts: readonly ErrorPart[]): ObfuscatedCall[] {
  const calls = new Map<string, ObfuscatedCall>();
  for (const { module, function: name, line } of parts.flatMap(({ frames }) => frames)) {
    if (calls.size === callsMax) break;
    if (module === null || name === null || module.length + name.length > nameLengthMax) continue;
    const call = { module, function: name, line };
    calls.set(keyOf(call), call);
  }
  return [...calls.values()];
}

const keyOf = ({ module, function: name, line }: ObfuscatedCall) => `${module} ${name} ${line}`;

/** Replaces each frame by its original calls, including those that were inlined into it. */
function retracedFrames(frames: readonly StackFrame[], callOf: ReadonlyMap<string, RetracedCall[]>): StackFrame[] {
  return frames
    .flatMap((frame) => {
      const { module, function: name, line } = frame;
      const calls = module !== null && name !== null ? callOf.get(keyOf({ module, function: name, line })) : undefined;
      if (!calls) return [frame];
      return calls.map((call): StackFrame => {
        const file = call.file ?? (call.module === module ? frame.file : null);
        const place = { module: call.module, function: call.function, file, line: call.line, column: null };
        return { ...frame, ...place, isOwn: jvm.isOwn(place), isMapped: true };
      });
    })
    .slice(0, framesMax);
}
