import assert from "node:assert/strict";
import { chmod, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { readConfig } from "./config.ts";
import { readSecret } from "./secret.ts";

test("the first process creates the secret, and only its owner can read it", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "lodge-secret-"));
  try {
    const config = readConfig({ LODGE_DATA_DIR: dataDir });
    const [first, ...others] = await Promise.all(Array.from({ length: 8 }, () => readSecret(config)));
    assert.ok(first && first.length >= 32);
    assert.ok(others.every((secret) => secret === first));
    assert.equal(await readSecret(config), first);
    assert.equal((await stat(join(dataDir, "secret"))).mode & 0o777, 0o600);
    assert.deepEqual(await readdir(dataDir), ["secret"]);

    const own = "a secret of the operator's, long enough";
    assert.equal(await readSecret({ ...config, secret: own }), own);
    await writeFile(join(dataDir, "secret"), "short");
    await assert.rejects(readSecret(config), /too short/);
  } finally {
    await rm(dataDir, { recursive: true });
  }
});

test("a secret that others can write is refused", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "lodge-secret-"));
  try {
    const config = readConfig({ LODGE_DATA_DIR: dataDir });
    const secret = await readSecret(config);
    for (const mode of [0o620, 0o602, 0o666]) {
      await chmod(join(dataDir, "secret"), mode);
      await assert.rejects(readSecret(config), /Other users can write to the secret .*chmod 600/);
    }
    await chmod(join(dataDir, "secret"), 0o640);
    assert.equal(await readSecret(config), secret, "the operator can let a group read the secret");
  } finally {
    await rm(dataDir, { recursive: true });
  }
});
