import { type Caller, createCaller } from "@lodge/contract/call";
import type { World } from "@lodge/contract/world";
import type { Client } from "./start-service.ts";

/** A browser's side of the dashboard's API: keeps its cookies, and says where it comes from. */
export type DashboardClient = {
  /** Sends a request to a path below `/api/dashboard`, whatever comes of it. */
  (method: string, path: string, body?: unknown): ReturnType<Client["request"]>;
  /** Calls an operation, as the dashboard does. */
  call: Caller;
  cookies: Map<string, string>;
};

/** The password of everybody in `twoOrganisations`. */
export const password = "correct horse battery";

/** Somebody who is not signed in. */
export function visitor(lodge: Client): DashboardClient {
  const cookies = new Map<string, string>();
  const send = async (method: string, path: string, body?: unknown) => {
    const answer = await lodge.request(method, `/api/dashboard${path}`, {
      headers: {
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

/** Somebody who has signed in. */
export async function signedIn(lodge: Client, email: string): Promise<DashboardClient> {
  const client = visitor(lodge);
  const { status, text } = await client("POST", "/session", { email, password });
  if (status !== 200) throw new Error(`${email} cannot sign in: ${text}`);
  return client;
}

/** Acme with an owner, an admin and a member, a project, a board and a token; and Umbra with the same, and eve. */
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
