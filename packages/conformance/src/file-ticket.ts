import { request, type Seen } from "./request.ts";
import { expect } from "./row.ts";
import type { Subject } from "./subject.ts";

/** The title of each ticket that the checks file. */
export const title = "Conformance";

/** Makes a function that files tickets with a token: `POST /api/v1/tickets`. */
export const ticketFiler =
  ({ base }: Subject, token: string) =>
  (body: unknown, headers: Record<string, string> = {}, authorization = `Bearer ${token}`): Promise<Seen> =>
    request(`${base}/api/v1/tickets`, {
      method: "POST",
      headers: { authorization, "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });

/** Expects that a ticket was filed. */
export const expectFiled = ({ status, text }: Seen): void =>
  expect(status === 201, `expected 201, got ${status} ${text.slice(0, 200)}`);
