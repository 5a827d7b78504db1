import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { signedOutBodyBytesMax } from "../../people/access/guard-dashboard.ts";
import { moveSignInChallenge } from "../../people/access/passkeys.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal, unavailable } from "../../platform/errors.ts";
import { failAhead } from "../../platform/http/fail-ahead.ts";
import { type Credential, credential, type InBody, readCredential } from "./credential.ts";
import { home } from "./directory.ts";
import type { Locator } from "./locate.ts";

/** The server of a cell: its app's handler, and its database; undefined while the cell is down. */
export type Served = { answer: RequestListener; deps: Deps };

/**
 * Routes each request to its cell before reading the body, unless only the body shows the cell. Requests without a
 * cell, or with an unknown credential, go to home, which serves or refuses them. If the cell is down the request is
 * refused with `unavailable`.
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

/** Reads a request's body, up to the limit for people who are not signed in; the next reader still gets all of it. */
async function peekAtBody(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
  const length = Number(request.headers["content-length"]);
  if (!(length <= signedOutBodyBytesMax)) return undefined; // the request is refused
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
  // In the tick that read the last of it: after the stream has ended, nothing can be put back.
  if (body.length > 0) request.unshift(body);
  try {
    return JSON.parse(body.toString()) as unknown;
  } catch {
    return undefined; // its route reports it
  }
}

/** Waits until it is known whether there is more to read, and returns that. */
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
