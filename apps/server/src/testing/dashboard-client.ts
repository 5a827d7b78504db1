import { createHmac, randomBytes } from "node:crypto";
import { type Caller, createCaller } from "@lodge/contract/call";
import type { World } from "@lodge/contract/world";
import { describeSession } from "../people/access/describe-session.ts";
import { sessionCookieName } from "../people/access/session-cookie.ts";
import { hashSessionToken } from "../people/access/session-token.ts";
import type { Client } from "./start-service.ts";

/** A browser's side of the dashboard's API: keeps its cookies, and sends its origin. */
export type DashboardClient = {
  /** Sends a request to a path below `/api/dashboard`, and returns any response. */
  (method: string, path: string, body?: unknown, headers?: Record<string, string>): ReturnType<Client["request"]>;
  /** Calls an operation, as the dashboard does. */
  call: Caller;
  cookies: Map<string, string>;
};

/** The password of everybody in `twoOrganisations`. */
export const password = "correct horse battery";

const sessionMs = 7 * 86_400_000;

/** A client that is not signed in. */
export function visitor(lodge: Client): DashboardClient {
  const cookies = new Map<string, string>();
  const send: (...request: Parameters<DashboardClient>) => ReturnType<DashboardClient> = async (
    method,
    path,
    body,
    headers,
  ) => {
    const answer = await lodge.request(method, `/api/dashboard${path}`, {
      headers: {
        ...headers,
        origin: new URL(lodge.url).origin,
        ...(cookies.size > 0 && { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") }),
      },
      body,
    });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === "" || /max-age=0/i.test(cookie)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return answer;
  };
  const call = createCaller({
    fetch: async (address, { method = "GET", body } = {}) => {
      const path = String(address).slice("/api/dashboard".length);
      const { status, headers, text } = await send(method, path, body == null ? undefined : JSON.parse(String(body)));
      return new Response(text || null, { status, headers });
    },
  });
  return Object.assign(send, { call, cookies });
}

/**
 * A person who is signed in: the session is created directly, without the tenth of a second that checking a password
 * takes. Sign-in itself has its own tests.
 */
export async function signedIn(lodge: Client, email: string): Promise<DashboardClient> {
  const { db, urls, secret, clock } = lodge.deps;
  const token = randomBytes(24).toString("base64url");
  const { id } = await db
    .insertInto("sessions")
    .columns(["user_id", "token_sha256", "expires_at"])
    .expression((make) =>
      make
        .selectFrom("users")
        .where("email", "=", email)
        .where("provider_organisation_id", "is", null)
        .select([
          "id",
          make.val(hashSessionToken(token)).as("token_sha256"),
          make.val(new Date(clock.now().getTime() + sessionMs)).as("expires_at"),
        ]),
    )
    .returning("id")
    .executeTakeFirstOrThrow();
  await describeSession(lodge.deps, id); // this chooses the organisation
  const client = visitor(lodge);
  const signature = createHmac("sha256", secret).update(token).digest("base64");
  client.cookies.set(sessionCookieName(urls.base), encodeURIComponent(`${token}.${signature}`));
  return client;
}

/** Acme with an owner, an admin and a member, a project, a board and a token; and Umbra with the same, and Eve. */
export async function twoOrganisations(lodge: Client) {
  const acme = await lodge.apply(organisation("Acme", { ada: "owner", grace: "admin", mel: "member" }));
  const umbra = await lodge.apply(organisation("Umbra", { eve: "owner" }));
  return { acme, umbra };
}

const organisation = (name: string, members: Record<string, "owner" | "admin" | "member">): World => ({
  organisation: { name, slug: name.toLowerCase(), credits: 1 },
  members: Object.entries(members).map(([first, role]) => ({
    email: `${first}@${name.toLowerCase()}.test`,
    name: `${first[0]?.toUpperCase()}${first.slice(1)} ${name}`,
    role,
    password,
  })),
  projects: [
    {
      name: "Web",
      slug: "web",
      repositories: [{ name: "web", url: "https://git.example.test/web.git" }],
      boards: [{ name: "Inbox", columns: ["Backlog", "Doing", "Done"] }],
    },
    { name: "Mobile", slug: "mobile", boards: [{ name: "Inbox", columns: ["Backlog"] }] },
  ],
  tokens: [{ name: "CI", scope: ["web"], permissions: ["tickets:write"] }],
});
