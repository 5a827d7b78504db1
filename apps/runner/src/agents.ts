import type { Finish, LogKind } from "@lodge/contract/runners";
import type { RunLog } from "./run-log.ts";
import { takeLines } from "./take-lines.ts";

/** The usage and the last message of an agent. */
export type Spent = Pick<Finish, "costMicroUsd" | "inputTokens" | "outputTokens" | "summary">;

/** Parses the output of an agent. */
export type AgentOutput = {
  /** Takes a chunk of the output, which may end anywhere. */
  write: (piece: Buffer) => void;
  /** `failure` says why the agent failed, regardless of its exit code. */
  end: () => Spent & { failure?: string | undefined };
};

/** The log entries and usage in an event of an agent's stream. */
type Step = {
  steps?: { kind: LogKind; text: string }[];
  spent?: Partial<Record<keyof Spent, unknown>>;
  isMore?: boolean;
};

/** A well-known agent: its command, which reads the ticket from stdin, and the hosts and variables that it needs. */
export type AgentPreset = {
  command: string;
  allowedHosts: readonly string[];
  /** The variables with its credentials. Those that are set are passed to the command. */
  env: readonly string[];
  read: (event: Event) => Step;
};

/** An unvalidated JSON object. */
type Event = { readonly [name: string]: unknown };

/** Whether a value is a JSON object. */
export const isObject = (value: unknown): value is Event =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const at = (value: unknown, ...path: string[]): unknown =>
  path.reduce<unknown>((found, name) => (isObject(found) ? found[name] : undefined), value);
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const said = (words: unknown) => (text(words).trim() ? [{ kind: "said" as const, text: text(words) }] : []);

/** The log entry of a tool call: the command that it ran, the file that it edited, or the tool's name and input. */
function used(tool: unknown, input: unknown): { kind: LogKind; text: string } {
  const command = at(input, "command") ?? at(input, "cmd");
  if (command !== undefined) return { kind: "ran", text: Array.isArray(command) ? command.join(" ") : text(command) };
  const file = ["file_path", "filePath", "path", "absolute_path"].map((name) => text(at(input, name))).find(Boolean);
  if (file && /edit|write|replace|patch|create/i.test(text(tool))) return { kind: "edited", text: file };
  return { kind: "ran", text: `${text(tool)} ${JSON.stringify(input ?? {})}`.slice(0, 2_000) };
}

/** The agents of `--agent`. Each parses the documented output stream and skips unknown events. */
export const agents = {
  claude: {
    command:
      'claude -p --verbose --output-format stream-json --permission-mode bypassPermissions < "$LODGE_TICKET_FILE"',
    allowedHosts: ["api.anthropic.com"],
    env: ["ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN"],
    read: (event) => {
      if (event.type === "assistant") {
        const steps = list(at(event, "message", "content")).flatMap((part) =>
          at(part, "type") === "tool_use" ? [used(at(part, "name"), at(part, "input"))] : said(at(part, "text")),
        );
        return { steps };
      }
      if (event.type !== "result") return {};
      const usage = at(event, "usage");
      const read = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"].map((name) =>
        at(usage, name),
      );
      return {
        spent: {
          costMicroUsd: microUsd(event.total_cost_usd),
          inputTokens: sum(read),
          outputTokens: at(usage, "output_tokens"),
          summary: event.result,
        },
      };
    },
  },
  codex: {
    command: 'codex exec --json --dangerously-bypass-approvals-and-sandbox - < "$LODGE_TICKET_FILE"',
    allowedHosts: ["api.openai.com", "chatgpt.com"],
    env: ["OPENAI_API_KEY", "CODEX_API_KEY"],
    read: (event) => {
      const { item } = event;
      if (event.type === "item.completed") {
        const kind = at(item, "type") ?? at(item, "item_type");
        if (kind === "agent_message") return { steps: said(at(item, "text")), spent: { summary: at(item, "text") } };
        if (kind === "command_execution") return { steps: [{ kind: "ran", text: text(at(item, "command")) }] };
        if (kind !== "file_change") return {};
        return {
          steps: list(at(item, "changes")).map((change) => ({ kind: "edited", text: text(at(change, "path")) })),
        };
      }
      if (event.type === "turn.failed" || event.type === "error") {
        return { steps: said(at(event, "error", "message") ?? event.message) };
      }
      if (event.type !== "turn.completed") return {};
      const { usage } = event;
      return {
        spent: { inputTokens: at(usage, "input_tokens"), outputTokens: at(usage, "output_tokens") },
        isMore: true,
      };
    },
  },
  gemini: {
    command: 'gemini --output-format stream-json --yolo < "$LODGE_TICKET_FILE"',
    allowedHosts: ["generativelanguage.googleapis.com"],
    env: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    read: (event) => {
      if (event.type === "message" && event.role === "assistant") return { steps: said(event.content) };
      if (event.type === "tool_use") return { steps: [used(event.tool_name, event.parameters)] };
      if (event.type === "error") return { steps: said(event.message) };
      if (event.type !== "result") return {};
      const { stats } = event;
      return { spent: { inputTokens: at(stats, "input_tokens"), outputTokens: at(stats, "output_tokens") } };
    },
  },
  opencode: {
    command: 'opencode run --format json < "$LODGE_TICKET_FILE"',
    allowedHosts: [
      "api.anthropic.com",
      "api.openai.com",
      "generativelanguage.googleapis.com",
      "opencode.ai",
      "models.dev",
    ],
    env: ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENCODE_API_KEY"],
    read: (event) => {
      const { part } = event;
      if (event.type === "text") return { steps: said(at(part, "text")), spent: { summary: at(part, "text") } };
      if (event.type === "tool_use") return { steps: [used(at(part, "tool"), at(part, "state", "input"))] };
      if (event.type === "error") return { steps: said(event.message ?? at(event, "error", "data", "message")) };
      if (event.type !== "step_finish") return {};
      const tokens = at(part, "tokens");
      return {
        spent: {
          costMicroUsd: microUsd(at(part, "cost")),
          inputTokens: sum([at(tokens, "input"), at(tokens, "cache", "read"), at(tokens, "cache", "write")]),
          outputTokens: sum([at(tokens, "output"), at(tokens, "reasoning")]),
        },
        isMore: true,
      };
    },
  },
} as const satisfies Record<string, AgentPreset>;
export type AgentName = keyof typeof agents;

const isCount = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value) && value >= 0;
/** The usage of an agent as whole numbers within the server's limits. Invalid values are omitted. */
export const countsOf = (counted: Partial<Record<keyof Spent, unknown>>): Omit<Spent, "summary"> =>
  Object.fromEntries(
    numbers.flatMap((name) => {
      const value = counted[name];
      return isCount(value) ? [[name, Math.min(countMax, Math.round(value))]] : [];
    }),
  );
export const sum = (values: unknown[]): number => values.filter(isCount).reduce((total, value) => total + value, 0);
export const microUsd = (dollars: unknown) => (isCount(dollars) ? Math.round(dollars * 1_000_000) : undefined);

const numbers = ["costMicroUsd", "inputTokens", "outputTokens"] as const;
const countMax = 1e15;

/** Turns an agent's JSON lines into log entries. Logs other lines unchanged. */
export const readAgent =
  (read: AgentPreset["read"]) =>
  (log: Pick<RunLog, "add" | "write">): AgentOutput => {
    const spent: Spent = {};

    function take(line: string) {
      const event = parsed(line);
      if (!event) {
        if (line.trim() !== "") log.write(Buffer.from(`${line}\n`));
        return;
      }
      const { steps = [], spent: more = {}, isMore = false } = read(event);
      for (const { kind, text: words } of steps) if (words) log.add(kind, words);
      for (const name of numbers) {
        const value = more[name];
        if (isCount(value)) spent[name] = value + (isMore ? (spent[name] ?? 0) : 0);
      }
      if (text(more.summary)) spent.summary = text(more.summary);
    }

    const lines = takeLines(log, take);
    return {
      write: lines.write,
      end: () => {
        lines.end();
        const { summary } = spent;
        return { ...countsOf(spent), ...(summary !== undefined && { summary }) };
      },
    };
  };

function parsed(line: string): Event | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
