import assert from "node:assert/strict";
import { after, test } from "node:test";
import { errorCodes } from "@lodge/contract/errors";
import { operations } from "@lodge/contract/operations";
import { startService } from "../../testing/start-service.ts";

const lodge = await startService({ LODGE_INGEST_URL: "https://reports.example.test" });
after(() => lodge[Symbol.asyncDispose]());

test("every error body links to its code's explanation, and the page explains every code", async () => {
  const { text: page, headers } = await lodge.request("GET", "/docs/errors");
  assert.match(headers.get("content-type") ?? "", /text\/html/);
  for (const code of errorCodes) assert.ok(page.includes(`<section id="${code}">`), code);
  const refused = await lodge.fileTicket("nonsense", {});
  assert.equal(refused.body.docs, `${lodge.deps.urls.base}/docs/errors#invalid_api_token`);
  const report = await lodge.request("POST", "/api/ingest");
  assert.equal(report.body.docs, `${lodge.deps.urls.base}/docs/errors#invalid_sdk_key`);
});

test("the server serves its own OpenAPI document, with its public addresses", async () => {
  const { body } = await lodge.request("GET", "/openapi.json");
  const { openapi, servers, paths } = body as {
    openapi: string;
    servers: unknown;
    paths: Record<string, Record<string, unknown>>;
  };
  assert.equal(openapi, "3.1.0");
  assert.deepEqual(servers, [{ url: lodge.deps.urls.base }]);
  assert.deepEqual(paths["/api/ingest"]?.servers, [{ url: "https://reports.example.test" }]);
  for (const { operation } of operations) assert.ok(paths[operation.path]?.[operation.method.toLowerCase()]);
});

test("every success response of filing a ticket has an id in its schema, as generated clients need", async () => {
  const { body } = await lodge.request("GET", "/openapi.json");
  type Schema = { $ref?: string; anyOf?: Schema[]; required?: string[] };
  type Answers = Record<string, { content: Record<string, { schema: Schema }> }>;
  const { paths, components } = body as unknown as {
    paths: Record<string, { post: { responses: Answers } }>;
    components: { schemas: Record<string, Schema> };
  };
  const leavesOf = ({ $ref, anyOf, ...schema }: Schema): Schema[] => {
    if ($ref) return leavesOf(components.schemas[$ref.split("/").at(-1) ?? ""] ?? {});
    return anyOf ? anyOf.flatMap(leavesOf) : [schema];
  };
  const responses = paths["/api/v1/tickets"]?.post.responses;
  const leaves = ["200", "201"].flatMap((status) =>
    leavesOf(responses?.[status]?.content["application/json"]?.schema ?? {}),
  );
  assert.equal(leaves.length, 3);
  for (const { required } of leaves) assert.ok(required?.includes("id"));
});

test("the reference and everything it loads come from the server, under a policy that allows nothing else", async () => {
  const { text: page, headers } = await lodge.request("GET", "/docs");
  const loaded = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address ?? "");
  assert.ok(loaded.includes("/docs/redoc.js"));
  for (const address of loaded) {
    assert.match(address, /^\//);
    const { status, headers: its } = await lodge.request("GET", address);
    assert.equal(status, 200, address);
    assert.equal(its.get("x-content-type-options"), "nosniff");
  }
  const policy = headers.get("content-security-policy") ?? "";
  assert.match(policy, /default-src 'none'/);
  assert.match(policy, /script-src 'self';/);
  assert.match(policy, /connect-src 'self';/);
});

test("the guides are served from the repository's Markdown, with a search and the reader's own key", async () => {
  const { text: list } = await lodge.request("GET", "/docs/guides");
  const names = [...list.matchAll(/href="(\/docs\/guides\/[^"]+)"/g)].map(([, address]) => address ?? "");
  assert.ok(names.includes("/docs/guides/sdk") && names.includes("/docs/guides/ci/jenkins"));
  for (const address of new Set(names)) {
    const { status, text, headers } = await lodge.request("GET", address);
    assert.equal(status, 200, address);
    assert.match(headers.get("content-security-policy") ?? "", /default-src 'none'; style-src 'self';/);
    const inside = [...text.matchAll(/href="(\/docs\/guides\/[^"#]+)#?([^"]*)"/g)];
    for (const [, target = "", id = ""] of inside) {
      const page = await lodge.request("GET", target);
      assert.equal(page.status, 200, `${address} leads to ${target}`);
      if (id !== "") assert.ok(page.text.includes(` id="${id}"`), `${address} leads to ${target}#${id}`);
    }
  }
  const { text: found } = await lodge.request("GET", "/docs/guides?q=webhook-signature");
  assert.match(found, /href="\/docs\/guides\/webhooks#webhooks"/);
  assert.match((await lodge.request("GET", "/docs/guides?q=%3Cscript%3E")).text, /0 results for “&lt;script&gt;”/);

  const key = `ldgpub_${"a".repeat(33)}`;
  const { text: own } = await lodge.request("GET", `/docs/guides/sentry?key=${key}&app=4711`);
  assert.ok(own.includes(`https://${key}@reports.example.test/4711`));
  const { text: sdk } = await lodge.request("GET", `/docs/guides/sdk?key=${key}`);
  assert.ok(sdk.includes(`ingestUrl: &quot;https://reports.example.test&quot;, key: &quot;${key}&quot;`));
  const { text: forged } = await lodge.request("GET", "/docs/guides/sdk?key=%3Cscript%3E");
  assert.ok(!forged.includes("<script>"));
  const elsewhere = await fetch(`${lodge.url}/docs/guides/..%2Fcontract`, { redirect: "manual" });
  assert.equal(elsewhere.status, 302);
});
