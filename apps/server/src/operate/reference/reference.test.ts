import assert from "node:assert/strict";
import { after, test } from "node:test";
import { errorCodes } from "@lodge/contract/errors";
import { operations } from "@lodge/contract/operations";
import { startService } from "../../testing/start-service.ts";

const lodge = await startService({ LODGE_INGEST_URL: "https://reports.example.test" });
after(() => lodge[Symbol.asyncDispose]());

test("every error body says where its code is explained, and the page explains every code", async () => {
  const { text: page, headers } = await lodge.request("GET", "/docs/errors");
  assert.match(headers.get("content-type") ?? "", /text\/html/);
  for (const code of errorCodes) assert.ok(page.includes(`<section id="${code}">`), code);
  const refused = await lodge.fileTicket("nonsense", {});
  assert.equal(refused.body.docs, `${lodge.deps.urls.base}/docs/errors#invalid_api_token`);
  const report = await lodge.request("POST", "/api/ingest");
  assert.equal(report.body.docs, `${lodge.deps.urls.base}/docs/errors#invalid_sdk_key`);
});

test("the server serves its own OpenAPI document, with the addresses that it is reached at", async () => {
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

test("the reference and all that it loads comes from the server, under a policy that lets in nothing else", async () => {
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
