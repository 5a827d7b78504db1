import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdir, stat } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { signedIn, twoOrganisations } from "./dashboard-client.ts";
import { answerTo, runWebProxy, type WebProxy, webProxies } from "./run-web-proxy.ts";
import { startService } from "./start-service.ts";
import { subscribe } from "./subscribe.ts";

const form = "multipart/form-data; boundary=b";
const formHeaders = (key: string, bytes: number) => ({
  authorization: `Bearer ${key}`,
  "content-type": form,
  "content-length": bytes,
});

/** A report with one attachment of `bytes` bytes, as sent over the wire. */
function report(reportId: string, bytes: number): Buffer {
  const attachment = randomBytes(bytes);
  const sha256 = createHash("sha256").update(attachment).digest("hex");
  const envelope = JSON.stringify({ reportId, attachments: [{ partName: "a", sha256, byteLength: bytes }] });
  return Buffer.concat([
    Buffer.from(`--b\r\ncontent-disposition: form-data; name="envelope"\r\n\r\n${envelope}\r\n`),
    Buffer.from('--b\r\ncontent-disposition: form-data; name="a"; filename="a"\r\n\r\n'),
    attachment,
    Buffer.from("\r\n--b--\r\n"),
  ]);
}

async function largestFile(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true });
  const sizes = entries.map((entry) =>
    stat(join(folder, entry)).then(
      (found) => (found.isFile() ? found.size : 0),
      () => 0, // it was renamed meanwhile
    ),
  );
  return Math.max(0, ...(await Promise.all(sizes)));
}

function submit(proxy: WebProxy, key: string, body: Buffer, from = "127.0.0.1", headers: Record<string, string> = {}) {
  const sent = proxy.request("POST", "/api/ingest", from, { ...formHeaders(key, body.length), ...headers });
  sent.end(body);
  return answerTo(sent);
}

for (const which of webProxies) {
  test(`behind ${which} a report of 20 MB is accepted, and reaches the server while it is being sent`, async () => {
    await using lodge = await startService();
    await using proxy = await runWebProxy(which, lodge.url);
    const { key } = await subscribe(lodge, []);
    const body = report("large", 20_000_000);
    const sent = proxy.request("POST", "/api/ingest", "127.0.0.1", formHeaders(key, body.length));
    sent.write(body.subarray(0, 10_000_000));
    while ((await largestFile(lodge.deps.config.dataDir)) < 5_000_000) await setImmediate();
    sent.end(body.subarray(10_000_000));
    const { status, text } = await answerTo(sent);
    assert.equal(status, 200, text);
  });

  test(`behind ${which} a refused report gets its answer, and the server stops without waiting for the rest of its body`, async () => {
    await using lodge = await startService();
    await using proxy = await runWebProxy(which, lodge.url);
    const body = report("refused", 20_000_000);
    const sent = proxy.request("POST", "/api/ingest", "127.0.0.1", formHeaders("ldgpub_wrong", body.length));
    sent.on("error", () => {}); // Caddy stops reading
    sent.end(body);
    assert.equal((await answerTo(sent)).status, 401);
  });

  test(`behind ${which} live events arrive as they happen`, async () => {
    await using lodge = await startService();
    await using proxy = await runWebProxy(which, lodge.url);
    const { acme } = await twoOrganisations(lodge);
    const { cookies } = await signedIn(lodge, "mel@acme.test");
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const sent = proxy.request("GET", "/api/dashboard/events", "127.0.0.1", { cookie, "accept-encoding": "gzip" });
    sent.end();
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    assert.equal(response.statusCode, 200);
    await lodge.fileTicket(acme.tokens[0]?.secret, { title: "t" });
    let seen = "";
    for await (const chunk of response.setEncoding("utf8")) {
      seen += chunk;
      if (seen.includes("event: ticket.filed")) break;
    }
    sent.destroy();
  });

  test(`behind ${which} clients are distinguished by the address that the proxy saw, not by one that they claim`, async () => {
    await using lodge = await startService({
      LODGE_TRUSTED_PROXIES: "127.0.0.1",
      LODGE_INGEST_RATE_LIMITS: "on",
      LODGE_INGEST_IP_RATE_PER_MINUTE: "1",
    });
    await using proxy = await runWebProxy(which, lodge.url);
    const { key } = await subscribe(lodge, []);
    const from = async (address: string, headers?: Record<string, string>) =>
      (await submit(proxy, key, report("r", 10), address, headers)).status;
    assert.equal(await from("127.0.0.2"), 200);
    assert.equal(await from("127.0.0.2"), 429);
    assert.equal(await from("127.0.0.2", { "x-forwarded-for": "198.51.100.7" }), 429);
    assert.equal(await from("127.0.0.3"), 200);
  });
}
