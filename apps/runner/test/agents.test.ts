import assert from "node:assert/strict";
import { test } from "node:test";
import type { LogKind } from "@lodge/contract/runners";
import { type AgentName, agents, readAgent } from "../src/agents.ts";
import { speakAcp } from "../src/speak-acp.ts";

/** Output streams, from the documentation of each agent. */
const streams: Record<AgentName, object[]> = {
  claude: [
    { type: "system", subtype: "init", session_id: "s", tools: ["Bash"], model: "m" },
    { type: "assistant", message: { role: "assistant", content: [{ type: "text", text: "I look." }] } },
    {
      type: "assistant",
      message: { content: [{ type: "tool_use", id: "1", name: "Bash", input: { command: "npm test" } }] },
    },
    { type: "user", message: { content: [{ type: "tool_result", tool_use_id: "1", content: "ok" }] } },
    {
      type: "assistant",
      message: {
        content: [{ type: "tool_use", id: "2", name: "Edit", input: { file_path: "/work/a.ts", old_string: "a" } }],
      },
    },
    {
      type: "result",
      subtype: "success",
      is_error: false,
      result: "Fixed.",
      total_cost_usd: 0.0123,
      usage: { input_tokens: 10, cache_creation_input_tokens: 20, cache_read_input_tokens: 30, output_tokens: 5 },
    },
  ],
  codex: [
    { type: "thread.started", thread_id: "t" },
    { type: "turn.started" },
    { type: "item.completed", item: { id: "0", type: "agent_message", text: "I look." } },
    { type: "item.started", item: { id: "1", type: "command_execution", command: "npm test", status: "in_progress" } },
    {
      type: "item.completed",
      item: { id: "1", type: "command_execution", command: "npm test", aggregated_output: "ok", exit_code: 0 },
    },
    {
      type: "item.completed",
      item: { id: "2", type: "file_change", changes: [{ path: "/work/a.ts", kind: "update" }] },
    },
    { type: "turn.completed", usage: { input_tokens: 40, cached_input_tokens: 30, output_tokens: 2 } },
    { type: "item.completed", item: { id: "3", type: "agent_message", text: "Fixed." } },
    { type: "turn.completed", usage: { input_tokens: 20, cached_input_tokens: 0, output_tokens: 3 } },
  ],
  gemini: [
    { type: "init", session_id: "s", model: "m" },
    { type: "message", role: "user", content: "# Crash" },
    { type: "message", role: "assistant", content: "I look.", delta: true },
    { type: "tool_use", tool_name: "run_shell_command", tool_id: "1", parameters: { command: "npm test" } },
    { type: "tool_result", tool_id: "1", status: "success", output: "ok" },
    { type: "tool_use", tool_name: "write_file", tool_id: "2", parameters: { file_path: "/work/a.ts", content: "x" } },
    { type: "message", role: "assistant", content: "Fixed.", delta: true },
    { type: "result", status: "success", stats: { total_tokens: 65, input_tokens: 60, output_tokens: 5 } },
  ],
  opencode: [
    { type: "step_start", sessionID: "s", part: { type: "step-start" } },
    { type: "text", sessionID: "s", part: { type: "text", text: "I look." } },
    {
      type: "tool_use",
      part: { tool: "bash", state: { status: "completed", input: { command: "npm test" }, output: "ok" } },
    },
    {
      type: "step_finish",
      part: { cost: 0.01, tokens: { input: 10, output: 1, reasoning: 1, cache: { read: 10, write: 0 } } },
    },
    { type: "tool_use", part: { tool: "edit", state: { status: "completed", input: { filePath: "/work/a.ts" } } } },
    { type: "text", part: { text: "Fixed." } },
    {
      type: "step_finish",
      part: { cost: 0.0023, tokens: { input: 30, output: 3, reasoning: 0, cache: { read: 5, write: 5 } } },
    },
  ],
};

test("the streams of all known agents become the same log entries and usage", () => {
  const steps = [
    "said I look.",
    "ran npm test",
    "edited /work/a.ts",
    "output no JSON\n",
    "output {broken\n",
    "said Fixed.",
  ];
  const cost = { claude: 12_300, codex: undefined, gemini: undefined, opencode: 12_300 };
  for (const [name, events] of Object.entries(streams) as [AgentName, object[]][]) {
    const log: string[] = [];
    const add = (kind: LogKind, text: string) => log.push(`${kind} ${text}`);
    const output = readAgent(agents[name].read)({
      add,
      write: (piece) => add("output", piece.toString()),
    });
    const lines = events.map((event) => `${JSON.stringify(event)}\n`);
    const cut = lines.findIndex((line) => line.includes("a.ts")) + 1;
    const text = Buffer.from([...lines.slice(0, cut), "no JSON\n{broken\n", ...lines.slice(cut)].join(""));
    for (let from = 0; from < text.length; from += 7) output.write(text.subarray(from, from + 7));
    const { summary, costMicroUsd, ...tokens } = output.end();
    const said = name === "claude" ? [...log, `said ${summary}`] : log;
    assert.deepEqual(said, steps, name);
    assert.deepEqual([costMicroUsd, tokens], [cost[name], { inputTokens: 60, outputTokens: 5 }], name);
  }
});

test("an agent's malformed output does not stop the runner", () => {
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  for (const command of ['["ls",{"toString":1}]', `["ls",${deep}]`]) {
    const shown: string[] = [];
    const log = { add: () => {}, write: (piece: Buffer) => void shown.push(piece.toString()) };
    const used = `{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash","input":{"command":${command}}}]}}\n`;
    readAgent(agents.claude.read)(log).write(Buffer.from(used));
    const acp = { cwd: "/work", prompt: "# Crash", send: () => {}, onOver: () => {} };
    const call = { sessionUpdate: "tool_call", toolCallId: "1", kind: "execute" };
    const updated = JSON.stringify(update({ ...call, rawInput: { command: 0 } })).replace(":0", `:${command}`);
    speakAcp(log, acp).write(Buffer.from(`${updated}\n`));
    assert.deepEqual(shown, [used, `${updated}\n`]);
  }
});

test("an endless message of an agent is logged in parts, and a tool call once", () => {
  const log: string[] = [];
  const add = (kind: LogKind, text: string) => log.push(`${kind} ${text.slice(0, 3)}`);
  const acp = { cwd: "/work", prompt: "# Crash", send: () => {}, onOver: () => {} };
  const output = speakAcp({ add, write: () => {} }, acp);
  const write = (message: object) => output.write(Buffer.from(`${JSON.stringify(message)}\n`));
  for (let said = 0; said < 3; said++) write(chunk("x".repeat(600_000)));
  assert.deepEqual(log, ["said xxx"]);
  const ran = (id: string) => ({
    sessionUpdate: "tool_call",
    toolCallId: id,
    kind: "execute",
    rawInput: { command: id },
  });
  for (const id of ["one", "two", "one"]) write(update(ran(id)));
  assert.deepEqual(log.slice(1), ["said xxx", "ran one", "ran two"]);
});

/** An agent that answers each request as the protocol's documentation says. */
function acpAgent(answers: Record<string, readonly object[]>) {
  const log: string[] = [];
  const heard: Record<string, unknown>[] = [];
  const over = Promise.withResolvers<void>();
  const add = (kind: LogKind, text: string) => log.push(`${kind} ${text}`);
  const output = speakAcp(
    { add, write: (piece) => add("output", piece.toString()) },
    {
      cwd: "/work",
      prompt: "# Crash",
      send: (line) => {
        const message = JSON.parse(line) as { id: number; method?: string };
        heard.push(message);
        const texts = (answers[message.method ?? ""] ?? []).map((answer) =>
          JSON.stringify({
            jsonrpc: "2.0",
            ...("result" in answer || "error" in answer ? { id: message.id } : {}),
            ...answer,
          }),
        );
        if (texts.length > 0) setImmediate(() => output.write(Buffer.from(`${texts.join("\n")}\n`)));
      },
      onOver: over.resolve,
    },
  );
  return { log, heard, output, over: over.promise };
}

const update = (fields: object) => ({ method: "session/update", params: { sessionId: "s", update: fields } });
const chunk = (text: string) => update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });

test("an agent gets its prompt over the Agent Client Protocol, and its updates become log entries", async () => {
  const { log, heard, output, over } = acpAgent({
    initialize: [{ result: { protocolVersion: 1, agentCapabilities: {}, authMethods: [] } }],
    "session/new": [{ result: { sessionId: "s" } }],
    "session/prompt": [
      chunk("I "),
      chunk("look."),
      update({ sessionUpdate: "tool_call", toolCallId: "1", title: "Terminal", kind: "execute", status: "pending" }),
      update({ sessionUpdate: "tool_call_update", toolCallId: "1", rawInput: { command: "npm test" } }),
      {
        id: 7,
        method: "session/request_permission",
        params: {
          sessionId: "s",
          toolCall: { toolCallId: "1" },
          options: [
            { optionId: "no", name: "Reject", kind: "reject_once" },
            { optionId: "yes", name: "Allow", kind: "allow_once" },
          ],
        },
      },
      { id: 8, method: "fs/read_text_file", params: { sessionId: "s", path: "/etc/passwd" } },
      update({ sessionUpdate: "tool_call_update", toolCallId: "1", status: "completed" }),
      update({
        sessionUpdate: "tool_call",
        toolCallId: "2",
        title: "Edit a.ts",
        kind: "edit",
        status: "in_progress",
        locations: [{ path: "/work/a.ts" }],
      }),
      update({ sessionUpdate: "usage_update", used: 9, size: 100, cost: { amount: 0.0123, currency: "USD" } }),
      chunk("Fixed."),
      { result: { stopReason: "end_turn", usage: { inputTokens: 60, outputTokens: 5, totalTokens: 65 } } },
    ],
  });
  await over;
  assert.deepEqual(output.end(), {
    costMicroUsd: 12_300,
    inputTokens: 60,
    outputTokens: 5,
    summary: "Fixed.",
    failure: undefined,
  });
  assert.deepEqual(log, ["said I look.", "ran npm test", "edited /work/a.ts", "said Fixed."]);
  assert.deepEqual(
    heard.map(({ method, id, result, error }) => method ?? [id, result ?? (error as { code: number }).code]),
    [
      "initialize",
      "session/new",
      "session/prompt",
      [7, { outcome: { outcome: "selected", optionId: "yes" } }],
      [8, -32601],
    ],
  );
});

test("an ACP agent that refuses, speaks another version or exits too early is reported as failed", async () => {
  const begin = {
    initialize: [{ result: { protocolVersion: 1 } }],
    "session/new": [{ result: { sessionId: "s" } }],
  };
  for (const [answers, failure] of [
    [{ ...begin, "session/prompt": [{ result: { stopReason: "refusal" } }] }, /stopped: refusal/],
    [{ initialize: [{ result: { protocolVersion: 2 } }] }, /version 2/],
    [{ ...begin, "session/new": [{ error: { code: -32000, message: "Authentication required" } }] }, /Authentication/],
  ] as const) {
    const { output, over } = acpAgent(answers);
    await over;
    assert.match(output.end().failure ?? "", failure);
  }
  assert.match(acpAgent({}).output.end().failure ?? "", /before it finished its turn/);
});
