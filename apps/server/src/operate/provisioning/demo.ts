import { createHash, randomBytes } from "node:crypto";
import type { Permission } from "@lodge/contract/roles";
import type { World } from "@lodge/contract/world";
import { base62 } from "../../platform/base62.ts";
import type { Deps } from "../../platform/deps.ts";
import { applyWorld } from "./apply-world.ts";

/**
 * Creates the demo organisation in a database without any. Returns a function that tells how to use it at a server, or
 * undefined.
 */
export async function applyDemo({
  db,
  clock,
}: Pick<Deps, "db" | "clock">): Promise<((urls: Deps["urls"]) => string) | undefined> {
  const found = await db.selectFrom("organisations").select("id").limit(1).executeTakeFirst();
  if (found) return undefined;
  const password = base62(randomBytes(12), 17);
  const { tokens, apps } = await applyWorld({ db, clock }, demoWorld(password));
  return (urls) => `
  Lodge has a demo organisation. This is shown once.

  Dashboard   ${urls.base}
  Sign in     demo@lodge.test   ${password}
  API token   ${tokens[0]?.secret}
  SDK key     ${apps[0]?.keys[0]?.key}

  File a ticket:

    curl ${urls.base}/api/v1/tickets \\
      -H 'Authorization: Bearer ${tokens[0]?.secret}' \\
      -H 'Content-Type: application/json' \\
      -d '{"title": "Nightly build is red", "priority": "high"}'

  Submit a report with a screenshot:

${submitReport(urls.ingest, apps[0]?.keys[0]?.key ?? "")}
`;
}

/** Enough for every sample in /docs, and no permission to change anything other than tickets. */
const demoPermissions: Permission[] = [
  "tickets:write",
  "tickets:read",
  "tickets:edit",
  "projects:read",
  "events:read",
  "problems:read",
];

const demoWorld = (password: string): World => ({
  organisation: { name: "Demo", slug: "demo", plan: "free", credits: 10 },
  members: [{ email: "demo@lodge.test", name: "Demo", role: "owner", password }],
  projects: [
    {
      name: "Web",
      slug: "web",
      boards: [{ name: "Inbox", columns: ["Backlog", "Doing", "Done"], doneColumn: "Done" }],
    },
  ],
  tokens: [{ name: "CI", scope: ["web"], permissions: demoPermissions }],
  apps: [{ name: "iOS", slug: "ios", keys: ["default"] }],
});

/** A one-pixel picture stands for the screenshot, so that the command works wherever it is pasted. */
function submitReport(ingestUrl: string, key: string): string {
  const picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const bytes = Buffer.from(picture, "base64");
  const envelope = JSON.stringify({
    reportId: "my-first-report",
    kind: "crash",
    title: "The cart is empty after signing in",
    attachments: [
      {
        partName: "screenshot",
        sha256: createHash("sha256").update(bytes).digest("hex"),
        byteLength: bytes.length,
        filename: "screenshot.png",
        contentType: "image/png",
      },
    ],
  });
  return `    echo ${picture} | base64 -d |
    curl ${ingestUrl}/api/ingest \\
      -H 'Authorization: Bearer ${key}' \\
      -F 'envelope=${envelope};type=application/json' \\
      -F 'screenshot=@-;filename=screenshot.png;type=image/png'`;
}
