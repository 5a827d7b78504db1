import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** Resolves when a child process accepts connections at a port; throws with its output if it ends first. */
export async function untilListening(child: ChildProcess, port: number): Promise<void> {
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  let failure: Error | undefined;
  child.on("error", (error) => {
    failure = error;
  });
  while (child.exitCode === null && child.signalCode === null && !failure) {
    const socket = connect(port, "127.0.0.1");
    const isListening = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isListening) return;
    await sleep(10);
  }
  throw failure ?? new Error(`${child.spawnfile} ended with ${child.exitCode ?? child.signalCode}:\n${output}`);
}
