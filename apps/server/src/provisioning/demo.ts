import { randomBytes } from "node:crypto";
import type { World } from "@lodge/contract/world";
import { base62 } from "../platform/base62.ts";
import type { Deps } from "../platform/deps.ts";
import { applyWorld } from "./apply-world.ts";

/** Makes the demo organisation in a database without any, and returns what its finder needs to know; else undefined. */
export async function applyDemo({ db, urls }: Pick<Deps, "db" | "urls">): Promise<string | undefined> {
  const found = await db.selectFrom("organisations").select("id").limit(1).executeTakeFirst();
  if (found) return undefined;
  const password = base62(randomBytes(12), 17);
  const { tokens } = await applyWorld(db, demoWorld(password));
  return `
  Lodge is ready, with a demo organisation. This is shown once.

  Dashboard   ${urls.base}
  Sign in     demo@lodge.test   ${password}
  API token   ${tokens[0]?.secret}

  File a ticket:

    curl ${urls.base}/api/v1/tickets \\
      -H 'Authorization: Bearer ${tokens[0]?.secret}' \\
      -H 'Content-Type: application/json' \\
      -d '{"title": "Nightly build is red", "priority": "high"}'
`;
}

const demoWorld = (password: string): World => ({
  organisation: { name: "Demo", slug: "demo", plan: "free", credits: 10 },
  members: [{ email: "demo@lodge.test", name: "Demo", role: "owner", password }],
  projects: [
    {
      name: "Web",
      slug: "web",
      boards: [{ name: "Inbox", columns: ["Backlog", "Doing", "Done"] }],
    },
  ],
  tokens: [{ name: "CI", scope: ["web"], permissions: ["tickets:write"] }],
});
