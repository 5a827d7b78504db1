import { createHash, randomUUID } from "node:crypto";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { Readable } from "node:stream";
import { text as readText } from "node:stream/consumers";
import { gzipSync } from "node:zlib";

/** A server to look at, with credentials of its own: the token reaches exactly one project. */
export type Subject = { base: string; ingest: string; token: string; key: string } & Others;

/** Further credentials, each for the rows that need it. */
type Others = {
  /** A token that reaches exactly one project, another one. */
  otherToken?: string | undefined;
  /** A token that reaches more than one project. */
  wideToken?: string | undefined;
  /** A token that reaches none. */
  unreachingToken?: string | undefined;
  /** A token without tickets:write. */
  powerlessToken?: string | undefined;
  revokedToken?: string | undefined;
  /** A token whose minute may be used up; not one of the others. */
  rateToken?: string | undefined;
  /** The same of an SDK key, where shared rate limiting is on. */
  rateKey?: string | undefined;
  /** An SDK key of an organisation that is suspended. */
  suspendedKey?: string | undefined;
};

/** Requests a minute of one token, and of one key (interface section 8). */
const ratePerMinute = 60;
const requestBytesMax = 25_000_000;
const attachmentBytesMax = 26_214_400;

/** A row of the interface, and what was seen where it does not hold. */
export type Row = { section: string; row: string; failure: string | undefined };

type Seen = { status: number; text: string; body: Record<string, unknown>; headers: Headers };
type Check = { section: string; row: string; run: () => Promise<void> };

class Mismatch extends Error {}

const expect = (holds: boolean, what: string) => {
  if (!holds) throw new Mismatch(what);
};

async function ask(address: string, init: RequestInit): Promise<Seen> {
  const response = await fetch(address, { redirect: "manual", ...init });
  const text = await response.text();
  return { status: response.status, text, body: parse(text), headers: response.headers };
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

const isRefused = ({ status, body, text }: Seen, wanted: number, code: string) =>
  expect(status === wanted && body.error === code, `expected ${wanted} ${code}, got ${status} ${text.slice(0, 200)}`);

/** Runs the rows one after another; each makes what it needs. It files tickets and sends reports: use a project for tests. */
export async function* checkConformance(subject: Subject): AsyncGenerator<Row> {
  const rows = [
    ...ticketRows(subject),
    ...otherTicketRows(subject),
    ...reportRows(subject),
    ...otherReportRows(subject),
  ];
  for (const { section, row, run } of rows) {
    try {
      await run();
      yield { section, row, failure: undefined };
    } catch (error) {
      yield {
        section,
        row,
        failure: error instanceof Mismatch ? error.message : `no answer: ${(error as Error).message}`,
      };
    }
  }
}

const title = "Conformance";

/** Files tickets: `POST /api/v1/tickets` with a token. */
const filing =
  ({ base }: Subject, token: string) =>
  (body: unknown, headers: Record<string, string> = {}, authorization = `Bearer ${token}`) =>
    ask(`${base}/api/v1/tickets`, {
      method: "POST",
      headers: { authorization, "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });

const isFiled = ({ status, text }: Seen) => expect(status === 201, `expected 201, got ${status} ${text.slice(0, 200)}`);

/** The rows of a credential, where there is one. */
const rowsWith = (credential: string | undefined, rows: (credential: string) => Check[]): Check[] =>
  credential === undefined ? [] : rows(credential);

function ticketRows(subject: Subject): Check[] {
  const { token } = subject;
  const file = filing(subject, token);
  const refuses = (section: string, row: string, status: number, code: string, body: unknown): Check => ({
    section,
    row,
    run: async () => isRefused(await file(body), status, code),
  });
  const accepts = (section: string, row: string, body: object): Check => ({
    section,
    row,
    run: async () => {
      isFiled(await file(body));
    },
  });
  return [
    {
      section: "2.3",
      row: "a ticket is answered with 201, its ids, createdAt and url",
      run: async () => {
        const filed = await file({ title });
        isFiled(filed);
        const { body } = filed;
        const missing = ["id", "title", "projectId", "boardId", "columnId", "createdAt", "url"].filter(
          (field) => typeof body[field] !== "string",
        );
        expect(missing.length === 0, `without ${missing.join(", ")}`);
        expect(body.title === title, `title is ${JSON.stringify(body.title)}`);
      },
    },
    accepts("2.2", "a title of 200 characters beyond the BMP", { title: "😀".repeat(200) }),
    accepts("2.2", "a description of 20,000 characters", { title, description: "x".repeat(20_000) }),
    accepts("2.2", "priority, startsAt and dueAt on one day, and null where it may be", {
      title,
      priority: "high",
      startsAt: "2026-05-01",
      dueAt: "2026-05-01",
      assigneeUserId: null,
      agentRepositoryId: null,
    }),
    refuses("7.1", "no title", 400, "invalid_input", {}),
    refuses("7.1", "an empty title", 400, "invalid_input", { title: "" }),
    refuses("7.1", "a title of 201 characters", 400, "invalid_input", { title: "x".repeat(201) }),
    refuses("7.1", "a description of 20,001 characters", 400, "invalid_input", {
      title,
      description: "x".repeat(20_001),
    }),
    refuses("7.1", "an unrecognised field", 400, "invalid_input", { title, colour: "red" }),
    refuses("7.1", "a priority of another name", 400, "invalid_input", { title, priority: "urgent" }),
    refuses("7.1", "a day that does not exist", 400, "invalid_input", { title, dueAt: "2026-02-30" }),
    refuses("7.1", "a body that is no JSON", 400, "invalid_input", "{"),
    refuses("7.1", "startsAt after dueAt", 400, "invalid_date_range", {
      title,
      startsAt: "2026-05-02",
      dueAt: "2026-05-01",
    }),
    refuses("7.1", "an assignee who is not a member", 400, "not_a_member", { title, assigneeUserId: randomUUID() }),
    refuses("7.1", "a repository that is not bound", 400, "invalid_agent_repository", {
      title,
      agentRepositoryId: randomUUID(),
    }),
    refuses("7.1", "a project that does not exist", 404, "project_not_found", { title, projectId: randomUUID() }),
    refuses("7.1", "a board that does not exist", 404, "board_not_found", { title, boardId: randomUUID() }),
    refuses("7.1", "a column that does not exist", 404, "column_not_found", { title, columnId: randomUUID() }),
    {
      section: "5",
      row: "a missing, malformed or unknown token gives one and the same 401",
      run: async () => {
        const seen = [];
        for (const authorization of [
          "",
          "Bearer",
          `Basic ${token}`,
          "Bearer nonsense",
          `Bearer ${token.slice(0, -1)}`,
        ]) {
          seen.push(await file({ title }, {}, authorization));
        }
        for (const each of seen) isRefused(each, 401, "invalid_api_token");
        expect(new Set(seen.map(({ text }) => text)).size === 1, "the bodies differ");
      },
    },
    {
      section: "4.1",
      row: "a key that is used again replays the same 201 and the same body, whatever is sent",
      run: async () => {
        const key = { "idempotency-key": randomUUID() };
        const first = await file({ title }, key);
        for (const body of [{ title }, { title: "" }, "{", ""]) {
          const again = await file(body, key);
          expect(again.status === 201 && again.text === first.text, `another answer to ${JSON.stringify(body)}`);
        }
      },
    },
    {
      section: "7.1",
      row: "a key that is empty, or has 256 characters",
      run: async () => {
        for (const key of ["", "x".repeat(256)]) {
          isRefused(await file({ title }, { "idempotency-key": key }), 400, "invalid_idempotency_key");
        }
      },
    },
    {
      section: "4.1",
      row: "a key of 255 characters",
      run: async () => {
        isFiled(await file({ title }, { "idempotency-key": randomUUID().padEnd(255, "x") }));
      },
    },
  ];
}

/** What takes a second token. */
function otherTicketRows(subject: Subject): Check[] {
  const file = filing(subject, subject.token);
  return [
    ...rowsWith(subject.otherToken, (other) => [
      {
        section: "5",
        row: "a project that the token does not reach is answered as one that does not exist; its board and column too",
        run: async () => {
          const theirs = await filing(subject, other)({ title });
          isFiled(theirs);
          const { projectId, boardId, columnId } = theirs.body;
          const hidden = await file({ title, projectId });
          isRefused(hidden, 404, "project_not_found");
          const missing = await file({ title, projectId: randomUUID() });
          expect(hidden.text === missing.text, "the bodies differ");
          isRefused(await file({ title, boardId }), 404, "board_not_found");
          isRefused(await file({ title, columnId }), 404, "column_not_found");
        },
      },
      {
        section: "4.1",
        row: "a key is the token's that sent it: with another token it files another ticket",
        run: async () => {
          const key = { "idempotency-key": randomUUID() };
          const [own, theirs] = [await file({ title }, key), await filing(subject, other)({ title }, key)];
          isFiled(own);
          isFiled(theirs);
          expect(own.body.id !== theirs.body.id, "the same ticket");
        },
      },
    ]),
    ...rowsWith(subject.wideToken, (wide) => [
      {
        section: "7.1",
        row: "no project named by a token that reaches several",
        run: async () => isRefused(await filing(subject, wide)({ title }), 400, "project_required"),
      },
    ]),
    ...rowsWith(subject.unreachingToken, (unreaching) => [
      {
        section: "7.1",
        row: "no project named by a token that reaches none",
        run: async () => isRefused(await filing(subject, unreaching)({ title }), 404, "project_not_found"),
      },
    ]),
    ...rowsWith(subject.powerlessToken, (powerless) => [
      {
        section: "5",
        row: "a token without tickets:write is told what it lacks",
        run: async () => {
          const refused = await filing(subject, powerless)({ title });
          isRefused(refused, 403, "insufficient_scope");
          expect(refused.body.required === "tickets:write", `required is ${JSON.stringify(refused.body.required)}`);
        },
      },
    ]),
    ...rowsWith(subject.revokedToken, (revoked) => [
      {
        section: "5",
        row: "a revoked token is answered as one that is unknown",
        run: async () => {
          const refused = await filing(subject, revoked)({ title });
          isRefused(refused, 401, "invalid_api_token");
          expect(refused.text === (await file({ title }, {}, "Bearer nonsense")).text, "the bodies differ");
        },
      },
    ]),
    ...rowsWith(subject.rateToken, (rate) => [
      {
        section: "8",
        row: `more than ${ratePerMinute} requests a minute of one token`,
        // Where a minute begins meanwhile, a second one is used up.
        run: () =>
          exceedsRate(
            () => filing(subject, rate)({}),
            ({ status }) => expect(status === 429, `got ${status}`),
          ),
      },
    ]),
  ];
}

/** Asks until it is refused, at the latest with the last request of two minutes' worth. */
async function exceedsRate(request: () => Promise<Seen>, isRefusal: (seen: Seen) => void) {
  let seen = await request();
  for (let asked = 1; asked < 2 * ratePerMinute + 2 && seen.status !== 429; asked++) seen = await request();
  isRefusal(seen);
}

type Part = { name: string; bytes: string | Uint8Array<ArrayBuffer>; type?: string };

/** Sends reports: `POST /api/ingest` with a key. */
const sending =
  ({ ingest }: Subject, key: string) =>
  (parts: Part[], authorization = `Bearer ${key}`) => {
    const form = new FormData();
    for (const { name, bytes, type = "application/octet-stream" } of parts)
      form.append(name, new Blob([bytes], { type }), name);
    return ask(`${ingest}/api/ingest`, { method: "POST", headers: { authorization }, body: form });
  };

const makeEnvelope = (fields: object = {}): Part => ({
  name: "envelope",
  bytes: JSON.stringify({ reportId: randomUUID(), ...fields }),
  type: "application/json",
});

function reportRows(subject: Subject): Check[] {
  const { ingest, key } = subject;
  const send = sending(subject, key);
  const envelope = makeEnvelope;
  const log: Part = { name: "log", bytes: "aaa" };
  const declared = {
    partName: "log",
    sha256: createHash("sha256").update("aaa").digest("hex"),
    byteLength: 3,
  };
  const refuses = (row: string, status: number, code: string, parts: () => Part[]): Check => ({
    section: "7.2",
    row,
    run: async () => isRefused(await send(parts()), status, code),
  });
  const isReceived = ({ status, body, text }: Seen, idempotent: boolean) =>
    expect(
      status === 200 &&
        typeof body.status === "string" &&
        typeof body.eventId === "string" &&
        typeof body.deliveryCount === "number" &&
        body.idempotent === idempotent,
      `got ${status} ${text.slice(0, 200)}`,
    );
  return [
    {
      section: "2.5",
      row: "a report with an attachment is received, and a second time answered with the same event",
      run: async () => {
        const parts = [envelope({ attachments: [declared] }), log];
        const first = await send(parts);
        isReceived(first, false);
        const second = await send(parts);
        isReceived(second, true);
        expect(second.body.eventId === first.body.eventId, "another eventId");
      },
    },
    {
      section: "4.2",
      row: "an envelope may be gzipped: by its content type, or by its first bytes",
      run: async () => {
        for (const type of ["application/gzip", "application/json+gzip", "application/json"]) {
          const { name, bytes } = envelope();
          isReceived(await send([{ name, bytes: new Uint8Array(gzipSync(bytes)), type }]), false);
        }
      },
    },
    {
      section: "7.2",
      row: "a missing or invalid key",
      run: async () => {
        for (const authorization of ["", "Bearer nonsense"]) {
          isRefused(await send([envelope()], authorization), 401, "invalid_sdk_key");
        }
      },
    },
    refuses("no parts", 400, "no_parts", () => []),
    refuses("no envelope", 400, "envelope_part_missing", () => [log]),
    refuses("an envelope that is no JSON", 400, "envelope_invalid_json", () => [{ name: "envelope", bytes: "{" }]),
    refuses("an envelope that cannot be gunzipped", 400, "envelope_invalid_json", () => [
      { name: "envelope", bytes: "{}", type: "application/gzip" },
    ]),
    {
      section: "7.2",
      row: "an unknown top-level key, with details",
      run: async () => {
        const refused = await send([envelope({ unknown: 1 })]);
        isRefused(refused, 400, "schema_validation_failed");
        expect(Array.isArray(refused.body.details), "without details");
      },
    },
    refuses("an envelope above 5 MB after decompression, with 400", 400, "envelope_too_large", () => {
      const { name, bytes } = envelope({ message: "x".repeat(5_000_001) });
      return [{ name, bytes: new Uint8Array(gzipSync(bytes)), type: "application/gzip" }];
    }),
    refuses("a declared part that was not sent", 400, "attachment_missing", () => [
      envelope({ attachments: [declared] }),
    ]),
    refuses("a part that is not declared", 400, "attachment_unexpected", () => [envelope(), log]),
    refuses("a part of another length", 400, "bytelength_mismatch", () => [
      envelope({ attachments: [{ ...declared, byteLength: 4 }] }),
      log,
    ]),
    refuses("a part of another hash", 400, "attachment_sha256_mismatch", () => [
      envelope({ attachments: [{ ...declared, sha256: "0".repeat(64) }] }),
      log,
    ]),
    {
      section: "2.4",
      row: "what was refused is not stored: the same reportId is received afterwards",
      run: async () => {
        const reportId = randomUUID();
        isRefused(await send([envelope({ reportId, attachments: [declared] })]), 400, "attachment_missing");
        isReceived(await send([envelope({ reportId, attachments: [declared] }), log]), false);
      },
    },
    {
      section: "7.2",
      row: "one attachment above 25 MiB, with 413",
      run: async () => {
        const { status, body, text } = await sendZeros(subject, [attachmentBytesMax + 1]);
        // It is above what a whole request may be as well.
        const codes = ["attachment_too_large", "payload_too_large"];
        expect(status === 413 && codes.includes(`${body.error}`), `got ${status} ${text.slice(0, 200)}`);
      },
    },
    {
      section: "7.2",
      row: "a whole request above 25 MB, with 413",
      run: async () => {
        const half = requestBytesMax / 2 + 1;
        isRefused(await sendZeros(subject, [half, half]), 413, "payload_too_large");
      },
    },
    {
      section: "4.3",
      row: "GET /api/config answers the key",
      run: async () => {
        const { status, body } = await ask(`${ingest}/api/config`, { headers: { authorization: `Bearer ${key}` } });
        expect(status === 200 && Object.keys(body).length > 0, `got ${status}`);
      },
    },
  ];
}

/** What takes a second key. */
function otherReportRows(subject: Subject): Check[] {
  return [
    ...rowsWith(subject.suspendedKey, (key) => [
      {
        section: "7.2",
        row: "a suspended organisation is told why and since when, and its configuration still answers",
        run: async () => {
          const refused = await sending(subject, key)([makeEnvelope()]);
          isRefused(refused, 403, "org_suspended");
          const { reason, since } = refused.body;
          expect(reason === "over_allowance", `reason is ${JSON.stringify(reason)}`);
          expect(typeof since === "string" && !Number.isNaN(Date.parse(since)), `since is ${JSON.stringify(since)}`);
          const headers = { authorization: `Bearer ${key}` };
          const { status } = await ask(`${subject.ingest}/api/config`, { headers });
          expect(status === 200, `the configuration is answered with ${status}`);
        },
      },
    ]),
    ...rowsWith(subject.rateKey, (key) => [
      {
        section: "7.2",
        row: `more than ${ratePerMinute} requests a minute of one key, with Retry-After`,
        run: () =>
          exceedsRate(
            () => sending(subject, key)([makeEnvelope()]),
            (refused) => {
              isRefused(refused, 429, "rate_limit_exceeded");
              expect(refused.headers.has("retry-after"), "without Retry-After");
            },
          ),
      },
    ]),
  ];
}

/** Sends a report with attachments of so many zeros, and reads what is answered, maybe before all of them have left. */
function sendZeros({ ingest, key }: Subject, byteLengths: number[]): Promise<Seen> {
  const boundary = randomUUID();
  const declared = byteLengths.map((byteLength, index) => ({
    partName: `zeros-${index}`,
    byteLength,
    sha256: createHash("sha256").update(Buffer.alloc(byteLength)).digest("hex"),
  }));
  const head = (name: string, type: string) =>
    `--${boundary}\r\ncontent-disposition: form-data; name="${name}"; filename="${name}"\r\ncontent-type: ${type}\r\n\r\n`;
  function* body() {
    yield `${head("envelope", "application/json")}${JSON.stringify({ reportId: randomUUID(), attachments: declared })}\r\n`;
    for (const { partName, byteLength } of declared) {
      yield head(partName, "application/octet-stream");
      for (let left = byteLength; left > 0; left -= zeros.length) yield zeros.subarray(0, left);
      yield "\r\n";
    }
    yield `--${boundary}--\r\n`;
  }
  const url = new URL(`${ingest}/api/ingest`);
  return new Promise((resolve, reject) => {
    const sent = (url.protocol === "https:" ? httpsRequest : httpRequest)(url, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": `multipart/form-data; boundary=${boundary}` },
      agent: false,
    });
    sent.on("response", (response) => {
      readText(response).then((text) => {
        const headers = new Headers({ "retry-after": response.headers["retry-after"] ?? "" });
        resolve({ status: response.statusCode ?? 0, text, body: parse(text), headers });
        sent.destroy();
      }, reject);
    });
    sent.on("error", reject);
    Readable.from(body()).pipe(sent);
  });
}
const zeros = new Uint8Array(65_536);
