import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { strangersBodyBytesMax } from "../../people/access/guard-dashboard.ts";
import { moveSignInChallenge } from "../../people/access/passkeys.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal, unavailable } from "../../platform/errors.ts";
import { failAhead } from "../../platform/http/fail-ahead.ts";
import { type Credential, credential, type InBody, readCredential } from "./credential.ts";
import { home } from "./directory.ts";
import type { Locator } from "./locate.ts";

/** The server of a cell: its app's handler, and its database; undefined while the cell is away. */
export type Served = { answer: RequestListener; deps: Deps };

/**
 * Hands each request to the cell that it is at home in, before any of its body is read, but for what says where that is
 * in its body alone. Requests for no cell, or with an unknown credential, go to home, which serves or refuses them.
 * Where the cell is away the request is refused with `unavailable`.
 */
export function routeRequests(
  homeDeps: Deps,
  homeAnswer: RequestListener,
  locator: Locator,
  cellOf: (name: string) => Served | undefined,
): RequestListener {
  function hand(cell: string, request: IncomingMessage, response: ServerResponse) {
    if (cell === home) return homeAnswer(request, response);
    const served = cellOf(cell);
    if (served) return served.answer(request, response);
    fail(unavailable(), request, response);
  }

  function fail(error: unknown, request: IncomingMessage, response: ServerResponse) {
    failAhead(request, error);
    homeAnswer(request, response);
  }

  async function look(asked: Credential | InBody, request: IncomingMessage, response: ServerResponse) {
    try {
      const body = typeof asked === "string" ? await peekAtBody(request, response) : undefined;
      const shown = typeof asked === "string" ? readBodyCredential(asked, body) : asked;
      const found = shown && (await locator.find(shown));
      if (shown?.kind === "invitation" && request.method === "POST" && found?.email !== undefined) {
        const elsewhere = await locator.findElsewhere(credential("person", found.email), found.cell);
        if (elsewhere) throw new Refusal("person_elsewhere");
      }
      const cell = found?.cell ?? home;
      if (shown?.kind === "passkey" && cell !== home) {
        const served = cellOf(cell);
        if (served) await moveSignInChallenge(homeDeps, served.deps, clientDataOf(body));
      }
      hand(cell, request, response);
    } catch (error) {
      fail(error, request, response);
    }
  }

  return (request, response) => {
    const asked = readCredential(homeDeps, request);
    if (asked === undefined) return homeAnswer(request, response);
    const cell = typeof asked === "string" ? undefined : locator.recall(asked);
    if (cell === undefined) void look(asked, request, response);
    else hand(cell, request, response);
  };
}

/** The body of a request, up to the limit for people who are not signed in; the next reader gets all of it. */
async function peekAtBody(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
  const length = Number(request.headers["content-length"]);
  if (!(length <= strangersBodyBytesMax)) return undefined; // which is refused
  if (request.headers.expect?.toLowerCase() === "100-continue") response.writeContinue();
  const chunks: Buffer[] = [];
  for (let bytes = 0; bytes < length; ) {
    const chunk = request.read() as Buffer | null;
    if (chunk) {
      chunks.push(chunk);
      bytes += chunk.length;
    } else if (!(await untilReadable(request))) break;
  }
  const body = Buffer.concat(chunks);
  // In the same turn in which the last of it was read: a body that is taken for ended takes nothing back.
  if (body.length > 0) request.unshift(body);
  try {
    return JSON.parse(body.toString()) as unknown;
  } catch {
    return undefined; // its route says so
  }
}

/** Whether there is more to read, once that is known. */
function untilReadable(request: IncomingMessage): Promise<boolean> {
  if (request.destroyed || request.readableEnded) return Promise.resolve(false);
  return new Promise((resolve) => {
    const settle = (more: boolean) => () => {
      for (const [event, listener] of listeners) request.off(event, listener);
      resolve(more);
    };
    const listeners = [
      ["readable", settle(true)],
      ["end", settle(false)],
      ["close", settle(false)],
      ["error", settle(false)],
    ] as const;
    for (const [event, listener] of listeners) request.on(event, listener);
  });
}

function readBodyCredential(kind: InBody, body: unknown): Credential | undefined {
  if (kind === "email") {
    const { email } = (body ?? {}) as { email?: unknown };
    return typeof email === "string" && email.length <= 254 ? credential("person", email.toLowerCase()) : undefined;
  }
  const id = answerOf(body)?.id;
  return typeof id === "string" && id.length <= 2_000 ? credential("passkey", id) : undefined;
}

type PasskeyAnswer = { id?: unknown; response?: { clientDataJSON?: unknown } };
const answerOf = (body: unknown) => (body as { credential?: PasskeyAnswer } | undefined)?.credential;

function clientDataOf(body: unknown): string {
  const data = answerOf(body)?.response?.clientDataJSON;
  return typeof data === "string" ? data : "";
}
