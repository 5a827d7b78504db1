import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { getEvent, listAppSourceMaps, viewInbox } from "@lodge/contract/calls.generated";
import type { UploadedSourceMaps } from "@lodge/contract/sourcemaps";
import { signedIn } from "../../testing/dashboard-client.ts";
import { sentryEnvelope } from "../../testing/sentry-envelope.ts";
import { runCommand } from "../../testing/start-process.ts";
import { startService } from "../../testing/start-service.ts";
import { readEvent, submitReport } from "../../testing/submit-report.ts";

// Mapping files of ProGuard and R8, from their upload to a problem (contract section 8).

const lodge = await startService();
after(() => lodge[Symbol.asyncDispose]());

/** The mapping of a build in which R8 has given the class and its method these names. */
const mapping = (type: string, method: string) => `# compiler: R8
com.acme.shop.EmptyCartException -> ${type}x:
com.acme.shop.Cart -> ${type}:
# {"id":"sourceFile","fileName":"Cart.kt"}
    1:4:long total():20:23 -> ${method}
    5:5:long com.acme.shop.Line.price():31:31 -> ${method}
    5:5:long total():21 -> ${method}
com.acme.shop.Line -> ${type}y:
# {"id":"sourceFile","fileName":"Line.kt"}
    1:1:long price():31:31 -> a
`;

async function makeApp() {
  const slug = `acme-${randomUUID()}`;
  const { apps, tokens } = await lodge.apply({
    organisation: { name: "Acme", slug },
    members: [{ email: `ada@${slug}.test`, name: "Ada", role: "owner" }],
    tokens: [
      { name: "CI", scope: "all", permissions: ["sourcemaps:write"] },
      { name: "Bot", scope: "all", permissions: ["tickets:write"] },
    ],
    apps: [{ name: "Android", slug: "android", keys: ["default"] }],
  });
  const [app] = apps;
  assert.ok(app);
  const [ci = "", bot = ""] = tokens.map(({ secret }) => secret ?? "");
  const key = app.keys[0]?.key ?? "";
  const ada = await signedIn(lodge, `ada@${slug}.test`);
  const upload = async (files: Record<string, string>, { release = "", token = ci } = {}) => {
    const form = new FormData();
    if (release !== "") form.set("release", release);
    for (const [file, text] of Object.entries(files)) form.set(file, new Blob([text]));
    const headers = { authorization: `Bearer ${token}` };
    const path = `${lodge.url}/api/v1/apps/android/source-maps`;
    const answer = await fetch(path, { method: "POST", headers, body: form });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const read = async (eventId: string) => {
    await readEvent(lodge.deps, app.id, eventId);
    return ada.call(getEvent, { params: { eventId } });
  };
  /** Sends an event like Sentry's Android client. */
  const sendToSentry = async (event: Record<string, unknown>) => {
    const id = randomUUID().replaceAll("-", "");
    const body = sentryEnvelope({ event_id: id }, [[{ type: "event" }, { event_id: id, platform: "java", ...event }]]);
    const headers = { "x-sentry-auth": `Sentry sentry_key=${key}` };
    const answer = await fetch(`${lodge.url}/api/${app.number}/envelope/`, {
      method: "POST",
      headers,
      body: new Uint8Array(body),
    });
    assert.equal(answer.status, 200);
    const stored = lodge.deps.db
      .selectFrom("events")
      .select("id")
      .where("app_id", "=", app.id)
      .where("report_id", "=", id);
    return read((await stored.executeTakeFirstOrThrow()).id);
  };
  const send = async (envelope: Record<string, unknown>) =>
    read((await submitReport(lodge.url, key, { reportId: randomUUID(), ...envelope })).eventId);
  const problems = async () => {
    const { entries } = await ada.call(viewInbox, { params: { appId: app.id }, query: { state: "any" } });
    return entries.flatMap((entry) => (entry.type === "problem" ? [entry.problem] : []));
  };
  const listed = () => ada.call(listAppSourceMaps, { params: { appId: app.id } });
  return { ci, bot, upload, send, sendToSentry, problems, listed };
}

/** A crash as Sentry's client sends it from a build: the outermost call first. */
const crash = (type: string, method: string, line: number) => ({
  exception: {
    values: [
      {
        type: `${type.slice(2)}x`,
        module: "a",
        value: "no lines",
        stacktrace: {
          frames: [
            {
              module: "android.os.Handler",
              function: "dispatchMessage",
              filename: "Handler.java",
              lineno: 106,
              in_app: false,
            },
            { module: type, function: method, filename: "SourceFile", lineno: line, in_app: false },
          ],
        },
      },
    ],
  },
});

test("crashes of two builds that Sentry's client sends with their mapping UUIDs are one problem with original names", async () => {
  const app = await makeApp();
  const uuids = [randomUUID(), randomUUID()];
  const [first = "", second = ""] = uuids;
  const uploaded = await app.upload({
    [`proguard/${first}.txt`]: mapping("a.b", "c"),
    [`${second}.txt`]: mapping("a.d", "e"),
  });
  assert.equal(uploaded.status, 200, JSON.stringify(uploaded.body));
  const { sourceMaps } = uploaded.body as UploadedSourceMaps;
  assert.deepEqual(
    sourceMaps.map(({ debugId, file }) => [debugId, file]),
    [
      [first, `proguard/${first}.txt`],
      [second, `${second}.txt`],
    ],
  );
  const images = (uuid: string) => ({ debug_meta: { images: [{ type: "proguard", uuid }] } });
  const shown = await app.sendToSentry({ ...crash("a.b", "c", 2), ...images(first) });
  await app.sendToSentry({ ...crash("a.d", "e", 2), ...images(second) });
  const inlined = await app.sendToSentry({ ...crash("a.d", "e", 5), ...images(second) });

  assert.equal(shown.title, "com.acme.shop.EmptyCartException: no lines");
  assert.equal(shown.error?.type, "com.acme.shop.EmptyCartException");
  const [frame, library] = shown.error?.frames ?? [];
  assert.deepEqual(
    [frame?.module, frame?.function, frame?.file, frame?.line, frame?.isMapped, frame?.isOwn],
    ["com.acme.shop.Cart", "total", "Cart.kt", 21, true, true],
  );
  assert.deepEqual([library?.function, library?.isMapped], ["dispatchMessage", false]);
  assert.deepEqual(
    inlined.error?.frames.map(({ function: name, file, line }) => `${name} ${file}:${line}`),
    ["price Line.kt:31", "total Cart.kt:21", "dispatchMessage Handler.java:106"],
  );
  const problems = await app.problems();
  const [same] = problems.filter(({ eventCount }) => eventCount === 2);
  assert.deepEqual([same?.title, same?.culprit], [shown.title, "com.acme.shop.Cart.total (Cart.kt)"]);
  assert.equal(problems.length, 2, "a failure in the inlined call is another problem");
});

test("text stacks, including causes, are mapped by their release, else by their version", async () => {
  const app = await makeApp();
  assert.equal((await app.upload({ "mapping.txt": mapping("a.b", "c") }, { release: "shop@1.0.0+7" })).status, 200);
  assert.equal((await app.upload({ "mapping.txt": mapping("a.d", "e") }, { release: "1.0.0" })).status, 200);
  const error = (type: string, method: string) => ({
    type: "java.lang.RuntimeException",
    message: "crashed",
    stack: `java.lang.RuntimeException: crashed\n\tat android.os.Handler.post(Handler.java:1)\nCaused by: ${type}x: no lines\n\tat ${type}.${method}(Unknown Source:3)\n\t... 1 more`,
  });
  for (const [type, method, version] of [
    ["a.b", "c", { release: "shop@1.0.0+7", version: "1.0.0" }],
    ["a.d", "e", { release: "shop@1.0.0+8", version: "1.0.0" }],
  ] as const) {
    const { error: shown } = await app.send({ error: error(type, method), app: version, platform: "java" });
    const [cause] = shown?.causes ?? [];
    assert.equal(cause?.type, "com.acme.shop.EmptyCartException");
    const [frame] = cause?.frames ?? [];
    assert.deepEqual([frame?.module, frame?.function, frame?.line], ["com.acme.shop.Cart", "total", 22]);
  }
  const other = await app.send({ error: error("a.b", "c"), app: { version: "2.0.0" }, platform: "java" });
  assert.equal(other.error?.causes[0]?.frames[0]?.isMapped, false, "no mapping has this version");
  assert.deepEqual((await app.problems()).map(({ eventCount }) => eventCount).sort(), [1, 2]);
});

test("uploading a mapping needs the permission and a UUID or a release, and other files are refused", async () => {
  const app = await makeApp();
  const stranger = await makeApp();
  assert.equal((await app.upload({ "mapping.txt": mapping("a", "b") }, { token: app.bot })).status, 403);
  assert.equal((await app.upload({ "mapping.txt": mapping("a", "b") }, { token: "ldg_none" })).status, 401);
  assert.equal(
    (await app.upload({ "mapping.txt": mapping("a", "b") }, { token: stranger.ci, release: "1" })).status,
    200,
  );
  assert.deepEqual([(await app.listed()).totalCount, (await stranger.listed()).totalCount], [0, 1]);
  const refused: [Record<string, string>, string, RegExp][] = [
    [{ "mapping.txt": mapping("a", "b") }, "", /has neither a release nor a UUID/],
    [{ "mapping.txt": '{"version":3}' }, "1", /names no class/],
    [{ "mapping.txt": `a -> b:\n${"(".repeat(1_000_000)}` }, "1", /line of more than/],
    [{ "mapping.txt": "a -> b:\n".repeat(600_000) }, "1", /more than 500000 classes/],
  ];
  for (const [files, release, reason] of refused) {
    const { status, body } = await app.upload(files, { release });
    assert.deepEqual([status, body.error, body.partName], [400, "invalid_source_map", "mapping.txt"]);
    assert.match(String(body.reason), reason);
  }
  // A report cannot cause a mapping to be read as a source map, which would make it unusable.
  const uuid = randomUUID();
  assert.equal((await app.upload({ [`${uuid}.txt`]: mapping("a.b", "c") })).status, 200);
  const stack = `Error: x\n    at f (https://acme.test/${uuid}.txt:1:1)`;
  const debugIds = { [`https://acme.test/${uuid}.txt`]: uuid };
  await app.send({ error: { type: "Error", message: "x", stack }, debugIds });
  assert.deepEqual(
    (await app.listed()).sourceMaps.map(({ unusableReason }) => unusableReason),
    [null],
  );
});

test("lodged sourcemaps upload sends the mapping of an Android build under its UUID", async () => {
  const app = await makeApp();
  const folder = await mkdtemp(join(tmpdir(), "lodge-mapping-"));
  try {
    await mkdir(join(folder, "release"));
    await writeFile(join(folder, "release", "mapping.txt"), mapping("a.b", "c"));
    const env = { LODGE_URL: lodge.url, LODGE_TOKEN: app.ci };
    const uuid = randomUUID();
    const command = ["sourcemaps", "upload", folder, "--app", "android", "--json"];
    const { code, stdout, stderr } = await runCommand([...command, "--uuid", uuid], env);
    assert.equal(code, 0, stderr);
    assert.deepEqual(JSON.parse(stdout), {
      sourceMaps: [{ file: `proguard/${uuid}.txt`, debugId: uuid, release: null }],
    });
    const released = await runCommand([...command, "--release", "1.0.0"], env);
    const { sourceMaps } = JSON.parse(released.stdout) as UploadedSourceMaps;
    assert.deepEqual(sourceMaps, [{ file: "release/mapping.txt", debugId: null, release: "1.0.0" }]);
    await writeFile(join(folder, "mapping.txt"), mapping("a.b", "c"));
    const several = await runCommand([...command, "--uuid", uuid], env);
    assert.deepEqual([several.code, /exactly one mapping\.txt, but .* has 2/.test(several.stderr)], [2, true]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
