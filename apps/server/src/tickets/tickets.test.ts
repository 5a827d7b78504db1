import assert from "node:assert/strict";
import { test } from "node:test";
import { startService } from "../testing/start-service.ts";

test("a ticket is filed", async () => {
  await using lodge = await startService();
  const { tokens } = await lodge.apply({
    organisation: { name: "Acme", slug: "acme" },
    projects: [{ name: "Web", slug: "web", boards: [{ name: "Inbox", columns: ["Backlog"] }] }],
    tokens: [{ name: "CI", scope: "all", permissions: ["tickets:write"] }],
  });
  const filed = await lodge.fileTicket(tokens[0]?.secret, { title: "t" });
  assert.equal(filed.status, 201);
});
