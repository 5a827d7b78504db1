import type { LogKind } from "@lodge/contract/runners";
import { type AgentOutput, countsOf, isObject, microUsd, type Spent, sum } from "./agents.ts";
import { type Deferred, deferred } from "./deferred.ts";
import type { RunLog } from "./run-log.ts";
import { takeLines } from "./take-lines.ts";

/** The supported version of the Agent Client Protocol (https://agentclientprotocol.com/protocol/v1/overview). */
const protocolVersion = 1;
/** A longer message is logged in parts. */
const saidLengthMax = 1_048_576;
/** The most tool calls to track at a time. */
const callsMax = 32;

type Json = { readonly [name: string]: unknown };

const object = (value: unknown): Json => (isObject(value) ? value : {});
const text = (value: unknown): string => (typeof value === "string" ? value : "");

/**
 * Sends one prompt to an agent over the Agent Client Protocol, JSON-RPC on its stdin and stdout: initialize,
 * session/new in `cwd`, session/prompt with `prompt`. Grants every permission request, since the sandbox limits the
 * agent. Offers no access to files or terminals; the agent uses its own. The run fails unless the turn ends with
 * `end_turn`.
 */
export function speakAcp(
  log: Pick<RunLog, "add" | "write">,
  { cwd, prompt, send, onOver }: { cwd: string; prompt: string; send: (line: string) => void; onOver: () => void },
): AgentOutput {
  const waiting = new Map<number, Deferred<Json>>();
  /** The known fields of each tool call; null once it is logged. */
  const calls = new Map<string, Json | null>();
  const counted: Partial<Record<keyof Spent, unknown>> = {};
  let said = "";
  let lastSaid = "";
  let asked = 0;
  let failure: string | undefined = "The agent exited before it finished its turn.";

  const tell = (message: object) => send(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const call = (method: string, params: object) => {
    const answer = deferred<Json>();
    waiting.set(++asked, answer);
    tell({ id: asked, method, params });
    return answer.promise;
  };

  /** Logs the agent's text, which arrives in fragments, as one entry when the agent does something else. */
  function endOfSaid() {
    if (said.trim() === "") return;
    log.add("said", said);
    lastSaid = said;
    said = "";
  }

  async function converse() {
    const { protocolVersion: spoken } = await call("initialize", {
      protocolVersion,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      clientInfo: { name: "lodge", title: "Lodge", version: "1" },
    });
    if (spoken !== protocolVersion)
      throw new Error(
        `The agent uses version ${spoken} of the Agent Client Protocol. The runner needs version ${protocolVersion}.`,
      );
    const { sessionId } = await call("session/new", { cwd, mcpServers: [] });
    const turn = await call("session/prompt", { sessionId, prompt: [{ type: "text", text: prompt }] });
    count(object(turn.usage));
    failure = turn.stopReason === "end_turn" ? undefined : `The agent stopped: ${text(turn.stopReason)}.`;
  }

  function count({ inputTokens, outputTokens, cachedReadTokens, cachedWriteTokens }: Json) {
    const all = [inputTokens, cachedReadTokens, cachedWriteTokens].filter((value) => typeof value === "number");
    if (all.length > 0) counted.inputTokens = sum(all);
    counted.outputTokens = outputTokens;
  }

  function onUpdate(update: Json) {
    const kind = update.sessionUpdate;
    if (kind === "agent_message_chunk") said += text(object(update.content).text);
    if (kind !== "agent_message_chunk" || said.length > saidLengthMax) endOfSaid();
    if (kind === "usage_update") {
      const { amount, currency } = object(update.cost);
      if (currency === "USD") counted.costMicroUsd = microUsd(amount);
    }
    if (kind !== "tool_call" && kind !== "tool_call_update") return;
    const id = text(update.toolCallId);
    const before = calls.get(id);
    if (before === null) return;
    const { kind: what, title, status, locations, rawInput } = { ...before, ...update };
    const known = { kind: what, title, status, locations, rawInput };
    const step = stepOf(known);
    calls.set(id, step ? null : known);
    const [oldest = ""] = calls.keys();
    if (calls.size > callsMax) calls.delete(oldest);
    if (step) log.add(step.kind, step.text);
  }

  function onRequest(id: unknown, method: string, params: Json) {
    if (method !== "session/request_permission") {
      tell({ id, error: { code: -32601, message: "Method not found" } });
      return;
    }
    const options = Array.isArray(params.options) ? params.options.map(object) : [];
    const allowed =
      options.find(({ kind }) => kind === "allow_once") ?? options.find(({ kind }) => kind === "allow_always");
    tell({
      id,
      result: {
        outcome: allowed ? { outcome: "selected", optionId: allowed.optionId } : { outcome: "cancelled" },
      },
    });
  }

  function take(line: string) {
    const { id, method, params, ...answered } = object(JSON.parse(line));
    if (typeof method === "string") {
      if (method === "session/update") onUpdate(object(object(params).update));
      else if (id !== undefined) onRequest(id, method, object(params));
      return;
    }
    const answer = waiting.get(Number(id));
    waiting.delete(Number(id));
    if (isObject(answered.error))
      answer?.reject(new Error(`The agent reported an error: ${text(answered.error.message)}`));
    else answer?.resolve(object(answered.result));
  }

  const lines = takeLines(log, take);
  converse()
    .catch((error: Error) => {
      failure = error.message;
    })
    .finally(onOver);

  return {
    write: lines.write,
    end: () => {
      lines.end();
      endOfSaid();
      return { ...countsOf(counted), ...(lastSaid && { summary: lastSaid }), failure };
    },
  };
}

/** The log entry of a tool call; undefined as long as the agent has only announced it, without its command or file. */
function stepOf({ kind, title, status, locations, rawInput }: Json): { kind: LogKind; text: string } | undefined {
  const isOver = status === "completed" || status === "failed";
  if (kind === "edit" || kind === "delete" || kind === "move") {
    const paths = Array.isArray(locations) ? locations.map((location) => text(object(location).path)) : [];
    const files = [...new Set(paths)].filter(Boolean).join("\n");
    return files || isOver ? { kind: "edited", text: files || text(title) } : undefined;
  }
  const command = object(rawInput).command;
  const line = Array.isArray(command) ? command.join(" ") : text(command);
  if (kind === "execute" && line === "" && !isOver) return undefined;
  return { kind: "ran", text: line || text(title) };
}
