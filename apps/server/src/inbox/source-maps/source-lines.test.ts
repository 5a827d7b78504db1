import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { changeApp, getApp, getEvent } from "@lodge/contract/calls.generated";
import { signedIn } from "../../testing/dashboard-client.ts";
import { makePatientDatabase, type Service, startService } from "../../testing/start-service.ts";
import { submitReport } from "../../testing/submit-report.ts";
import { readEvent } from "../problems/read-events.ts";
import { boundTexts, linesReader } from "./source-lines.ts";
import { sweepSourceMaps } from "./sweep-source-maps.ts";

const started = new AsyncDisposableStack();
let lodge: Service;
before(async () => {
  const patient = started.use(await makePatientDatabase());
  lodge = started.use(await startService(patient.env, patient.overrides));
});
after(() => started.disposeAsync());

const source = `export const load = async (id) => {
  const cart = await fetchCart(id);
  return cart.total;
};
`;
/** Maps three positions: the call in line 2 and the property in line 3 of the first source, and one in the second. */
const map = {
  version: 3,
  sources: ["src/cart.ts", "node_modules/left/pad.js"],
  names: [],
  sourcesContent: [source, "secretOfLibrary()\n"],
  mappings: "AACA,UACA,UCFA",
};
const stackIn = (file: string) => `TypeError: cart is null
    at async p (https://shop.example.test/${file}:1:2)
    at f (https://shop.example.test/${file}:1:12)
    at g (https://shop.example.test/${file}:1:22)`;

async function makeApp() {
  const slug = `acme-${randomUUID()}`;
  const { apps, tokens } = await lodge.apply({
    organisation: { name: "Acme", slug },
    members: [
      { email: `ada@${slug}.test`, name: "Ada", role: "admin" },
      { email: `mel@${slug}.test`, name: "Mel", role: "member" },
    ],
    tokens: [{ name: "CI", scope: "all", permissions: ["sourcemaps:write", "problems:read"] }],
    apps: [{ name: "Shop", slug: "shop", keys: ["default"] }],
  });
  const [app] = apps;
  assert.ok(app);
  const token = tokens[0]?.secret ?? "";
  const ada = await signedIn(lodge, `ada@${slug}.test`);
  const mel = await signedIn(lodge, `mel@${slug}.test`);
  const upload = async (file: string, sent: object) => {
    const form = new FormData();
    form.set(file, new Blob([JSON.stringify(sent)]));
    const headers = { authorization: `Bearer ${token}` };
    const url = `${lodge.url}/api/v1/apps/shop/source-maps`;
    assert.equal((await fetch(url, { method: "POST", headers, body: form })).status, 200);
  };
  const report = async (error: object) => {
    const envelope = { reportId: randomUUID(), error };
    const { eventId } = await submitReport(lodge.url, app.keys[0]?.key ?? "", envelope);
    await readEvent(lodge.deps, app.id, eventId);
    return eventId;
  };
  const errorOf = async (eventId: string) => {
    const { error } = await mel.call(getEvent, { params: { eventId } });
    assert.ok(error);
    return error;
  };
  const stored = async () => {
    const rows = await lodge.deps.db
      .selectFrom("source_maps")
      .select(["store_key", "byte_length"])
      .where("app_id", "=", app.id)
      .execute();
    const texts = await Promise.all(
      rows.map(async ({ store_key }) => (await (await lodge.deps.store.read(store_key))?.toArray())?.join("") ?? ""),
    );
    assert.deepEqual(
      rows.map(({ byte_length }) => byte_length),
      texts.map((text) => Buffer.byteLength(text)),
    );
    return texts.join("\n");
  };
  const allow = (sourceLines: boolean) => ada.call(changeApp, { params: { appId: app.id }, body: { sourceLines } });
  return { appId: app.id, token, ada, mel, upload, report, errorOf, stored, allow };
}

test("source lines of the app's own sources are stored and shown from when an admin allows it until it is turned off", async () => {
  const { appId, token, mel, upload, report, errorOf, stored, allow } = await makeApp();
  assert.equal((await mel.call(getApp, { params: { appId } })).sourceLines, false);
  assert.equal((await mel("PATCH", `/apps/${appId}`, { sourceLines: true })).body.error, "forbidden");
  const other = await makeApp();
  assert.equal((await other.ada("PATCH", `/apps/${appId}`, { sourceLines: true })).body.error, "app_not_found");

  await upload("cart.js", map);
  const eventId = await report({ type: "TypeError", message: "cart is null", stack: stackIn("cart.js") });
  const contexts = async () => (await errorOf(eventId)).frames.map(({ context }) => context);
  assert.equal((await allow(true)).sourceLines, true);
  assert.deepEqual(await contexts(), [null, null, null]);
  assert.doesNotMatch(await stored(), /fetchCart\(|secretOfLibrary/);

  await upload("cart.js", map);
  await sweepSourceMaps(lodge.deps);
  const [first = "", second = "", third = "", ...rest] = source.split("\n");
  const shown = [
    { before: [first], line: second, after: [third, ...rest] },
    { before: [first, second], line: third, after: rest },
    null,
  ];
  assert.deepEqual(await contexts(), shown);
  const headers = { authorization: `Bearer ${token}` };
  const { body } = await lodge.request("GET", `/api/v1/events/${eventId}`, { headers });
  const { frames } = body.error as unknown as Awaited<ReturnType<typeof errorOf>>;
  assert.deepEqual(
    frames.map(({ context }) => context),
    shown,
  );
  assert.match(await stored(), /fetchCart\(/);
  assert.doesNotMatch(await stored(), /secretOfLibrary/);

  await allow(false);
  assert.deepEqual(await contexts(), [null, null, null]);
  await sweepSourceMaps(lodge.deps);
  assert.doesNotMatch(await stored(), /fetchCart\(/);
  await allow(true);
  assert.deepEqual(await contexts(), [null, null, null], "the text is deleted, and stored again with the next upload");
  assert.deepEqual(
    (await errorOf(eventId)).frames.map(({ function: name, file, line }) => [name, file, line]),
    [
      ["load", "src/cart.ts", 2],
      ["load", "src/cart.ts", 3],
      ["g", "node_modules/left/pad.js", 1],
    ],
  );
});

test("a map of sections has the names and lines of its sources, whichever section includes their texts", async () => {
  const { upload, report, errorOf, allow } = await makeApp();
  await allow(true);
  const section = (line: number, sent: object) => ({ offset: { line, column: 0 }, map: { ...map, ...sent } });
  const silent = section(1, { sourcesContent: undefined });
  await upload("cart.js", { version: 3, sections: [section(0, {}), silent] });
  const { frames } = await errorOf(
    await report({ type: "TypeError", message: "x", stack: stackIn("cart.js").replaceAll("js:1", "js:2") }),
  );
  assert.deepEqual(
    frames.slice(0, 2).map(({ function: name, line, context }) => [name, line, context?.line]),
    [
      ["load", 2, source.split("\n")[1]],
      ["load", 3, source.split("\n")[2]],
    ],
  );
});

test("every frame of a long chain of causes is mapped", async () => {
  const { upload, report, errorOf } = await makeApp();
  await upload("cart.js", map);
  const [header = "", frame = ""] = stackIn("cart.js").split("\n");
  const stack = [header, ...Array<string>(50).fill(frame)].join("\n");
  const cause = { type: "TypeError", message: "cart is null", stack };
  const error = await errorOf(await report({ ...cause, causes: Array(9).fill(cause) }));
  const mapped = [error, ...error.causes].flatMap(({ frames }) => frames.filter(({ isMapped }) => isMapped));
  assert.equal(mapped.length, 500);
});

test("source lines are cut, and sources that are too large are not stored", () => {
  const sources = ["a.ts", "b.ts", null];
  const at = linesReader(sources, ["one\r\ntwo\n\u0000", `${"x".repeat(10_000)}\n${"y\n".repeat(100)}`, null]);
  assert.deepEqual(at("a.ts", 1), { before: [], line: "one", after: ["two", "\u0000"] });
  assert.equal(at("a.ts", 4), null);
  assert.equal(at("a.ts", 0), null);
  assert.equal(at("c.ts", 1), null);
  const cut = at("b.ts", 7);
  assert.deepEqual([cut?.before.length, cut?.after.length, at("b.ts", 1)?.line.length], [5, 5, 500]);

  const large = "x".repeat(900_000);
  const bounded = boundTexts(["x".repeat(1_000_001), ...Array<string>(10).fill(large), "small"]);
  assert.deepEqual(
    bounded.map((text) => text?.length ?? 0),
    [0, ...Array<number>(8).fill(900_000), 0, 0, 5],
  );
});
