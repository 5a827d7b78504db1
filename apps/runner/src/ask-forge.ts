import { setTimeout as sleep } from "node:timers/promises";

/** The API of a forge. Forgejo has the same API as Gitea. */
export type Forge = { kind: "github" | "gitlab" | "gitea"; api: string };

/** A request that the forge refused or did not answer. The message quotes the forge. */
export class ForgeError extends Error {
  override name = "ForgeError";
  /** The status of the forge's response; undefined if there was none. */
  readonly status: number | undefined;
  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

const attemptsMax = 5;
const requestTimeoutMs = 30_000;
const waitMsMax = 60_000;
const pauseMs = 1_000;

/** A forge and the token for its API. */
export type AskForge = { forge: Forge; token: string; signal: AbortSignal };

/** An unvalidated JSON object. */
export type Fields = { readonly [name: string]: unknown };
export const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? (value as Fields) : {};
export const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : []);

/** Sends a request to a forge. Retries rate limits of up to a minute and server errors. Throws a `ForgeError`. */
export async function askForge({ forge, token, signal }: AskForge, method: string, address: string, body?: object) {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(`${forge.api}${address}`, {
      method,
      redirect: "error",
      signal: AbortSignal.any([signal, AbortSignal.timeout(requestTimeoutMs)]),
      headers: {
        authorization: `Bearer ${token}`,
        accept: forge.kind === "github" ? "application/vnd.github+json" : "application/json",
        "user-agent": "lodge-agent-runner",
        ...(body && { "content-type": "application/json" }),
      },
      ...(body && { body: JSON.stringify(body) }),
    }).catch((error: unknown) => {
      signal.throwIfAborted();
      return (error as Error).message;
    });
    const waitMs = typeof response === "string" ? pauseMs * 2 ** attempt : waitOf(response, attempt);
    if (typeof response !== "string" && (waitMs === undefined || attempt === attemptsMax)) {
      return { status: response.status, body: (await response.json().catch(() => undefined)) as unknown };
    }
    if (attempt === attemptsMax) throw new ForgeError(`${names[forge.kind]} cannot be reached: ${response}`);
    await sleep(waitMs, undefined, { signal });
  }
}

/** The delay before a retry; undefined if the response is final or the delay would be too long. */
function waitOf({ status, headers }: Response, attempt: number): number | undefined {
  const isLimited = status === 429 || (status === 403 && headers.get("x-ratelimit-remaining") === "0");
  if (!isLimited) return status >= 500 ? pauseMs * 2 ** (attempt - 1) : undefined;
  const seconds = headers.get("retry-after");
  const reset = headers.get("x-ratelimit-reset") ?? headers.get("ratelimit-reset");
  const waitMs = seconds ? Number(seconds) * 1000 : reset ? Number(reset) * 1000 - Date.now() : pauseMs * 2 ** attempt;
  return waitMs <= waitMsMax ? Math.max(waitMs, 0) : undefined;
}

/** A `ForgeError` with the forge's own message. */
export const refusalOf = ({ kind }: Forge, { status, body }: { status: number; body: unknown }): ForgeError =>
  new ForgeError(`${names[kind]} answered ${status}: ${wordsOf(body)}`, status);

const names = { github: "GitHub", gitlab: "GitLab", gitea: "Gitea" } as const;

/** The message and details in a forge's error, or else the whole body. */
export function wordsOf(body: unknown): string {
  const { message, error, errors } = fieldsOf(body);
  const details = listOf(errors).map((detail) => detail.message ?? detail.code);
  const words = [message ?? error, ...details].flatMap((part) =>
    part === undefined || part === null ? [] : typeof part === "string" ? part : JSON.stringify(part),
  );
  return (words.join("; ") || JSON.stringify(body ?? "")).slice(0, 1_000);
}
