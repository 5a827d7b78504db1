import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { envelopePart } from "../../testing/encode-form.ts";
import { startDoor } from "../../testing/start-door.ts";
import { runCommand } from "../../testing/start-process.ts";

test("lodged keys lists an organisation's SDK keys and revokes one, whose name can then be used again", async () => {
  await using door = await startDoor();
  const world = {
    organisation: { name: "Acme", slug: "acme" },
    apps: [{ name: "Web", slug: "web", keys: ["default", "beta"] }],
  };
  const [made, beta] = (await door.apply(world)).apps[0]?.keys ?? [];
  assert.ok(made && beta);
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCommand(args, { ...door.env, LODGE_SECRET: randomUUID() });
    return code === 0 ? JSON.parse(stdout) : stderr;
  };
  const submit = async (key: string) => {
    const parts = [envelopePart({ reportId: randomUUID() })];
    return (await door.submit(parts, {}, { authorization: `Bearer ${key}` })).status;
  };
  const list = async () =>
    (await run("keys", "list", "acme")).map((key: Record<string, unknown>) => [
      key.id,
      key.app,
      key.name,
      key.key,
      key.revokedAt === null,
    ]);

  assert.deepEqual(await list(), [
    [made.id, "web", "default", made.key, true],
    [beta.id, "web", "beta", beta.key, true],
  ]);
  assert.equal(await submit(made.key), 200);

  const { id, revokedAt } = await run("keys", "revoke", made.id);
  assert.equal(id, made.id);
  assert.deepEqual([await submit(made.key), await submit(beta.key)], [401, 200]);
  assert.deepEqual(await run("keys", "revoke", made.id), { id, revokedAt }, "the time of the first revocation is kept");

  const again = (await door.apply(world)).apps[0]?.keys[0];
  assert.ok(again && again.id !== made.id && again.key !== made.key);
  assert.equal(await submit(again.key), 200);
  assert.deepEqual(await list(), [
    [made.id, "web", "default", made.key, false],
    [beta.id, "web", "beta", beta.key, true],
    [again.id, "web", "default", again.key, true],
  ]);

  assert.match(await run("keys", "list", "nobody"), /^There is no organisation "nobody"\.$/m);
  assert.match(await run("keys", "revoke", door.appId), /^There is no SDK key /m);
  assert.match(await run("keys", "revoke", "default"), /It must be a UUID/);
});
