import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { runCommand } from "../src/run-command.ts";

const mebibyte = 1_048_576;

test("of what is said to a command that does not listen a part is kept, however much it asks", async () => {
  const tree = await mkdtemp(join(tmpdir(), "lodge-command-"));
  // It reads what was kept for it, says so, and counts all that came before the end.
  const listens = `let length = 0, isTold = false;
    process.stdin.on("data", (piece) => {
      length += piece.length;
      if (!isTold && length >= ${17 * mebibyte}) {
        isTold = true;
        console.log("more");
      }
      if (piece.at(-1) !== 46) return;
      console.log(length - 1);
      process.exit();
    })`;
  let heard = "";
  let say: (line: string) => void = () => {};
  try {
    const end = await runCommand({
      command: `exec '${process.execPath}' -e '${listens}'`,
      folders: { tree, ticketFile: "", proxySocket: "", questionSocket: "", bin: tree, etc: "" },
      env: { LODGE_RUN_ID: tree },
      readable: [],
      limits: { timeoutMs: 120_000, memoryBytesMax: 1_073_741_824, processesMax: 200 },
      isSandboxed: false,
      host: { PATH: process.env.PATH ?? "", HOME: tree },
      onOutput: (piece) => {
        heard += piece.toString();
        if (heard === "more\n") say(".");
      },
      converse: (send) => {
        say = send;
        for (let said = 0; said < 64; said++) send("x".repeat(mebibyte));
      },
      waitedMs: () => 0,
      signal: new AbortController().signal,
    });
    assert.deepEqual(end, { kind: "exited", code: 0 });
    assert.equal(heard, `more\n${17 * mebibyte}\n`);
  } finally {
    await rm(tree, { recursive: true });
  }
});
