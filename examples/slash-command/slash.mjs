// A slash command of Slack, "/ticket The checkout is down", that files a ticket and answers with its address.
// Needs Node 20 and nothing else: SLACK_SIGNING_SECRET=… LODGE_URL=… LODGE_TOKEN=ldg_… node slash.mjs
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const { SLACK_SIGNING_SECRET = "", LODGE_URL = "", LODGE_TOKEN = "", PORT = "4091", HOST = "127.0.0.1" } = process.env;
const bodyBytesMax = 100_000;
const toleranceSeconds = 300;

if (!SLACK_SIGNING_SECRET || !LODGE_URL || !LODGE_TOKEN) {
  console.error("Set SLACK_SIGNING_SECRET, LODGE_URL and LODGE_TOKEN.");
  process.exit(1);
}

createServer(async (request, response) => {
  const body = await readBody(request);
  if (request.method !== "POST" || !body || !isFromSlack(request.headers, body)) return response.writeHead(401).end();
  const command = new URLSearchParams(body.toString("utf8"));
  const text = await fileTicket(command).catch((error) => `No ticket was filed: ${error.message}`);
  response
    .writeHead(200, { "content-type": "application/json" })
    .end(JSON.stringify({ response_type: "in_channel", text }));
}).listen(Number(PORT), HOST, () => console.log(`Waiting for commands at http://${HOST}:${PORT}/`));

/** Slack repeats a command after a timeout. The trigger_id as idempotency key prevents a second ticket. */
async function fileTicket(command) {
  const title = [...(command.get("text") ?? "").trim()].slice(0, 200).join("");
  if (!title) return "Say what the ticket is about: /ticket The checkout is down";
  const answer = await fetch(`${LODGE_URL}/api/v1/tickets`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${LODGE_TOKEN}`,
      "content-type": "application/json",
      "idempotency-key": `slack-${command.get("trigger_id")}`,
    },
    body: JSON.stringify({
      title,
      description: `Filed by ${command.get("user_name")} in #${command.get("channel_name")}.`,
    }),
    signal: AbortSignal.timeout(2500), // Slack waits for three seconds
  });
  const { url, error, message } = await answer.json();
  if (!answer.ok) throw new Error(`${error}. ${message}`);
  return `${title}: ${url}`;
}

function isFromSlack(headers, body) {
  const { "x-slack-request-timestamp": timestamp = "", "x-slack-signature": signature = "" } = headers;
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) < toleranceSeconds)) return false;
  const expected = `v0=${createHmac("sha256", SLACK_SIGNING_SECRET).update(`v0:${timestamp}:`).update(body).digest("hex")}`;
  return signature.length === expected.length && timingSafeEqual(Buffer.from(signature), Buffer.from(expected));
}

async function readBody(request) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > bodyBytesMax) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
