import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { twoOrganisations } from "../../testing/dashboard-client.ts";
import { readMetrics } from "../../testing/read-metrics.ts";
import { runCommand } from "../../testing/start-process.ts";
import { startService } from "../../testing/start-service.ts";

test("lodged token: an operator creates a token for the metrics, lists it and revokes it", async () => {
  await using lodge = await startService();
  const { acme, umbra } = await twoOrganisations(lodge);
  const run = (...args: string[]) => runCommand(["token", ...args], { ...lodge.env, LODGE_SECRET: randomUUID() });
  const printed = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(...args);
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };
  const refused = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(...args);
    assert.deepEqual([code, stdout], [1, ""]);
    return stderr;
  };
  const statusOfMetrics = async (secret: string) =>
    (await readMetrics(lodge, { authorization: `Bearer ${secret}`, "x-forwarded-for": "192.0.2.1" })).status;

  const made = await printed("create", "acme", "Prometheus", "--permission", "metrics:read");
  assert.deepEqual(Object.keys(made), ["id", "name", "secret"]);
  assert.equal(await statusOfMetrics(made.secret), 200);
  const filing = await printed("create", "acme", "Web", "--permission", "tickets:write", "--project", "web");
  const mobileId = acme.projects.find(({ slug }) => slug === "mobile")?.id;
  assert.equal((await lodge.fileTicket(filing.secret, { title: "t" })).status, 201);
  assert.equal((await lodge.fileTicket(filing.secret, { title: "t", projectId: mobileId })).status, 404);

  const listed = await printed("list", "acme");
  assert.deepEqual(
    listed.map(({ name, permissions }: { name: string; permissions: string[] }) => [name, permissions]),
    [
      ["CI", ["tickets:write"]],
      ["Prometheus", ["metrics:read"]],
      ["Web", ["tickets:write"]],
    ],
  );
  assert.ok(!JSON.stringify(listed).includes(made.secret));
  assert.equal((await printed("list", "umbra")).length, umbra.tokens.length);

  const revoked = await printed("revoke", made.id);
  assert.deepEqual(await printed("revoke", made.id), revoked, "revoking again changes nothing");
  assert.equal(await statusOfMetrics(made.secret), 401);

  const permission = ["--permission", "tickets:write"];
  assert.match(await refused("create", "nowhere", "x", ...permission), /There is no organisation "nowhere"/);
  assert.match(await refused("create", "acme", "CI", ...permission), /There is a token named "CI" already/);
  assert.match(await refused("create", "acme", "x", ...permission, "--project", "none"), /There is no project "none"/);
  assert.match(await refused("create", "acme", "x".repeat(81), ...permission), /at most 80 characters/);
  assert.match(await refused("create", "acme", "x", "--permission", "everything"), /Allowed choices are/);
  assert.match(await refused("list", "nowhere"), /There is no organisation/);
  assert.match(await refused("revoke", randomUUID()), /There is no token/);
});
