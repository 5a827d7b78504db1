import { createHmac, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { compileCheck } from "@lodge/contract/problems";
import type { World } from "@lodge/contract/world";
import { describeSession } from "../access/describe-session.ts";
import { sessionCookieName } from "../access/session-cookie.ts";
import type { Service } from "./start-service.ts";

/** A browser's side of the dashboard's API: keeps its cookies, and says where it comes from. */
export type DashboardClient = {
  (method: string, path: string, body?: unknown): ReturnType<Service["request"]>;
  cookies: Map<string, string>;
};

/** The password of everybody in `twoOrganisations`. */
export const password = "correct horse battery";

const sessionMs = 7 * 86_400_000;

type Operation = { responses: Record<string, { content?: Record<string, { schema: object }> }> };

const { paths } = JSON.parse(readFileSync(new URL("../../../../docs/openapi.json", import.meta.url), "utf8")) as {
  paths: Record<string, Record<string, Operation>>;
};

/** Throws where an answer is not what the OpenAPI document says. */
function checkAnswer(method: string, path: string, status: number, body: unknown) {
  const sent = `/api/dashboard${path.split("?", 1)[0]}`;
  const known = Object.keys(paths).filter((known) => new RegExp(`^${known.replace(/\{\w+\}/g, "[^/]+")}$`).test(sent));
  const operation = known.map((name) => paths[name]?.[method.toLowerCase()]).find(Boolean);
  if (!operation) throw new Error(`${method} ${sent} is not documented`);
  const response = operation.responses[status] ?? operation.responses[`${Math.trunc(status / 100)}XX`];
  if (!response) throw new Error(`${method} ${sent} is not documented to answer ${status}`);
  const schema = response.content?.["application/json"]?.schema;
  const problems = schema ? compileCheck(schema).problemsOf(body) : [];
  if (problems.length > 0)
    throw new Error(`${method} ${sent} answered ${status} with ${JSON.stringify({ problems, body })}`);
}

/** Somebody who is not signed in; every answer is held against the OpenAPI document. Paths are those below `/api/dashboard`. */
export function visitor(lodge: Service): DashboardClient {
  const cookies = new Map<string, string>();
  const send = async (method: string, path: string, body?: unknown) => {
    const answer = await lodge.request(method, `/api/dashboard${path}`, {
      headers: {
        origin: new URL(lodge.url).origin,
        ...(cookies.size > 0 && { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") }),
      },
      body,
    });
    checkAnswer(method, path, answer.status, answer.body);
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === "" || /max-age=0/i.test(cookie)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return answer;
  };
  return Object.assign(send, { cookies });
}

/**
 * Somebody who has signed in: a session such as signing in makes, without the tenth of a second that checking a password
 * takes. Signing in itself is for the tests of it.
 */
export async function signedIn(lodge: Service, email: string): Promise<DashboardClient> {
  const { db, urls, secret } = lodge.deps;
  const token = randomBytes(24).toString("base64url");
  const { id } = await db
    .insertInto("sessions")
    .columns(["user_id", "token", "expires_at"])
    .expression((make) =>
      make
        .selectFrom("users")
        .where("email", "=", email)
        .select(["id", make.val(token).as("token"), make.val(new Date(Date.now() + sessionMs)).as("expires_at")]),
    )
    .returning("id")
    .executeTakeFirstOrThrow();
  await describeSession(lodge.deps, id); // which chooses the organisation
  const client = visitor(lodge);
  const signature = createHmac("sha256", secret).update(token).digest("base64");
  client.cookies.set(sessionCookieName(urls.base), encodeURIComponent(`${token}.${signature}`));
  return client;
}

/** Acme with an owner, an admin and a member, a project, a board and a token; and Umbra with the same, and eve. */
export async function twoOrganisations(lodge: Service) {
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
