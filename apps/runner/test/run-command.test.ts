import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { runCommand } from "../src/run-command.ts";

const mebibyte = 1_048_576;

test("a sandbox that is killed before it reports its first process still ends that process", async () => {
  const tree = await mkdtemp(join(tmpdir(), "lodge-command-"));
  // Simulates bubblewrap on a busy machine: its first process runs and holds the output open before it is reported.
  const slowSandbox = `#!/bin/sh
sleep 31337 &
first=$!
sleep 0.5
echo "{\\"child-pid\\": $first}" >&4
wait
`;
  await writeFile(join(tree, "bwrap"), slowSandbox, { mode: 0o755 });
  try {
    const end = await runCommand({
      command: "true",
      folders: { tree, ticketFile: "", proxySocket: "", questionSocket: "", bin: tree, etc: "" },
      env: {},
      readable: [],
      limits: { timeoutMs: 1, memoryBytesMax: 1_073_741_824, processesMax: 200 },
      isSandboxed: true,
      host: { PATH: `${tree}:${process.env.PATH}`, HOME: tree },
      onOutput: () => {},
      converse: undefined,
      waitedMs: () => 0,
      signal: new AbortController().signal,
    });
    assert.deepEqual(end, { kind: "ended", why: "timed_out" });
  } finally {
    await rm(tree, { recursive: true });
  }
});

test("the input buffer of a command that does not read is limited", async () => {
  const tree = await mkdtemp(join(tmpdir(), "lodge-command-"));
  // The command reads the buffered input, prints a line, and counts the bytes up to the end.
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
