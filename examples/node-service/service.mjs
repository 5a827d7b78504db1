// A service that reports its errors to the Lodge server in LODGE_URL. PORT defaults to any free port.
import { createServer } from "node:http";
import { createLodge } from "@lodge/sdk";

const { LODGE_URL, LODGE_KEY } = process.env;
if (!LODGE_URL || !LODGE_KEY) {
  console.error("Set LODGE_URL and LODGE_KEY (the SDK key of an app).");
  process.exit(1);
}

const lodge = createLodge({
  ingestUrl: LODGE_URL,
  key: LODGE_KEY,
  app: { version: "1.0.0" },
  queue: { directory: process.env.LODGE_QUEUE },
  capture: { errors: true }, // uncaught errors are on the disk before the process ends
});

const server = createServer(async (request, response) => {
  try {
    if (request.url === "/fail") throw new Error("the basket is empty");
    response.end("ok\n");
  } catch (error) {
    const { reportId } = await lodge.report({
      error,
      tags: { path: request.url },
      context: { method: request.method },
    });
    response.writeHead(500).end(`${reportId}\n`);
  }
});
server.listen(process.env.PORT ?? 0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));

process.on("SIGTERM", async () => {
  server.close();
  server.closeIdleConnections();
  await lodge.flush({ timeoutMs: 5000 }); // the next start sends the rest
  await lodge.close();
});
