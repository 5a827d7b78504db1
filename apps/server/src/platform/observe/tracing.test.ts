import assert from "node:assert/strict";
import { test } from "node:test";
import { envelopePart } from "../../testing/encode-form.ts";
import { logIntoMemory } from "../../testing/log-into-memory.ts";
import { type Collector, startCollector } from "../../testing/start-collector.ts";
import { startDoor } from "../../testing/start-door.ts";
import { startReceiver } from "../../testing/start-receiver.ts";
import { startService, withWorker } from "../../testing/start-service.ts";

type OtlpSpan = {
  name: string;
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[];
};
type Sent = {
  resourceSpans: { resource: { attributes: OtlpSpan["attributes"] }; scopeSpans: { spans: OtlpSpan[] }[] }[];
};

const sentTo = ({ bodies }: Collector) => bodies.flatMap((body) => (JSON.parse(body) as Sent).resourceSpans);
const spansOf = (collector: Collector) =>
  sentTo(collector).flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
const resourceOf = (collector: Collector) =>
  Object.fromEntries(
    (sentTo(collector)[0]?.resource.attributes ?? []).map(({ key, value }) => [key, value.stringValue]),
  );

test("a report's trace spans the client, the statements, the job and the receiver, and contains no secret", async () => {
  await using collector = await startCollector();
  await using receiver = await startReceiver();
  const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
  const secrets: string[] = ["only the reporter knows this", receiver.url];
  {
    await using lodge = await startDoor({
      ...withWorker,
      ...collector.env,
      OTEL_SERVICE_NAME: "lodged-test",
      LODGE_WEBHOOK_ALLOWED_NETWORKS: "127.0.0.1",
    });
    const { tokens } = await lodge.apply({
      organisation: { name: "Acme", slug: "acme" },
      apps: [{ name: "Web", slug: "web", subscribers: [{ kind: "webhook", url: `${receiver.url}/hook?word=sesame` }] }],
      tokens: [{ name: "CI", scope: "all", permissions: [] }],
    });
    const secret = tokens[0]?.secret ?? "";
    secrets.push(lodge.key, secret, "sesame");
    const parts = [envelopePart({ reportId: "r", message: secrets[0] })];
    const answer = await lodge.submit(parts, {}, { traceparent: `00-${traceId}-00f067aa0ba902b7-01` });
    assert.equal(answer.body.deliveryCount, 1);
    const authorization = `Bearer ${secret}`;
    const wrong = { traceparent: `00-${"0".repeat(32)}-00f067aa0ba902b7-01`, authorization };
    assert.equal((await lodge.request("GET", "/api/v1/token", { headers: wrong })).status, 200);
    await lodge.request("GET", "/healthz");
    await receiver.until(1);
  }
  const spans = spansOf(collector);
  const find = (name: string) => spans.find((span) => span.name === name);
  const ingest = find("POST /api/ingest");
  const accept = find("accept_events");
  const deliver = find("deliver webhook");
  for (const span of [ingest, accept, deliver]) assert.equal(span?.traceId, traceId);
  assert.equal(ingest?.parentSpanId, "00f067aa0ba902b7");
  assert.equal(accept?.parentSpanId, ingest?.spanId);
  assert.equal(deliver?.parentSpanId, ingest?.spanId);
  assert.equal(receiver.received[0]?.headers.traceparent, `00-${traceId}-${deliver?.spanId}-01`);
  const facts = Object.fromEntries(
    (ingest?.attributes ?? []).map(({ key, value }) => [key, value.stringValue ?? value.intValue]),
  );
  assert.equal(facts["http.route"], "/api/ingest");
  assert.equal(facts["http.response.status_code"], 200);
  assert.ok(find("wake_subscribers"), "a job is a span");
  const token = find("GET /api/v1/token");
  assert.ok(
    token && token.parentSpanId === undefined && token.traceId !== "0".repeat(32),
    "an invalid traceparent is ignored",
  );
  assert.equal(find("GET /healthz"), undefined);
  assert.equal(resourceOf(collector)["service.name"], "lodged-test");
  for (const secret of secrets) assert.ok(!collector.bodies.join().includes(secret), secret);
});

test("a failing collector causes one warning and does not affect requests", async () => {
  await using collector = await startCollector(400);
  const { log, lines } = logIntoMemory();
  await using watching = await startService();
  const failures = async () => {
    const { text } = await watching.request("GET", "/metrics");
    return Number(/^lodged_trace_export_failures_total (\d+)$/m.exec(text)?.[1] ?? 0);
  };
  const before = await failures();
  {
    await using lodge = await startService(collector.env, { log });
    const ask = () => lodge.request("GET", "/api/v1/token", { headers: { authorization: "Bearer none" } });
    for (let n = 0; n < 600; n += 20) {
      const answers = await Promise.all(Array.from({ length: 20 }, ask));
      assert.ok(answers.every(({ status }) => status === 401));
    }
  }
  assert.ok((await failures()) - before >= 2);
  const warnings = lines().filter(({ level }) => level === "warn");
  assert.deepEqual(
    warnings.map(({ msg }) => msg),
    ["the trace collector does not accept traces"],
  );
});
