import { createHash, randomUUID } from "node:crypto";
import { mkdir, open } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { Busboy } from "@fastify/busboy";
import { openPool } from "../apps/server/src/platform/database/database.ts";
import { createLog } from "../apps/server/src/platform/observe/log.ts";

// The minimum cost of receiving a report: node:http, the multipart parser, a hash, a flushed file for each attachment
// and one INSERT, without authentication or checks.
const { PORT, DATABASE_URL = "", APP_ID, KEY_ID, FOLDER = "" } = process.env;
const pool = openPool({ connectionString: DATABASE_URL }, createLog("warn"));
await mkdir(FOLDER, { recursive: true });

const insertEvent = {
  name: "insert_event",
  text: "insert into events (app_id, report_id, sdk_key_id, envelope) values ($1, $2, $3, $4) returning id",
};

const server = createServer((request, response) => {
  if (request.url === "/readyz") {
    response.end("{}");
    return;
  }
  receive(request).then(
    (body) => response.writeHead(200, { "content-type": "application/json", "content-length": body.length }).end(body),
    (error: unknown) => {
      console.error(error);
      response.writeHead(500, { "content-length": 0 }).end();
    },
  );
});

async function receive(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  const files: Promise<string>[] = [];
  await new Promise<void>((resolve, reject) => {
    const parser = new Busboy({
      headers: request.headers as { "content-type": string },
      isPartAFile: () => true,
    });
    parser.on("file", (name: string, part: Readable) => {
      if (name === "envelope") part.on("data", (chunk: Buffer) => chunks.push(chunk));
      else files.push(save(part));
    });
    parser.on("finish", resolve);
    parser.on("error", reject);
    request.pipe(parser);
  });
  const hashes = await Promise.all(files);
  const envelope = Buffer.concat(chunks);
  const values = [APP_ID, JSON.parse(envelope.toString()).reportId, KEY_ID, envelope];
  const { rows } = await pool.query<{ id: string }>({ ...insertEvent, values });
  return JSON.stringify({ eventId: rows[0]?.id, hashes });
}

async function save(part: Readable): Promise<string> {
  const hash = createHash("sha256");
  const file = await open(join(FOLDER, randomUUID()), "wx");
  for await (const chunk of part as AsyncIterable<Buffer>) {
    hash.update(chunk);
    await file.write(chunk);
  }
  await file.datasync();
  await file.close();
  return hash.digest("hex");
}

process.once("SIGTERM", () => server.close(() => void pool.end()));
server.listen(Number(PORT), "127.0.0.1");
