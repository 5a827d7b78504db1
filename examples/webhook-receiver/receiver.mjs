// Receives reports from Lodge: checks the signature of each message, then prints the report.
// Needs Node 20 and nothing else: WEBHOOK_SECRET=whsec_… node receiver.mjs
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const { WEBHOOK_SECRET = "", PORT = "4090", HOST = "127.0.0.1" } = process.env;
const bodyBytesMax = 1_000_000;
const toleranceSeconds = 300;

if (!WEBHOOK_SECRET.startsWith("whsec_")) {
  console.error("Set WEBHOOK_SECRET to the secret that lodged apply printed.");
  process.exit(1);
}
const key = Buffer.from(WEBHOOK_SECRET.slice("whsec_".length), "base64");
const seen = new Set(); // a message may arrive twice; a real receiver stores the ids durably

createServer(async (request, response) => {
  const answer = (status) => response.writeHead(status).end();
  if (request.method !== "POST") return answer(405);
  const body = await readBody(request);
  if (!body) return answer(413);
  if (!isAuthentic(request.headers, body)) return answer(401);
  answer(204); // respond first, and do slow work afterwards
  const id = request.headers["webhook-id"];
  if (seen.has(id)) return;
  seen.add(id);
  print(JSON.parse(body.toString("utf8")));
}).listen(Number(PORT), HOST, () => console.log(`Waiting for reports at http://${HOST}:${PORT}/`));

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

/** Standard Webhooks: HMAC-SHA256 of id, timestamp and body; one valid signature is enough while secrets rotate. */
function isAuthentic(headers, body) {
  const { "webhook-id": id = "", "webhook-timestamp": timestamp = "", "webhook-signature": signatures = "" } = headers;
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) < toleranceSeconds)) return false;
  const expected = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
  return signatures.split(" ").some((signature) => {
    const [version, digest = ""] = signature.split(",");
    const given = Buffer.from(digest, "base64");
    return version === "v1" && given.length === expected.length && timingSafeEqual(given, expected);
  });
}

function print({ data }) {
  const { kind = "bug", title = "", message = "" } = data.envelope ?? {};
  console.log(`\n${data.receivedAt}  verified  ${kind}: ${title || data.reportId}`);
  if (message) console.log(message);
  if (data.envelopeUrl) console.log(`envelope     ${data.envelopeUrl}`);
  for (const { filename, partName, byteLength, url } of data.attachments) {
    console.log(`attachment   ${filename ?? partName} (${byteLength} bytes) ${url}`);
  }
}
