import type * as sdk from "../src/node.ts";

// The program that the Node tests start and kill. It queues reports, prints the id of each, and then waits until all
// have a response, or throws an uncaught error.
const [path = "", options = "", count = "", end = ""] = process.argv.slice(2);
const { createLodge } = (await import(path)) as typeof sdk;
const lodge = createLodge(JSON.parse(options));
for (let made = 0; made < Number(count); made++) {
  const { reportId } = await lodge.report({
    title: `report ${made}`,
    attachments: [{ name: "log", data: "what was" }],
  });
  process.stdout.write(`${reportId}\n`);
}
if (end === "throw") {
  setImmediate(() => {
    throw new Error("nobody handles this", { cause: "password=hunter2" });
  });
}
if (end === "flush") process.stdout.write(`flushed ${await lodge.flush({ timeoutMs: 120_000 })}\n`);
